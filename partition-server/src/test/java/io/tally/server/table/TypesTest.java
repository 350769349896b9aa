package io.tally.server.table;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.tally.rpc.SqlTypeName;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.List;
import java.util.Optional;
import org.apache.arrow.memory.BufferAllocator;
import org.apache.arrow.memory.RootAllocator;
import org.apache.arrow.vector.ipc.ArrowReader;
import org.apache.arrow.vector.types.pojo.Field;
import org.duckdb.DuckDBConnection;
import org.duckdb.DuckDBResultSet;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Which types are sent as what, on one stored value of each. */
class TypesTest {
  @TempDir Path folder;

  @ParameterizedTest
  @CsvSource(
      delimiter = ';',
      quoteCharacter = '~',
      value = {
        "true; Bool; true",
        "1::TINYINT; Int(8, true); 1",
        "1::SMALLINT; Int(16, true); 1",
        "1::INTEGER; Int(32, true); 1",
        "1::BIGINT; Int(64, true); 1",
        "255::UTINYINT; Int(16, true); 255",
        "65535::USMALLINT; Int(32, true); 65535",
        "4294967295::UINTEGER; Int(64, true); 4294967295",
        "18446744073709551615::UBIGINT; Decimal(20, 0, 128); 18446744073709551615",
        "1.5::FLOAT; FloatingPoint(SINGLE); 1.5",
        "1.5::DOUBLE; FloatingPoint(DOUBLE); 1.5",
        "1.5::DECIMAL(4,1); Decimal(4, 1, 128); 1.5",
        "1.5::DECIMAL(38,10); Decimal(38, 10, 128); 1.5000000000",
        "'ü'; Utf8; ü",
        "'\\x00\\xFF'::BLOB; Binary; \\x00\\xFF",
        "DATE '0001-12-31'; Date(DAY); 0001-12-31",
        "TIME '10:00:00.000001'; Time(NANOSECOND, 64); 10:00:00.000001",
        "TIMESTAMP '2020-01-01 00:00:00.000001'; Timestamp(MICROSECOND, null); 2020-01-01 00:00:00.000001",
        "TIMESTAMPTZ '2020-01-01 02:00:00+02'; Timestamp(MICROSECOND, UTC); 2020-01-01 00:00:00+00",
        "TIMESTAMP_S '2020-01-01 00:00:01'; Timestamp(MICROSECOND, null); 2020-01-01 00:00:01",
        "TIMESTAMP_MS '2020-01-01 00:00:00.001'; Timestamp(MICROSECOND, null); 2020-01-01 00:00:00.001",
        "'b'::ENUM('a', 'b'); Utf8; b",
        "'12345678-1234-1234-1234-123456789abc'::UUID; Utf8; 12345678-1234-1234-1234-123456789abc",
        "'{\"a\": 1}'::JSON; Utf8; {\"a\": 1}",
        "[1, 2]; List; [1, 2]",
        "[1, 2]::INTEGER[2]; List; [1, 2]",
        "[[255]]::UTINYINT[][1]; List; [[255]]",
        "{'a': 1, 'b c': 'x'}; Struct; {'a': 1, 'b c': x}",
        "{'d\"e': 'a'::ENUM('a')}; Struct; {'d\"e': a}",
        "MAP {'a': 1}; Map(false); {a=1}",
        "MAP {'a': 1::UINTEGER}; Map(false); {a=1}",
      })
  void isSentWithoutLoss(String stored, String arrowType, String value) throws Exception {
    Path file = database("SELECT " + stored + " AS v UNION ALL SELECT NULL");
    try (DuckDbCatalog catalog = Stored.open(Stored.database("p", file))) {
      ServedTable table = catalog.table("t");
      assertEquals(List.of(), table.unservedColumns());
      Field field = table.columns().get(0).field();
      assertEquals(arrowType, field.getType().toString());
      assertEquals(List.of(field), exported(catalog, table));
      String sql = table.partitions().get(0).rowsSql(Optional.empty());
      String column = table.columns().get(0).valueSql();
      assertEquals(
          List.of(value, "null"),
          Stored.rows(catalog, "SELECT CAST(" + column + " AS VARCHAR) FROM (" + sql + ")"));
    }
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = ';',
      quoteCharacter = '~',
      value = {
        "1::HUGEINT; HUGEINT",
        "1::UHUGEINT; UHUGEINT",
        "1::BIGNUM; BIGNUM",
        "TIMESTAMP_NS '2020-01-01 00:00:00.000000001'; TIMESTAMP_NS",
        "'10:00:00'::TIME_NS; TIME_NS",
        "TIMETZ '10:00:00+02'; TIME WITH TIME ZONE",
        "INTERVAL 1 DAY; INTERVAL",
        "'101'::BIT; BIT",
        "union_value(x := 1); UNION(x INTEGER)",
        "[1::HUGEINT]; HUGEINT[]",
        "{'a': 1, 'b': INTERVAL 1 DAY}; STRUCT(a INTEGER, b INTERVAL)",
        "MAP {'a': '1'::BIT}; MAP(VARCHAR, BIT)",
      })
  void isNotSentButSaidWhy(String stored, String nativeType) throws Exception {
    Path file = database("SELECT 1 AS kept, " + stored + " AS v");
    try (DuckDbCatalog catalog = Stored.open(Stored.database("p", file))) {
      ServedTable table = catalog.table("t");
      assertEquals(List.of("kept"), table.columns().stream().map(ServedColumn::name).toList());
      UnservedColumn unserved = table.unservedColumns().get(0);
      assertEquals("v", unserved.name());
      assertEquals(DuckTypeParser.parse(nativeType), DuckTypeParser.parse(unserved.nativeType()));
      assertTrue(unserved.reason().contains("store the column as another type"));
      assertEquals(
          table.columns().stream().map(ServedColumn::field).toList(), exported(catalog, table));
    }
  }

