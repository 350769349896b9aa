package io.tally.server.table;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Nothing is served under a name that DuckDB made up for a column whose name was taken. */
class NameTwinsTest {
  @TempDir Path folder;
  private Stored stored;

  @BeforeEach
  void setUp() {
    stored = new Stored(folder);
  }

  @Test
  void twinsInParquetAreUnreadableAndTheOthersAreServed() throws Exception {
    Path file = renamed("SELECT 1 AS \"Col\", 2 AS \"cXl\", 3 AS \"other\"", "cXl", "col");
    try (DuckDbCatalog catalog = Stored.open(Stored.parquet("p", file))) {
      ServedTable table = catalog.table("t");
      assertEquals(List.of("other"), table.columns().stream().map(ServedColumn::name).toList());
      assertEquals(List.of("3"), rows(catalog));
      assertEquals(
          List.of("Col", "col"),
          table.unservedColumns().stream().map(UnservedColumn::name).toList());
      String reason = table.unservedColumns().get(0).reason();
      assertTrue(
          reason.contains("columns \"Col\" and \"col\", which differ only in upper and lower case"),
          reason);
      assertTrue(reason.contains(file.toString()), reason);
    }
  }

  @Test
  void aColumnWhoseNameATwinTookIsUnreadable() throws Exception {
    // DuckDB calls the second column col_1, and the third one something else.
    Path file = renamed("SELECT 1 AS \"Col\", 2 AS \"cXl\", 3 AS \"col_1\", 4 AS o", "cXl", "col");
    try (DuckDbCatalog catalog = Stored.open(Stored.parquet("p", file))) {
      assertEquals(
          List.of("Col", "col", "col_1"),
          catalog.table("t").unservedColumns().stream().map(UnservedColumn::name).toList());
      assertEquals(List.of("4"), rows(catalog));
    }
  }

  @Test
  void twinsInAStructMakeItUnreadable() throws Exception {
    Path file = renamed("SELECT {'Fld': 1, 'fXd': {'x': 2}} AS s, 3 AS o", "fXd", "fld");
    try (DuckDbCatalog catalog = Stored.open(Stored.parquet("p", file))) {
      assertEquals("s", catalog.table("t").unservedColumns().get(0).name());
      assertEquals(List.of("3"), rows(catalog));
    }
  }

  @Test
  void twinsMayBeInEveryFileAndPartition() throws Exception {
    Path twins = renamed("SELECT 1 AS \"Col\", 2 AS \"cXl\", 3 AS o", "cXl", "col");
    Path same = Files.copy(twins, stored.file("same.parquet"));
    try (DuckDbCatalog catalog =
        Stored.open(Stored.parquet("1", twins, same), Stored.parquet("2", same))) {
      assertEquals(2, catalog.table("t").unservedColumns().size());
      assertEquals(List.of("3", "3", "3"), rows(catalog));
    }
  }

  @Test
  void parquetColumnsOfOneNameAreRefused() throws Exception {
    refused(
        "has several columns of one name",
        Stored.parquet("p", renamed("SELECT 1 AS \"col\", 2 AS \"cXl\"", "cXl", "col")));
  }

  @Test
  void twinsInCsvAreRefused() throws Exception {
    Path twins = stored.text("a.csv", "# x\n\"A\",b,a\n1,2,3\n");
    refused(
        twins
            + " has columns \"A\" and \"a\", which differ only in upper and lower case; rename one of"
            + " them in its header",
        Stored.csv("p", twins));
    refused("has two columns named \"A\"", Stored.csv("p", stored.text("b.csv", "A,A\n1,2\n")));
  }

  @Test
  void twinsInJsonAreRefused() throws Exception {
    Path upper = stored.text("a.json", "[{\"A\": 1}]");
    Path lower = stored.text("b.json", "{\"a\": 1}\n");
    refused(
        "columns \"A\" and \"a\", which differ only in upper and lower case (in "
            + upper
            + " and "
            + lower
            + "); rename one of them",
        Stored.json("p", upper),
        Stored.json("q", lower));
    refused(
        "partition \"q\": there are columns \"A\" and \"a\"",
        Stored.json("p", lower),
        Stored.json("q", stored.text("c.json", "{\"A\": 1, \"a\": 2}")));
  }

  @Test
  void numbersBehindNamesAreOrdinaryNames() throws Exception {
    Path csv = stored.text("a.csv", "a,A_1,a_2\n1,2,3\n");
    Path json = stored.text("a.json", "{\"a\": 1, \"A_1\": 2, \"a_2\": 3}");
    Path parquet =
        stored.parquet(
            "a.parquet", "SELECT 1::BIGINT AS a, 2::BIGINT AS \"A_1\", 3::BIGINT AS a_2");
    try (DuckDbCatalog catalog =
        Stored.open(Stored.csv("1", csv), Stored.json("2", json), Stored.parquet("3", parquet))) {
      assertEquals(List.of("1|2|3", "1|2|3", "1|2|3"), rows(catalog));
    }
  }

  @Test
  void twinsThatDuckDbCanTellApartAreRefusedForSpark() throws Exception {
    refused(
        "table \"t\": it has columns \"é\" and \"É\"",
        Stored.csv("p", stored.text("a.csv", "é,É\n1,2\n")));
  }

  private Path renamed(String select, String name, String newName) throws Exception {
    Path file = stored.parquet("twins.parquet", select);
    String bytes = Files.readString(file, StandardCharsets.ISO_8859_1);
    return Files.writeString(file, bytes.replace(name, newName), StandardCharsets.ISO_8859_1);
  }

  private static List<String> rows(DuckDbCatalog catalog) throws Exception {
    StringBuilder all = new StringBuilder();
    for (ServedPartition partition : catalog.table("t").partitions()) {
      all.append(all.isEmpty() ? "" : " UNION ALL ").append(partition.rowsSql(Optional.empty()));
    }
    return Stored.rows(catalog, all.toString());
  }

  private static void refused(String message, PartitionDefinition... partitions) {
    CatalogException e = assertThrows(CatalogException.class, () -> Stored.open(partitions));
    assertTrue(e.getMessage().contains(message), e.getMessage());
    assertEquals(CatalogException.Kind.DATA, e.kind());
  }
}
