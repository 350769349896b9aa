package io.tally.server.table;

import static org.junit.jupiter.api.Assertions.assertDoesNotThrow;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.tally.rpc.TallyException;
import io.tally.rpc.v1.ErrorCode;
import java.io.RandomAccessFile;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.sql.SQLException;
import java.time.Instant;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class DuckDbCatalogTest {
  @TempDir Path folder;
  private Stored stored;

  @BeforeEach
  void setUp() {
    stored = new Stored(folder);
  }

  @Test
  void servesOneTableFromEveryFormat() throws Exception {
    Path parquet = stored.parquet("a.parquet", "SELECT 1::BIGINT AS id, 'a' AS name");
    Path csv = stored.text("b.csv", "id,name\n2,b\n");
    Path json = stored.text("c.json", "{\"name\": \"c\", \"id\": 3}");
    Path database =
        stored.database(
            "d.duckdb",
            "CREATE TABLE t(name ENUM('d'), id UINTEGER)",
            "INSERT INTO t VALUES ('d', 4)");
    try (DuckDbCatalog catalog =
        Stored.open(
            Stored.database("4", database),
            Stored.json("3", json),
            Stored.csv("2", csv),
            Stored.parquet("1", parquet))) {
      assertEquals(List.of("t"), catalog.tableNames());
      ServedTable table = catalog.table("t");
      assertEquals(
          List.of("1", "2", "3", "4"),
          table.partitions().stream().map(ServedPartition::id).toList());
      StringBuilder all = new StringBuilder();
      for (ServedPartition partition : table.partitions()) {
        assertEquals(1, partition.rows());
        assertTrue(partition.storedBytes() > 0);
        all.append(all.isEmpty() ? "" : " UNION ALL BY NAME ");
        all.append(partition.rowsSql(Optional.empty()));
      }
      assertEquals(
          List.of("1|a", "2|b", "3|c", "4|d"),
          Stored.rows(catalog, "SELECT id, name FROM (" + all + ") ORDER BY id"));
      table.checkUnchanged();
    }
  }

  @Test
  void allColumnsComeInTheOrderOfTheTable() throws Exception {
    Path first = stored.parquet("a.parquet", "SELECT 1 AS a, 'x' AS b");
    Path second = stored.parquet("b.parquet", "SELECT 'y' AS b, 2 AS a");
    try (DuckDbCatalog catalog =
        Stored.open(Stored.parquet("1", first), Stored.parquet("2", second))) {
      assertEquals(
          List.of("2|y"),
          Stored.rows(catalog, catalog.table("t").partitions().get(1).rowsSql(Optional.empty())));
    }
  }

  @Test
  void partitionsThatDisagreeAreNamed() throws Exception {
    Path integer = stored.parquet("a.parquet", "SELECT 1 AS id, 2 AS n");
    Path text = stored.parquet("b.parquet", "SELECT 'x' AS id, 2 AS n");
    Path missing = stored.parquet("c.parquet", "SELECT 1 AS id, 2 AS m");
    refused(
        "table \"t\": column \"id\" has type VARCHAR in partition \"2\", but INTEGER in partition"
            + " \"1\"; store it in one type",
        Stored.parquet("1", integer),
        Stored.parquet("2", text));
    refused(
        "column \"n\" is in partition \"1\", but not in partition \"2\"",
        Stored.parquet("1", integer),
        Stored.parquet("2", missing));
    refused(
        "partition \"1\": column \"id\" has type VARCHAR in " + text,
        Stored.parquet("1", integer, text));
  }

  @Test
  void unknownTablesOfferTheNearest() throws Exception {
    Path file = stored.parquet("a.parquet", "SELECT 1 AS id");
    TableDefinition flights =
        new TableDefinition(
            "flights",
            List.of(),
            Optional.empty(),
            true,
            Map.of(),
            List.of(Stored.parquet("p", file)));
    try (DuckDbCatalog catalog = Stored.open(flights)) {
      TallyException e = assertThrows(TallyException.class, () -> catalog.table("Flight"));
      assertEquals(ErrorCode.TABLE_NOT_FOUND, e.code());
      assertTrue(e.getMessage().contains("did you mean \"flights\"?"), e.getMessage());
    }
  }

  @Test
  void dataThatCannotBeReadIsNamed() throws Exception {
    Path good = stored.parquet("good.parquet", "SELECT i FROM range(10000) t(i)");
    Path truncated = stored.file("truncated.parquet");
    byte[] bytes = Files.readAllBytes(good);
    Files.write(truncated, Arrays.copyOf(bytes, bytes.length / 2));
    Path empty = stored.text("empty.csv", "");
    Path noDatabase = stored.text("no.duckdb", "x".repeat(5000));
    Path database =
        stored.database(
            "d.duckdb", "CREATE TABLE flights AS SELECT 1 AS i", "CREATE VIEW t AS FROM flights");
    refused("partition \"p\": ", Stored.parquet("p", truncated));
    refused(truncated.toString(), Stored.parquet("p", truncated));
    refused(empty + " is empty", Stored.csv("p", empty));
    refused(
        stored.file("gone.json") + " cannot be read", Stored.json("p", stored.file("gone.json")));
    refused(folder + " is not a file", Stored.parquet("p", folder));
    refused(
        noDatabase + " cannot be opened as a DuckDB database", Stored.database("p", noDatabase));
    refused(database + " has no table t in its schema main", Stored.database("p", database));
    refused(
        "did you mean flights?",
        Stored.partition("p", new PartitionSource.Database(database, "main", "flight")));
    refused("partition \"p\": ", Stored.json("p", stored.text("bad.json", "{\"a\": 1}\n{\"a\":")));
  }

  private void refused(String message, PartitionDefinition... partitions) {
    CatalogException e = assertThrows(CatalogException.class, () -> Stored.open(partitions));
    assertTrue(e.getMessage().contains(message), e.getMessage());
    assertEquals(CatalogException.Kind.DATA, e.kind());
    assertEquals(1, e.getMessage().lines().count(), e.getMessage());
  }

  @Test
  void stringsAreComparedByBytesWhateverTheCollation() throws Exception {
    Path database =
        stored.database(
            "collated.duckdb",
            "CREATE TABLE t (s VARCHAR COLLATE NOCASE); INSERT INTO t VALUES ('a'), ('A'), ('b')");
    try (DuckDbCatalog catalog = Stored.open(Stored.database("p", database))) {
      String rows = catalog.table("t").partitions().get(0).rowsSql(Optional.empty());
      assertEquals(
          List.of("1"), Stored.rows(catalog, "SELECT count(*) FROM (" + rows + ") WHERE s = 'a'"));
      assertEquals(
          List.of("3|A|b"),
          Stored.rows(catalog, "SELECT count(DISTINCT s), min(s), max(s) FROM (" + rows + ")"));
      assertEquals(
          "A", catalog.table("t").partitions().get(0).bounds().get(0).getLower().getString());
    }
  }

  @Test
  void changedFilesAreNotServed() throws Exception {
    Path file = stored.text("a.csv", "id\n1\n");
    try (DuckDbCatalog catalog = Stored.open(Stored.csv("p", file))) {
      ServedTable table = catalog.table("t");
      assertDoesNotThrow(table::checkUnchanged);
      Files.setLastModifiedTime(file, FileTime.from(Instant.parse("2020-01-01T00:00:00Z")));
      TallyException touched = assertThrows(TallyException.class, table::checkUnchanged);
      assertEquals(ErrorCode.LAYOUT_CHANGED, touched.code());
      assertTrue(touched.getMessage().contains("partition \"p\": " + file), touched.getMessage());
      Files.delete(file);
      TallyException gone = assertThrows(TallyException.class, table::checkUnchanged);
      assertEquals(ErrorCode.DATA_UNREADABLE, gone.code());
    }
  }

  @Test
  void copiesHaveOneFingerprintAndOtherContentAnother() throws Exception {
    Path original = stored.parquet("a.parquet", "SELECT i FROM range(1000) t(i)");
    Path copy = Files.copy(original, stored.file("copy.parquet"));
    Files.setLastModifiedTime(copy, FileTime.from(Instant.parse("2020-01-01T00:00:00Z")));
    Path other = stored.parquet("b.parquet", "SELECT i + 1 AS i FROM range(1000) t(i)");
    assertEquals(fingerprint(original), fingerprint(copy));
    assertNotEquals(fingerprint(original), fingerprint(other));
    assertNotEquals(fingerprint(original, other), fingerprint(other, original));
  }

  private String fingerprint(Path... files) throws Exception {
    try (DuckDbCatalog catalog = Stored.open(Stored.parquet("p", files))) {
      return catalog.table("t").partitions().get(0).fingerprint();
    }
  }

  @Test
  void fingerprintsOfLargeFilesSeeBothEnds() throws Exception {
    Path file = stored.file("large");
    long size = Fingerprint.WHOLE_FILE_BYTES * 3 + 17;
    String before;
    try (RandomAccessFile writer = new RandomAccessFile(file.toFile(), "rw")) {
      writer.setLength(size);
      before = hash(file);
      assertEquals(before, hash(file));
      for (long position : new long[] {0, size / 63, size - 1}) {
        writer.seek(position);
        writer.write(1);
        assertNotEquals(before, hash(file), "byte " + position);
        writer.seek(position);
        writer.write(0);
      }
      writer.setLength(size + 1);
      assertNotEquals(before, hash(file));
    }
  }

  private static String hash(Path file) throws Exception {
    return new Fingerprint().add(StoredFile.of(file)).text();
  }

  @Test
  void layoutVersionIsStableUntilSomethingChanges() throws Exception {
    Path file = stored.text("a.csv", "id\n1\n");
    String first = layoutVersion(Stored.csv("p", file));
    assertEquals(first, layoutVersion(Stored.csv("p", file)));
    assertNotEquals(first, layoutVersion(Stored.csv("q", file)));
    Files.setLastModifiedTime(file, FileTime.from(Instant.parse("2020-01-01T00:00:00Z")));
    assertNotEquals(first, layoutVersion(Stored.csv("p", file)));
  }

  private static String layoutVersion(PartitionDefinition partition) throws Exception {
    try (DuckDbCatalog catalog = Stored.open(partition)) {
      return catalog.table("t").layoutVersion();
    }
  }

  @Test
  void nothingButServedFilesCanBeReached() throws Exception {
    Path plain = stored.parquet("plain.parquet", "SELECT 1 AS id");
    Path file = Files.move(plain, stored.file("odd [1] *'name.parquet"));
    Path secret = stored.text("secret.csv", "id\n1\n");
    Path database = stored.database("d.duckdb", "CREATE TABLE t AS SELECT 1 AS id");
    try (DuckDbCatalog catalog =
        Stored.open(Stored.parquet("p", file), Stored.database("d", database))) {
      for (ServedPartition partition : catalog.table("t").partitions()) {
        assertEquals(List.of("1"), Stored.rows(catalog, partition.rowsSql(Optional.empty())));
      }
      for (String sql :
          List.of(
              "SELECT * FROM read_csv('" + secret + "')",
              "SELECT * FROM read_text('/etc/hostname')",
              "COPY (SELECT 1) TO '" + stored.file("out.csv") + "'",
              "ATTACH '" + stored.file("other.duckdb") + "'",
              "SET GLOBAL enable_external_access = true",
              "SET threads = 1",
              "INSTALL httpfs")) {
        assertThrows(SQLException.class, () -> Stored.rows(catalog, sql), sql);
      }
    }
  }

  @Test
  void settingsAreThoseOfEveryConnection() throws Exception {
    Path file = stored.parquet("a.parquet", "SELECT 1 AS id");
    DatabaseSettings settings = new DatabaseSettings(3, Optional.of("512MiB"));
    try (DuckDbCatalog catalog =
        DuckDbCatalog.open(settings, List.of(Stored.table(Stored.parquet("p", file))))) {
      assertEquals(
          List.of("UTC|3|512.0 MiB|2.0 MiB"),
          Stored.rows(
              catalog,
              "SELECT current_setting('TimeZone'), current_setting('threads'),"
                  + " current_setting('memory_limit'), current_setting('streaming_buffer_size')"));
    }
  }

  @Test
  void tooLittleMemoryToStartIsAMistakeOfTheConfiguration() throws Exception {
    Path file =
        stored.parquet("a.parquet", "SELECT repeat('x', 1000000) || i AS s FROM range(9) t(i)");
    DatabaseSettings settings = new DatabaseSettings(2, Optional.of("1MB"));
    CatalogException e =
        assertThrows(
            CatalogException.class,
            () -> DuckDbCatalog.open(settings, List.of(Stored.table(Stored.parquet("p", file)))));
    assertEquals(CatalogException.Kind.CONFIGURATION, e.kind());
    assertTrue(
        e.getMessage().startsWith("table \"t\": partition \"p\": Out of Memory"), e.getMessage());
    assertTrue(e.getMessage().endsWith("; raise limits.memory"), e.getMessage());
  }

  @Test
  void whatDoesNotFitIntoMemorySpills() throws Exception {
    Path file = stored.parquet("a.parquet", "SELECT 1 AS id");
    DatabaseSettings settings = new DatabaseSettings(2, Optional.of("100MB"));
    try (DuckDbCatalog catalog =
        DuckDbCatalog.open(settings, List.of(Stored.table(Stored.parquet("p", file))))) {
      assertEquals(
          List.of("3000000"),
          Stored.rows(
              catalog,
              "SELECT count(*) FROM (SELECT DISTINCT i, 'padding to fill the memory ' || i AS s"
                  + " FROM range(3000000) t(i))"));
    }
  }
}
