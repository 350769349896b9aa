package io.tally.server.table;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.tally.rpc.SqlTypeName;
import java.nio.file.Path;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import org.apache.arrow.vector.types.pojo.Field;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What Spark notes in a Parquet file decides what its columns are. */
class SparkParquetSchemaTest {
  private static final String FIELD =
      "{\"name\":\"%s\",\"type\":%s,\"nullable\":true,\"metadata\":{%s}}";

  @TempDir Path folder;

  @Test
  void integersAreIntervalsIfSparkSaysSo() throws Exception {
    Path file =
        file(
            "a.parquet",
            "SELECT 14 AS ym, 5::BIGINT AS ds, [1] AS l, {'d': 1::BIGINT, 'i': 1} AS s,"
                + " MAP {'k': 1} AS m, 'x' AS t, 7 AS i",
            field("ym", "\"interval year to month\"", ""),
            field("ds", "\"interval hour to second\"", ""),
            field("l", "{\"type\":\"array\",\"elementType\":\"interval month\"}", ""),
            field(
                "s",
                "{\"type\":\"struct\",\"fields\":["
                    + field("i", "\"integer\"", "")
                    + ","
                    + field("d", "\"interval day\"", "")
                    + "]}",
                ""),
            field(
                "m",
                "{\"type\":\"map\",\"keyType\":\"string\",\"valueType\":\"interval year\"}",
                ""),
            field("t", "\"interval year\"", ""));
    assertEquals(
        List.of(
            "ym: Interval(YEAR_MONTH) interval year to month",
            "ds: Duration(MICROSECOND) interval hour to second",
            "l: List",
            "l: Interval(YEAR_MONTH) interval month",
            "s: Struct",
            "d: Duration(MICROSECOND) interval day",
            "i: Int(32, true)",
            "m: Map(false)",
            "entries: Struct",
            "key: Utf8",
            "value: Interval(YEAR_MONTH) interval year",
            "t: Utf8",
            "i: Int(32, true)"),
        served(Stored.parquet("p", file)));
  }

  @Test
  void stringsHaveLengthsAndCollations() throws Exception {
    Path file =
        file(
            "a.parquet",
            "SELECT 'x' AS c, ['x'] AS v, 'x' AS ci, ['x'] AS l, {'f': 'x'} AS s",
            field("c", "\"string\"", "\"__CHAR_VARCHAR_TYPE_STRING\":\"char(3)\""),
            field(
                "v",
                "{\"type\":\"array\",\"elementType\":\"string\"}",
                "\"__CHAR_VARCHAR_TYPE_STRING\":\"array<varchar(7)>\""),
            field("ci", "\"string\"", "\"__COLLATIONS\":{\"ci\":\"icu.UNICODE_CI\"}"),
            field(
                "l",
                "{\"type\":\"array\",\"elementType\":\"string\"}",
                "\"__COLLATIONS\":{\"l.element\":\"spark.UTF8_LCASE\"}"),
            field(
                "s",
                "{\"type\":\"struct\",\"fields\":["
                    + field("f", "\"string\"", "\"__COLLATIONS\":{\"f\":\"icu.UNICODE\"}")
                    + "]}",
                ""));
    assertEquals(
        List.of(
            "c: Utf8 char(3)",
            "v: List array<varchar(7)>",
            "l: Utf8",
            "ci: Utf8 string collate UNICODE_CI",
            "l: List",
            "l: Utf8 string collate UTF8_LCASE",
            "s: Struct",
            "f: Utf8 string collate UNICODE"),
        served(Stored.parquet("p", file)));
  }

  @Test
  void partitionsHaveToAgree() throws Exception {
    Path interval =
        file("a.parquet", "SELECT 1 AS c", field("c", "\"interval year to month\"", ""));
    Path integer = new Stored(folder).parquet("b.parquet", "SELECT 1 AS c");
    CatalogException e =
        assertThrows(
            CatalogException.class,
            () -> Stored.open(Stored.parquet("p", interval), Stored.parquet("q", integer)).close());
    assertTrue(e.getMessage().contains("interval year to month"), e::getMessage);
    assertTrue(e.getMessage().contains("partition \"q\""), e::getMessage);
  }

  @Test
  void lengthsOfVarcharNeedNotAgree() throws Exception {
    Path five = varchar("a.parquet", "varchar(5)");
    Path six = varchar("b.parquet", "varchar(6)");
    Path none = new Stored(folder).parquet("c.parquet", "SELECT 'x' AS c");
    assertEquals(
        List.of("c: Utf8 varchar(5)"),
        served(Stored.parquet("p", five), Stored.parquet("q", five)));
    assertEquals(List.of("c: Utf8"), served(Stored.parquet("p", five), Stored.parquet("q", six)));
    assertEquals(List.of("c: Utf8"), served(Stored.parquet("p", five, none)));
  }

  @Test
  void whatIsNoSchemaIsNotUsed() throws Exception {
    Path file = folder.resolve("a.parquet");
    write(file, "SELECT 1 AS c", "StructType(StructField(c,");
    assertEquals(List.of("c: Int(32, true)"), served(Stored.parquet("p", file)));
  }

  private Path varchar(String name, String type) throws SQLException {
    String metadata = "\"__CHAR_VARCHAR_TYPE_STRING\":\"" + type + "\"";
    return file(name, "SELECT 'x' AS c", field("c", "\"string\"", metadata));
  }

  private static String field(String name, String type, String metadata) {
    return FIELD.formatted(name, type, metadata);
  }

  private Path file(String name, String select, String... fields) throws SQLException {
    Path file = folder.resolve(name);
    write(file, select, "{\"type\":\"struct\",\"fields\":[" + String.join(",", fields) + "]}");
    return file;
  }

  private void write(Path file, String select, String schema) throws SQLException {
    new Stored(folder)
        .sql(
            "COPY ("
                + select
                + ") TO "
                + SqlText.path(file)
                + " (FORMAT parquet, KV_METADATA {'org.apache.spark.sql.parquet.row.metadata': "
                + SqlText.text(schema)
                + "})");
  }

  /** The fields, each before those inside it, with their names of types. */
  private static List<String> served(PartitionDefinition... partitions) throws Exception {
    try (DuckDbCatalog catalog = Stored.open(partitions)) {
      return catalog.table("t").columns().stream()
          .flatMap(column -> shown(column.field()).stream())
          .toList();
    }
  }

  private static List<String> shown(Field field) {
    List<String> shown = new ArrayList<>();
    shown.add(
        field.getName()
            + ": "
            + field.getType()
            + SqlTypeName.of(field.getMetadata()).map(name -> " " + name.text()).orElse(""));
    field.getChildren().forEach(child -> shown.addAll(shown(child)));
    return shown;
  }
}
