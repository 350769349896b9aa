package io.tally.server.table;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.tally.rpc.v1.RowRange;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Whatever a file is called, it is read itself, and nothing beside it. */
class FileNamesTest {
  /** A glob of any of the names below matches one of these too. */
  private static final List<String> NEIGHBOURS =
      List.of("d1", "d2", "s", "s2", "q1", "a", "e1", "e2", "[y]", "y", "b/a");

  @TempDir Path folder;
  private Stored stored;

  @BeforeEach
  void setUp() {
    stored = new Stored(folder);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "d[1]", "s*", "q?", "**", "[[]", "[*]", "[!a]", "]", "e{1,2}", "o'[1]", "%d $x", "é*"
      })
  void aNameIsNoGlob(String name) throws Exception {
    Path parquet = stored.parquet("x.parquet", "SELECT i FROM range(3) t(i)");
    Path csv = stored.text("x.csv", "i\n0\n1\n2\n");
    Path json = stored.text("x.json", "{\"i\": 0}\n{\"i\": 1}\n{\"i\": 2}\n");
    Path database = stored.database("x.duckdb", "CREATE TABLE t AS SELECT i FROM range(3) t(i)");
    Files.createDirectories(stored.file("b"));
    for (Path file : List.of(parquet, csv, json, database)) {
      for (String neighbour : NEIGHBOURS) {
        Files.writeString(named(neighbour, file), "no data\n");
      }
    }
    try (DuckDbCatalog catalog =
        Stored.open(
            Stored.parquet("parquet", renamed(name, parquet)),
            Stored.csv("csv", renamed(name, csv)),
            Stored.json("json", renamed(name, json)),
            Stored.database("database", renamed(name, database)))) {
      for (ServedPartition partition : catalog.table("t").partitions()) {
        assertEquals(3, partition.rows(), partition.id());
        assertEquals(
            List.of("0", "1", "2"),
            Stored.rows(catalog, partition.rowsSql(Optional.empty()) + " ORDER BY i"),
            partition.id());
      }
      RowRange range = RowRange.newBuilder().setFirst(1).setEnd(3).build();
      assertEquals(
          List.of("1", "2"),
          Stored.rows(
              catalog,
              catalog.table("t").partitions().get(3).rowsSql(Optional.of(range)) + " ORDER BY i"));
    }
  }

  @Test
  void aBackslashSeparatesNoFolders() throws Exception {
    Files.createDirectories(stored.file("b"));
    Path file = stored.text("b\\a.csv", "i\n1\n");
    stored.text("b/a.csv", "i\n2\n");
    try (DuckDbCatalog catalog = Stored.open(Stored.csv("p", file))) {
      assertEquals(
          List.of("1"),
          Stored.rows(catalog, catalog.table("t").partitions().get(0).rowsSql(Optional.empty())));
    }
    Path database = Files.move(stored.database("a.duckdb"), stored.file("b\\a.duckdb"));
    CatalogException e =
        assertThrows(CatalogException.class, () -> Stored.open(Stored.database("p", database)));
    assertTrue(e.getMessage().contains(database + " has a backslash"), e.getMessage());
  }

  @ParameterizedTest
  @ValueSource(strings = {"b\\*", "[\\", "\\?"})
  void namesThatTheEngineCannotTakeAreRefused(String name) throws Exception {
    Path file = stored.text("x.csv", "i\n0\n");
    CatalogException e =
        assertThrows(
            CatalogException.class, () -> Stored.open(Stored.csv("p", renamed(name, file))));
    assertEquals(CatalogException.Kind.DATA, e.kind());
    assertTrue(e.getMessage().contains("partition \"p\": " + folder), e.getMessage());
    assertTrue(e.getMessage().endsWith("rename it"), e.getMessage());
  }

  @Test
  void foldersAreNoGlobsEither() throws Exception {
    Path file = stored.parquet("x.parquet", "SELECT 1 AS i");
    Path in = Files.createDirectories(stored.file("d[1]*/e?"));
    Files.createDirectories(stored.file("d1/e1"));
    Files.writeString(stored.file("d1/e1/x.parquet"), "no data");
    Path moved = Files.move(file, in.resolve("x.parquet"));
    try (DuckDbCatalog catalog = Stored.open(Stored.parquet("p", moved))) {
      assertEquals(
          List.of("1"),
          Stored.rows(catalog, catalog.table("t").partitions().get(0).rowsSql(Optional.empty())));
    }
  }

  private static Path renamed(String name, Path file) throws Exception {
    return Files.move(file, named(name, file));
  }

  private static Path named(String name, Path file) {
    String old = file.getFileName().toString();
    return file.resolveSibling(name + old.substring(old.indexOf('.')));
  }
}
