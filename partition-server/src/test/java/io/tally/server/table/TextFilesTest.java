package io.tally.server.table;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** CSV and JSON: what is guessed once for the table holds for every file and every scan. */
class TextFilesTest {
  @TempDir Path folder;
  private Stored stored;

  @BeforeEach
  void setUp() {
    stored = new Stored(folder);
  }

  @Test
  void csvFilesMayDifferInWritingAndOrderOfColumns() throws Exception {
    Path comma = stored.text("a.csv", "id,name,day\n1,\"x, \"\"y\"\"\",2020-01-02\n2,,\n");
    Path semicolon = stored.text("b.csv", "day;id;name\r\n2020-01-03;3;z\r\n");
    try (DuckDbCatalog catalog = Stored.open(Stored.csv("p", comma, semicolon))) {
      assertEquals(List.of("id BIGINT", "name VARCHAR", "day DATE"), columns(catalog));
      assertEquals(
          List.of("1|x, \"y\"|2020-01-02", "2|null|null", "3|z|2020-01-03"), rows(catalog, "p"));
    }
  }

  @Test
  void csvTypesAreThoseThatAllPartitionsFit() throws Exception {
    Path whole = stored.text("a.csv", "n,code,day,none\n1,7,2020-01-01,\n");
    Path other = stored.text("b.csv", "n,code,day,none\n1.5,A7,x,5\n");
    Path headerOnly = stored.text("c.csv", "n,code,day,none\n");
    try (DuckDbCatalog catalog =
        Stored.open(Stored.csv("a", whole), Stored.csv("b", other), Stored.csv("c", headerOnly))) {
      assertEquals(
          List.of("n DOUBLE", "code VARCHAR", "day VARCHAR", "none BIGINT"), columns(catalog));
      assertEquals(List.of("1.0|7|2020-01-01|null"), rows(catalog, "a"));
      assertEquals(List.of("1.5|A7|x|5"), rows(catalog, "b"));
      assertEquals(List.of(), rows(catalog, "c"));
      assertEquals(0, catalog.table("t").partitions().get(2).rows());
    }
  }