  @Test
  void theEndOfADayIsNotSent() throws Exception {
    for (String stored : new String[] {"TIME '24:00:00'", "[TIME '24:00:00']"}) {
      Path file =
          new Stored(folder)
              .database(
                  "e.duckdb", "CREATE OR REPLACE TABLE t AS SELECT 1 AS kept, " + stored + " AS v");
      try (DuckDbCatalog catalog = Stored.open(Stored.database("p", file))) {
        UnservedColumn unserved = catalog.table("t").unservedColumns().get(0);
        assertTrue(unserved.reason().contains("24:00:00"), unserved::reason);
      }
    }
  }

  @Test
  void variantsAreSentInTheEncodingOfParquet() throws Exception {
    Path file = database("SELECT {'a': 1}::VARIANT AS v UNION ALL SELECT NULL");
    try (DuckDbCatalog catalog = Stored.open(Stored.database("p", file))) {
      ServedTable table = catalog.table("t");
      Field field = table.columns().get(0).field();
      assertEquals(Optional.of(SqlTypeName.VARIANT), SqlTypeName.of(field.getMetadata()));
      assertEquals(
          List.of("value", "metadata"), field.getChildren().stream().map(Field::getName).toList());
      assertEquals(
          List.of("1|1"),
          Stored.rows(
              catalog,
              "SELECT count(*) FILTER (v IS NULL), count(v.metadata) FROM ("
                  + table.partitions().get(0).rowsSql(Optional.empty())
                  + ")"));
    }
  }

  /** The file was written by Spark 4.2.0 with its defaults, session time zone UTC. */
  @Test
  void timestampsOfSparksParquetFilesAreInstants() throws Exception {
    Path file = folder.resolve("spark.parquet");
    try (InputStream resource = TypesTest.class.getResourceAsStream("spark-int96.parquet")) {
      Files.copy(resource, file);
    }
    try (DuckDbCatalog catalog = Stored.open(Stored.parquet("p", file))) {
      ServedTable table = catalog.table("t");
      assertEquals(
          List.of(
              "instant: Timestamp(MICROSECOND, UTC)",
              "local: Timestamp(MICROSECOND, null)",
              "in_map: Map(false)<entries: Struct<key: Utf8 not null, value:"
                  + " Timestamp(MICROSECOND, UTC)> not null>",
              "in_struct: Struct<local: Timestamp(MICROSECOND, null), instant:"
                  + " Timestamp(MICROSECOND, UTC)>",
              "in_list: List<l: Timestamp(MICROSECOND, UTC)>"),
          table.columns().stream().map(column -> column.field().toString()).toList());
      assertEquals(
          List.of(
              "2020-01-01 00:00:00.123456+00|2020-01-01 00:00:00|{a='1960-01-01 00:00:00+00'}|"
                  + "{'local': '2020-01-02 00:00:00', 'instant': '2020-01-03 00:00:00+00'}|"
                  + "['2020-01-04 00:00:00+00']"),
          Stored.rows(
              catalog,
              "SELECT COLUMNS(*)::VARCHAR FROM ("
                  + table.partitions().get(0).rowsSql(Optional.empty())
                  + ")"));
    }
  }

  @Test
  void columnNamesMayBeAnything() throws Exception {
    List<String> names = List.of("a.b", "c\"d", "e f", "é日本", "it's", "SELECT", "", "rowid2");
    StringBuilder select = new StringBuilder("SELECT ");
    for (int i = 0; i < names.size(); i++) {
      select.append(i == 0 ? "" : ", ").append(i).append(" AS ");
      select.append(SqlText.identifier(names.get(i).isEmpty() ? "x" : names.get(i)));
    }
    Stored stored = new Stored(folder);
    Path parquet = stored.parquet("p.parquet", select.toString());
    Path database = database(select.toString());
    try (DuckDbCatalog catalog =
        Stored.open(Stored.parquet("p", parquet), Stored.database("d", database))) {
      ServedTable table = catalog.table("t");
      assertEquals(
          names.stream().map(name -> name.isEmpty() ? "x" : name).toList(),
          table.columns().stream().map(ServedColumn::name).toList());
      for (ServedPartition partition : table.partitions()) {
        assertEquals(
            List.of("0|1|2|3|4|5|6|7"), Stored.rows(catalog, partition.rowsSql(Optional.empty())));
      }
    }
  }

  private Path database(String select) throws SQLException {
    return new Stored(folder).database("d.duckdb", "CREATE TABLE t AS " + select);
  }

  private static List<Field> exported(DuckDbCatalog catalog, ServedTable table)
      throws SQLException, IOException {
    String sql = table.partitions().get(0).rowsSql(Optional.empty());
    try (DuckDBConnection connection = catalog.connect();
        Statement statement = connection.createStatement();
        ResultSet rows = statement.executeQuery(sql);
        BufferAllocator allocator = new RootAllocator();
        ArrowReader reader =
            (ArrowReader) rows.unwrap(DuckDBResultSet.class).arrowExportStream(allocator, 10)) {
      assertTrue(reader.loadNextBatch());
      return List.copyOf(reader.getVectorSchemaRoot().getSchema().getFields());
    }
  }
}
