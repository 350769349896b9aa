package io.tally.server.table;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.google.protobuf.ByteString;
import io.tally.rpc.v1.ColumnBounds;
import io.tally.rpc.v1.DataType;
import io.tally.rpc.v1.Literal;
import java.math.BigInteger;
import java.nio.file.Path;
import java.time.Instant;
import java.time.LocalDate;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class BoundsTest {
  @TempDir Path folder;

  @Test
  void everyComparableTypeHasBoundsInItsWireType() throws Exception {
    Map<String, ColumnBounds> bounds =
        bounds(
            """
            SELECT * FROM (VALUES
              (false, -5::TINYINT, 200::UTINYINT, -3000000000, 18446744073709551615::UBIGINT,
               -1.25::DECIMAL(5,2), 'b', DATE '1969-12-31', TIMESTAMP '2020-01-01 00:00:00.000001',
               TIMESTAMPTZ '1969-12-31 23:59:59.5+00', 'z'::ENUM('z', 'a')),
              (true, 7, 3, 5, 0, 300.5, 'äb', DATE '2020-02-29', TIMESTAMP '1960-01-01',
               TIMESTAMPTZ '2020-01-01 01:00:00+01', 'a'))
            t(bool, tiny, utiny, big, ubig, dec, str, day, ntz, tz, en)
            """);
    check(
        bounds,
        "bool",
        literal(DataType.Kind.BOOLEAN).setBoolean(false),
        literal(DataType.Kind.BOOLEAN).setBoolean(true));
    check(bounds, "tiny", integer(DataType.Kind.TINYINT, -5), integer(DataType.Kind.TINYINT, 7));
    check(
        bounds, "utiny", integer(DataType.Kind.SMALLINT, 3), integer(DataType.Kind.SMALLINT, 200));
    check(
        bounds,
        "big",
        integer(DataType.Kind.BIGINT, -3_000_000_000L),
        integer(DataType.Kind.BIGINT, 5));
    check(bounds, "ubig", decimal(20, 0, "0"), decimal(20, 0, "18446744073709551615"));
    check(bounds, "dec", decimal(5, 2, "-125"), decimal(5, 2, "30050"));
    check(
        bounds,
        "str",
        literal(DataType.Kind.STRING).setString("b"),
        literal(DataType.Kind.STRING).setString("äb"));
    check(
        bounds,
        "day",
        integer(DataType.Kind.DATE, -1),
        integer(DataType.Kind.DATE, LocalDate.of(2020, 2, 29).toEpochDay()));
    check(
        bounds,
        "ntz",
        integer(DataType.Kind.TIMESTAMP_NTZ, micros("1960-01-01T00:00:00Z")),
        integer(DataType.Kind.TIMESTAMP_NTZ, micros("2020-01-01T00:00:00Z") + 1));
    check(
        bounds,
        "tz",
        integer(DataType.Kind.TIMESTAMP, -500_000),
        integer(DataType.Kind.TIMESTAMP, micros("2020-01-01T00:00:00Z")));
    // As strings compare, not as the ENUM lists its values.
    check(
        bounds,
        "en",
        literal(DataType.Kind.STRING).setString("a"),
        literal(DataType.Kind.STRING).setString("z"));
  }

  @Test
  void whatCannotBeBoundedSaysOnlyWhetherThereAreNulls() throws Exception {
    Map<String, ColumnBounds> bounds =
        bounds(
            """
            SELECT * FROM (VALUES
              (1.5::DOUBLE, 'a', [1], 'infinity'::DATE, '-infinity'::TIMESTAMPTZ, 'x'::BLOB),
              (NULL, repeat('ä', 33), [2], DATE '2020-01-01', TIMESTAMPTZ '2020-01-01', 'y'::BLOB))
            t(dbl, str, list, day, tz, bin)
            """);
    assertTrue(bounds.get("dbl").getMayContainNull());
    for (String column : List.of("str", "list", "day", "tz", "bin")) {
      assertFalse(bounds.get(column).getMayContainNull(), column);
    }
    bounds.values().forEach(b -> assertFalse(b.getAllNull()));
    for (String column : List.of("dbl", "list", "bin")) {
      assertFalse(bounds.get(column).hasLower() || bounds.get(column).hasUpper(), column);
    }
    assertEquals("a", bounds.get("str").getLower().getString());
    assertFalse(bounds.get("str").hasUpper(), "66 bytes are too long");
    assertTrue(bounds.get("day").hasLower());
    assertFalse(bounds.get("day").hasUpper(), "infinity has no number of days");
    assertFalse(bounds.get("tz").hasLower());
    assertTrue(bounds.get("tz").hasUpper());
  }

  @Test
  void noValuesMeansAllNull() throws Exception {
    for (String select : List.of("SELECT NULL::INTEGER AS i", "SELECT 1 AS i WHERE false")) {
      ColumnBounds bounds = bounds(select).get("i");
      assertTrue(bounds.getAllNull());
      assertFalse(bounds.hasLower() || bounds.hasUpper());
    }
    assertTrue(bounds("SELECT NULL::INTEGER AS i").get("i").getMayContainNull());
    assertFalse(bounds("SELECT 1 AS i WHERE false").get("i").getMayContainNull());
  }

  @Test
  void withoutStatisticsOnlyRowsAndTheDeclaredColumnAreKnown() throws Exception {
    Stored stored = new Stored(folder);
    PartitionDefinition partition =
        Stored.declared(
            Stored.parquet("p", stored.parquet("a.parquet", "SELECT i, i AS j FROM range(9) t(i)")),
            new PartitionDeclaration.Range(Optional.of("0"), Optional.of("10")));
    for (Optional<String> column : List.of(Optional.<String>empty(), Optional.of("i"))) {
      TableDefinition definition =
          new TableDefinition("t", List.of(), column, false, Map.of(), List.of(partition));
      try (DuckDbCatalog catalog = Stored.open(definition)) {
        ServedPartition served = catalog.table("t").partitions().get(0);
        assertEquals(9, served.rows());
        assertEquals(
            column.stream().toList(),
            served.bounds().stream().map(ColumnBounds::getColumn).toList());
        assertEquals(column.stream().toList(), served.partitioningColumns());
      }
    }
  }

  private Map<String, ColumnBounds> bounds(String select) throws Exception {
    Path file = new Stored(folder).database("d.duckdb", "CREATE OR REPLACE TABLE t AS " + select);
    try (DuckDbCatalog catalog = Stored.open(Stored.database("p", file))) {
      return catalog.table("t").partitions().get(0).bounds().stream()
          .collect(Collectors.toMap(ColumnBounds::getColumn, Function.identity()));
    }
  }

  private static void check(
      Map<String, ColumnBounds> bounds,
      String column,
      Literal.Builder lower,
      Literal.Builder upper) {
    assertEquals(lower.build(), bounds.get(column).getLower(), column);
    assertEquals(upper.build(), bounds.get(column).getUpper(), column);
    assertFalse(bounds.get(column).getMayContainNull(), column);
  }

  private static Literal.Builder literal(DataType.Kind kind) {
    return Literal.newBuilder().setType(DataType.newBuilder().setKind(kind));
  }

  private static Literal.Builder integer(DataType.Kind kind, long value) {
    return literal(kind).setInteger(value);
  }

  private static Literal.Builder decimal(int precision, int scale, String unscaled) {
    return Literal.newBuilder()
        .setType(
            DataType.newBuilder()
                .setKind(DataType.Kind.DECIMAL)
                .setPrecision(precision)
                .setScale(scale))
        .setUnscaled(ByteString.copyFrom(new BigInteger(unscaled).toByteArray()));
  }

  private static long micros(String instant) {
    return Instant.parse(instant).getEpochSecond() * 1_000_000;
  }
}