  @Test
  void aLateRowCountsForTheTypeToo() throws Exception {
    StringBuilder content = new StringBuilder("n,s\n");
    for (int i = 0; i < 50_000; i++) {
      content.append(i).append(",x\n");
    }
    Path file = stored.text("a.csv", content + "none,\"y, \"\"z\"\"\"\n");
    try (DuckDbCatalog catalog = Stored.open(Stored.csv("p", file))) {
      assertEquals(List.of("n VARCHAR", "s VARCHAR"), columns(catalog));
      assertEquals(50_001, catalog.table("t").partitions().get(0).rows());
    }
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "id,name,day\n1,a,2020-01-02\n2,b",
        "id,name\n1,a\n2",
        "id,name\n1,\"a\"\n2,\"b, c\"\n3",
        "id,name\n1,\"a\"\n2,\"b, c",
        "id,name\n1,a\n2,b\n3,c,d\n",
        "id;name\n1;a\n2",
        "written yesterday\nid,name\n1,a\n2,b\n"
      })
  void csvWithRowsOfDifferentLengthIsRefused(String content) throws Exception {
    Path file = stored.text("a.csv", content);
    CatalogException e =
        assertThrows(CatalogException.class, () -> Stored.open(Stored.csv("p", file)));
    assertTrue(e.getMessage().contains("a.csv"), e.getMessage());
    assertTrue(e.getMessage().contains("fewer or more values"), e.getMessage());
  }

  @ParameterizedTest
  @ValueSource(strings = {"\"a,b\"\n1\n2\n", "\"a,b\"\n\"x,y\"\n\"z\"\n", "word\nx,y\nz\n"})
  void csvOfOneColumnIsServed(String content) throws Exception {
    Path file = stored.text("a.csv", content);
    try (DuckDbCatalog catalog = Stored.open(Stored.csv("p", file))) {
      assertEquals(2, catalog.table("t").partitions().get(0).rows());
    }
  }

  @Test
  void theOperatorMayFixTypes() throws Exception {
    Path csv = stored.text("a.csv", "zip,price\n00123,1.10\n");
    Path json = stored.text("a.json", "{\"zip\": 12345, \"price\": 2}");
    try (DuckDbCatalog catalog =
        Stored.open(
            typed(
                Map.of("zip", "text", "price", "decimal(9, 2)"),
                Stored.csv("c", csv),
                Stored.json("j", json)))) {
      assertEquals(List.of("zip VARCHAR", "price DECIMAL(9,2)"), columns(catalog));
      assertEquals(List.of("00123|1.10"), rows(catalog, "c"));
      assertEquals(List.of("12345|2.00"), rows(catalog, "j"));
    }
  }

  @Test
  void fixedTypesThatCannotBeMeantAreMistakes() throws Exception {
    Path csv = stored.text("a.csv", "zip,n\n00123,x\n");
    mistake(
        CatalogException.Kind.CONFIGURATION,
        "column-types gives \"zip\" the type TEXTS, which DuckDB does not know",
        typed(Map.of("zip", "TEXTS"), Stored.csv("c", csv)));
    mistake(
        CatalogException.Kind.CONFIGURATION,
        "did you mean \"zip\"?",
        typed(Map.of("zap", "VARCHAR"), Stored.csv("c", csv)));
    mistake(
        CatalogException.Kind.DATA,
        "partition \"c\": Conversion Error: CSV Error on Line: 2; Original Line: 00123,x; Error when"
            + " converting column \"n\". Could not convert string \"x\" to 'BIGINT' (file = "
            + csv,
        typed(Map.of("n", "BIGINT"), Stored.csv("c", csv)));
  }

  @Test
  void differentHeadersAreNamed() throws Exception {
    Path first = stored.text("a.csv", "id,name\n1,x\n");
    Path second = stored.text("b.csv", "id,names\n1,x\n");
    mistake(
        CatalogException.Kind.DATA,
        "column \"name\" is in " + first + ", but not in " + second + " (which has \"names\")",
        Stored.table(Stored.csv("a", first), Stored.csv("b", second)));
  }

  @Test
  void jsonHasTheKeysOfAllFiles() throws Exception {
    Path lines = stored.text("a.json", "{\"a\": 1, \"b\": {\"c\": [1]}}\n{\"a\": 2.5}\n");
    Path array = stored.text("b.json", "[{\"a\": 3, \"d\": \"x\"}]");
    try (DuckDbCatalog catalog = Stored.open(Stored.json("l", lines), Stored.json("r", array))) {
      assertEquals(List.of("a DOUBLE", "b STRUCT(c BIGINT[])", "d VARCHAR"), columns(catalog));
      assertEquals(List.of("1.0|{'c': [1]}|null", "2.5|null|null"), rows(catalog, "l"));
      assertEquals(List.of("3.0|null|x"), rows(catalog, "r"));
    }
  }

  @Test
  void jsonIntegersOfBothSignsAreBigintIfTheyFit() throws Exception {
    Path plus =
        stored.text("a.json", "{\"n\": 1, \"s\": {\"q\": [1]}, \"big\": 18446744073709551615}");
    Path minus =
        stored.text("b.json", "{\"n\": -1, \"s\": {\"q\": [-9223372036854775808]}, \"big\": -1}");
    try (DuckDbCatalog catalog = Stored.open(Stored.json("1", plus), Stored.json("2", minus))) {
      assertEquals(List.of("n BIGINT", "s STRUCT(q BIGINT[])"), columns(catalog));
      assertEquals(List.of("-1|{'q': [-9223372036854775808]}"), rows(catalog, "2"));
      assertEquals("HUGEINT", catalog.table("t").unservedColumns().get(0).nativeType());
    }
  }

  @Test
  void jsonKeysOfManyTypesAreSentAsText() throws Exception {
    Path file = stored.text("a.json", "{\"a\": 1}\n{\"a\": {\"b\": [true]}}\n");
    try (DuckDbCatalog catalog = Stored.open(Stored.json("p", file))) {
      assertEquals(List.of("a VARCHAR"), columns(catalog));
      assertEquals(List.of("1", "{\"b\":[true]}"), rows(catalog, "p"));
    }
  }

  @Test
  void jsonStringsAreTheirTextWhateverElseIsThere() throws Exception {
    Path number = stored.text("a.json", "{\"a\": 1, \"s\": {\"b\": [true]}, \"n\": null}");
    Path text = stored.text("b.json", "{\"a\": \"x\\ny\", \"s\": {\"b\": \"z\"}, \"n\": null}");
    try (DuckDbCatalog catalog = Stored.open(Stored.json("1", number), Stored.json("2", text))) {
      assertEquals(List.of("a VARCHAR", "s STRUCT(b VARCHAR)", "n VARCHAR"), columns(catalog));
      assertEquals(List.of("1|{'b': '[true]'}|null"), rows(catalog, "1"));
      assertEquals(List.of("x\ny|{'b': z}|null"), rows(catalog, "2"));
    }
  }

  @Test
  void jsonWithManyKeysHasManyColumns() throws Exception {
    StringBuilder record = new StringBuilder("{\"k0\": 0");
    for (int i = 1; i < 300; i++) {
      record.append(", \"k" + i + "\": " + i);
    }
    Path file = stored.text("a.json", record + "}\n" + record + "}\n");
    try (DuckDbCatalog catalog = Stored.open(Stored.json("p", file))) {
      assertEquals(300, columns(catalog).size());
      assertEquals(2, rows(catalog, "p").size());
    }
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "a,b\n1,2\n3,4,5\n4,5,6\n7,8,9\n",
        "title\na,b\n1,x\n2,y\n",
        "a,b\n1,2\n3\n4,5\n",
        "a,b\n1,2\n3,4,5\n4,5\n",
        "a;b\n1;2;3\n4;5;6\n"
      })
  void csvRowsOfDifferentLengthsAreRefused(String content) throws Exception {
    Path file = stored.text("a.csv", content);
    CatalogException e =
        assertThrows(CatalogException.class, () -> Stored.open(Stored.csv("p", file)));
    assertEquals(CatalogException.Kind.DATA, e.kind());
    assertTrue(e.getMessage().startsWith("table \"t\": partition \"p\": " + file), e.getMessage());
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "# made by a tool, today\n#\n\na,b\n1,x\n2,\"y\nz\"\n",
        "\n\na,b\n1,x\n2,\"y\nz\"\n",
        "\ufeffa,b\r\n1,x\r\n2,\"y\nz\"\r\n",
        "a|b\n1|x\n2|\"y\nz\""
      })
  void whatIsNoRowIsLeftOut(String content) throws Exception {
    try (DuckDbCatalog catalog = Stored.open(Stored.csv("p", stored.text("a.csv", content)))) {
      assertEquals(List.of("a BIGINT", "b VARCHAR"), columns(catalog));
      assertEquals(List.of("1|x", "2|y\nz"), rows(catalog, "p"));
    }
  }

  private void mistake(CatalogException.Kind kind, String message, TableDefinition table) {
    CatalogException e = assertThrows(CatalogException.class, () -> Stored.open(table));
    assertTrue(e.getMessage().contains(message), e.getMessage());
    assertEquals(kind, e.kind(), e.getMessage());
    assertEquals(1, e.getMessage().lines().count(), e.getMessage());
  }

  private static TableDefinition typed(
      Map<String, String> columnTypes, PartitionDefinition... partitions) {
    return new TableDefinition(
        "t", List.of(), Optional.empty(), true, columnTypes, List.of(partitions));
  }

  private static List<String> columns(DuckDbCatalog catalog) throws Exception {
    String sql = catalog.table("t").partitions().get(0).rowsSql(Optional.empty());
    return Stored.rows(
        catalog, "SELECT column_name || ' ' || column_type FROM (DESCRIBE " + sql + ")");
  }

  private static List<String> rows(DuckDbCatalog catalog, String id) throws Exception {
    ServedPartition partition =
        catalog.table("t").partitions().stream().filter(p -> p.id().equals(id)).findFirst().get();
    List<String> rows =
        Stored.rows(catalog, "FROM (" + partition.rowsSql(Optional.empty()) + ") ORDER BY ALL");
    assertEquals(partition.rows(), rows.size());
    return rows;
  }
}
