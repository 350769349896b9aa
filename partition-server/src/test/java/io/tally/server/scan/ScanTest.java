package io.tally.server.scan;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.tally.rpc.TallyException;
import io.tally.rpc.arrow.ScanFrame;
import io.tally.rpc.v1.AggregateCall;
import io.tally.rpc.v1.DataType;
import io.tally.rpc.v1.ErrorCode;
import io.tally.rpc.v1.Expression;
import io.tally.rpc.v1.Open;
import io.tally.rpc.v1.RowRange;
import io.tally.rpc.v1.Sample;
import io.tally.rpc.v1.ScanPartition;
import io.tally.rpc.v1.SortKey;
import io.tally.server.fixture.Wire;
import java.io.IOException;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CountDownLatch;
import java.util.stream.IntStream;
import java.util.stream.LongStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** Scans over DuckDB answer what was asked, fail typed, and give everything back. */
@Timeout(120)
class ScanTest {
  private static final String CROSS_JOIN =
      "(SELECT a.range AS x FROM range(100000000) a, range(100000000) b WHERE a.range + b.range > 5)";

  private final ScanRunner runner = new ScanRunner();

  @AfterEach
  void close() {
    runner.close();
  }

  @Test
  void yieldsRowsOfAllPartitions() {
    numbers("p0", 10);
    numbers("p1", 5);
    runner.catalog.serve("t", "p0", "p1");

    var answer = runner.run(Wire.open(runner.catalog, "t").addColumns("n"));

    List<Object> expected = new ArrayList<>();
    LongStream.range(0, 10).forEach(expected::add);
    LongStream.range(0, 5).forEach(expected::add);
    assertSameElements(expected, answer.rows().stream().map(row -> row.get(0)).toList());
    assertEquals(15, answer.end().getRowsScanned());
    assertEquals(15, answer.end().getRows());
    assertEquals(answer.batches().size(), answer.end().getBatches());
    assertEquals(
        answer.batches().stream().mapToLong(ScanRunner.Batch::bodyBytes).sum(),
        answer.end().getBodyBytes());
  }

  @Test
  void yieldsRangesOfOnePartition() {
    numbers("p", 1000);
    runner.catalog.serve("t", "p");
    Open.Builder open =
        Wire.open(runner.catalog, "t")
            .clearPartitions()
            .addPartitions(range("p", 10, 12))
            .addPartitions(range("p", 12, 13))
            .addPartitions(range("p", 999, 1000))
            .addColumns("n");

    var answer = runner.run(open);

    assertSameElements(
        List.of(10L, 11L, 12L, 999L), answer.rows().stream().map(row -> row.get(0)).toList());
    assertEquals(4, answer.end().getRowsScanned());
    assertTrue(runner.plan(open).applied().getRowRanges());
  }

  @Test
  void limitsRows() {
    numbers("p", 1000);
    runner.catalog.serve("t", "p");

    assertEquals(
        7, runner.run(Wire.open(runner.catalog, "t").addColumns("n").setLimit(7)).rows().size());
    assertEquals(
        0, runner.run(Wire.open(runner.catalog, "t").addColumns("n").setLimit(0)).rows().size());
    assertEquals(
        1000,
        runner
            .run(Wire.open(runner.catalog, "t").addColumns("n").setLimit(Long.MAX_VALUE))
            .rows()
            .size());
  }

  @Test
  void sortsByTheOrderOfTheProtocol() {
    runner.catalog.execute(
        "CREATE TABLE p AS SELECT * FROM (VALUES (1, 'b', 'NaN'::DOUBLE), (2, NULL, 0.0),"
            + " (3, 'Z', NULL), (4, 'é', -0.0), (5, 'a', '-Infinity'), (6, '', 'Infinity')) v(i, s, d)");
    runner.catalog.serve("t", "p");

    assertEquals(List.of(2, 6, 3, 5, 1, 4), sorted(key("s")));
    assertEquals(List.of(6, 3, 5, 1, 4, 2), sorted(key("s").setNullsLast(true)));
    assertEquals(List.of(2, 4, 1, 5, 3, 6), sorted(key("s").setDescending(true)));
    assertEquals(
        List.of(4, 1, 5, 3, 6, 2), sorted(key("s").setDescending(true).setNullsLast(true)));
    // NaN is largest; 0.0 and -0.0 are equal, so that the second key decides.
    assertEquals(List.of(3, 5, 2, 4, 6, 1), sorted(key("d"), key("i")));
    assertEquals(List.of(3, 5, 4, 2, 6, 1), sorted(key("d"), key("i").setDescending(true)));
    // A literal is no ordinal of a column.
    assertEquals(
        List.of(6, 5, 4, 3, 2, 1),
        sorted(SortKey.newBuilder().setExpression(Wire.integer(1)), key("i").setDescending(true)));
  }

  private List<Integer> sorted(SortKey.Builder... keys) {
    Open.Builder open = Wire.open(runner.catalog, "t").addColumns("i");
    Stream.of(keys).forEach(open::addOrderBy);
    assertTrue(runner.plan(open).applied().getOrder());
    return runner.run(open).rows().stream().map(row -> ((Number) row.get(0)).intValue()).toList();
  }

  private static SortKey.Builder key(String column) {
    return SortKey.newBuilder().setExpression(Wire.column(column));
  }

  @Test
  void sendsTheWindowOfTheOrderOverAllPartitions() {
    numbers("p0", 10);
    numbers("p1", 5);
    runner.catalog.serve("t", "p0", "p1");
    Open.Builder open =
        Wire.open(runner.catalog, "t")
            .addColumns("n")
            .addOrderBy(key("n").setDescending(true))
            .setOffset(4);

    assertEquals(
        List.of(List.of(5L), List.of(4L), List.of(4L)),
        runner.run(open.clone().setLimit(3)).rows());
    assertEquals(11, runner.run(open.clone()).rows().size());
    assertEquals(11, runner.run(open.clone().setLimit(Long.MAX_VALUE)).rows().size());
    assertEquals(0, runner.run(open.clone().setOffset(Long.MAX_VALUE)).rows().size());
    assertEquals(11, runner.run(open.clone().clearColumns()).end().getRows());
    assertEquals(2, runner.run(open.clone().clearColumns().setLimit(2)).end().getRows());
    assertEquals(0, runner.run(open.clone().clearColumns().setOffset(15)).end().getRows());
    assertTrue(runner.plan(open).applied().getOffset());
    assertFalse(runner.plan(open.clone().clearOffset()).applied().getOffset());
  }

  @Test
  void sortsAndCutsGroups() {
    numbers("p0", 10);
    numbers("p1", 5);
    runner.catalog.serve("t", "p0", "p1");
    Open.Builder open =
        Wire.open(runner.catalog, "t")
            .setAggregation(
                Wire.aggregation(List.of(Wire.column("n")), Wire.aggregate("count_all")))
            .addOrderBy(SortKey.newBuilder().setOutput(1).setDescending(true))
            .addOrderBy(SortKey.newBuilder().setOutput(0))
            .setOffset(3)
            .setLimit(3);

    assertEquals(
        List.of(List.of(3L, 2L), List.of(4L, 2L), List.of(5L, 1L)), runner.run(open).rows());
    Open.Builder one =
        Wire.open(runner.catalog, "t")
            .setPredicate(Wire.call("lt", Wire.column("n"), Wire.bigint(0)))
            .setAggregation(Wire.aggregation(List.of(), Wire.aggregate("count_all")))
            .setLimit(1);
    assertEquals(List.of(List.of(0L)), runner.run(one.clone()).rows());
    assertEquals(List.of(), runner.run(one.setOffset(1)).rows());
  }

  @Test
  void sendsTheIdOfThePartition() {
    runner.catalog.execute(
        "CREATE TABLE p AS SELECT 1 AS n, 'x' AS \"partition\", 0.5 AS \"position\"");
    runner.catalog.execute(
        "CREATE TABLE \"it's\" AS SELECT 2 AS n, 'y' AS \"partition\", 0.5 AS \"position\"");
    runner.catalog.serve("t", "p", "\"it's\"");
    Open.Builder open =
        Wire.open(runner.catalog, "t")
            .setPartitionColumn("_partition")
            .addOrderBy(key("partition"));

    assertEquals(List.of(List.of("p"), List.of("\"it's\"")), runner.run(open.clone()).rows());
    assertEquals(
        List.of(List.of("x", "p"), List.of("y", "\"it's\"")),
        runner
            .run(open.clone().addColumns("partition").setSample(Sample.newBuilder().setUpper(1)))
            .rows());
    assertTrue(runner.plan(open).applied().getPartitionColumn());
  }

  @Test
  void samplesByPositionAlone() throws Exception {
    numbers("p", 5000);
    numbers("q", 5000);
    runner.catalog.serve("t", "p", "q");
    Open.Builder open =
        Wire.open(runner.catalog, "t")
            .addColumns("n")
            .setSample(Sample.newBuilder().setLower(0.25).setUpper(0.5).setSeed(-7));

    List<Object> expected = new ArrayList<>(sampled("p", -7, 5000, 0.25, 0.5));
    expected.addAll(sampled("q", -7, 5000, 0.25, 0.5));
    assertSameElements(
        expected, runner.run(open.clone()).rows().stream().map(row -> row.get(0)).toList());
    assertTrue(runner.plan(open).applied().getSample());
    // Four standard deviations of 10,000 rows of which a quarter is chosen.
    assertEquals(2500, expected.size(), 4 * Math.sqrt(10_000 * 0.25 * 0.75));

    Open.Builder part = open.clone().clearPartitions().addPartitions(range("p", 1000, 3000));
    assertSameElements(
        expected.subList(0, sampled("p", -7, 5000, 0.25, 0.5).size()).stream()
            .filter(n -> (Long) n >= 1000 && (Long) n < 3000)
            .toList(),
        runner.run(part).rows().stream().map(row -> row.get(0)).toList());
    Open.Builder counted = open.clone().clearColumns();
    assertEquals(expected.size(), runner.run(counted).end().getRows());
    assertEquals(10_000, runner.run(counted).end().getRowsScanned());
  }

  /** The definition in partition_service.proto, in numbers of any size. */
  private static List<Long> sampled(
      String partition, long seed, long rows, double lower, double upper) throws Exception {
    MessageDigest digest = MessageDigest.getInstance("SHA-256");
    digest.update(ByteBuffer.allocate(8).putLong(seed).array());
    byte[] hash = digest.digest(partition.getBytes(StandardCharsets.UTF_8));
    BigInteger modulus = BigInteger.valueOf(2147483647);
    return LongStream.range(0, rows)
        .filter(
            row -> {
              BigInteger u = BigInteger.ZERO;
              for (int i = 0; i < 4; i++) {
                BigInteger c = new BigInteger(1, Arrays.copyOfRange(hash, 4 * i, 4 * i + 4));
                u = u.add(c.multiply(BigInteger.valueOf(row).pow(i)));
              }
              double share = u.mod(modulus).doubleValue() / modulus.doubleValue();
              return lower <= share && share < upper;
            })
        .boxed()
        .toList();
  }

  @Test
  void countsRowsWithoutColumns() {
    runner.catalog.serve("t", "range(3000000000)");

    var all = runner.run(Wire.open(runner.catalog, "t").setLimit(2_500_000));
    var some =
        runner.run(
            Wire.open(runner.catalog, "t")
                .setPredicate(Wire.call("lt", Wire.column("range"), Wire.bigint(3))));
    var none =
        runner.run(
            Wire.open(runner.catalog, "t")
                .setPredicate(Wire.call("lt", Wire.column("range"), Wire.bigint(0))));

    assertEquals(
        List.of(1L << 20, 1L << 20, 2_500_000 - (1L << 21)),
        all.batches().stream().map(ScanRunner.Batch::rows).toList());
    assertEquals(3_000_000_000L, all.end().getRowsScanned());
    assertEquals(3, some.end().getRows());
    assertEquals(0, none.end().getBatches());
  }

  @Test
  void quotesNames() {
    runner.catalog.execute(
        "CREATE TABLE p AS SELECT 1 AS \"a\"\"b\", 2 AS \"select\", 3 AS \"x y\", 4 AS \"Имя\", 5 AS \"a.b\", 6 AS \"k0\", 7 AS \"one\", 8 AS \"?\"");
    runner.catalog.serve("t", "p", "(SELECT * FROM p)");
    for (String name : List.of("a\"b", "select", "x y", "Имя", "a.b", "k0", "one", "?")) {
      var rows =
          runner.run(
              Wire.open(runner.catalog, "t")
                  .addColumns(name)
                  .setPredicate(Wire.call("gt", Wire.column(name), Wire.integer(0))));
      var groups =
          runner.run(
              Wire.open(runner.catalog, "t")
                  .setAggregation(
                      Wire.aggregation(
                          List.of(Wire.column(name)), Wire.aggregate("sum", Wire.column(name)))));

      assertEquals(name, rows.schema().getFields().get(0).getName());
      assertEquals(2, rows.rows().size());
      assertEquals(1, groups.rows().size());
    }
  }

  @Test
  void aggregatesWithTheTypesOfTheProtocol() {
    runner.catalog.execute(
        "CREATE TABLE p AS SELECT * FROM (VALUES"
            + " (1::TINYINT, 9223372036854775807, 1.1::FLOAT, 0.1::DOUBLE, 99.9::DECIMAL(3,1), 'x'),"
            + " (2::TINYINT, 9223372036854775807, 2.2::FLOAT, 0.2::DOUBLE, 99.9::DECIMAL(3,1), NULL))"
            + " v(t, l, f, d, m, s)");
    runner.catalog.serve("t", "p");

    var answer =
        runner.run(
            Wire.open(runner.catalog, "t")
                .setAggregation(
                    Wire.aggregation(
                        List.of(),
                        Wire.aggregate("count_all"),
                        Wire.aggregate("count", Wire.column("s")),
                        Wire.aggregate("sum", Wire.column("t")),
                        Wire.aggregate("sum", Wire.column("l")),
                        Wire.aggregate("sum", Wire.column("f")),
                        Wire.aggregate("sum", Wire.column("d")),
                        Wire.aggregate("sum", Wire.column("m")),
                        Wire.aggregate("min", Wire.column("m")),
                        Wire.aggregate("max", Wire.column("s")))));

    assertEquals(
        List.of(
            2L,
            1L,
            new BigDecimal("3"),
            new BigDecimal("18446744073709551614"),
            (double) 1.1f + (double) 2.2f,
            0.1 + 0.2,
            new BigDecimal("199.8"),
            new BigDecimal("99.9"),
            "x"),
        answer.rows().get(0));
    assertEquals(
        List.of(
            "Int(64, true)",
            "Int(64, true)",
            "Decimal(38, 0, 128)",
            "Decimal(38, 0, 128)",
            "FloatingPoint(DOUBLE)",
            "FloatingPoint(DOUBLE)",
            "Decimal(38, 1, 128)",
            "Decimal(3, 1, 128)",
            "Utf8"),
        answer.schema().getFields().stream().map(field -> field.getType().toString()).toList());
    assertEquals(
        List.of("a0", "a1", "a2", "a3", "a4", "a5", "a6", "a7", "a8"),
        answer.schema().getFields().stream().map(field -> field.getName()).toList());
  }

  @Test
  void computesStatisticsAsTheProtocolSays() {
    runner.catalog.execute(
        "CREATE TABLE p AS SELECT k, i, m::DECIMAL(8,2) AS m, s, d::DOUBLE AS d FROM (VALUES"
            + " (1, 10, 1.00, 'b', 2.5), (1, 20, 2.25, 'a', 1.5), (1, NULL, 4.50, 'b', NULL),"
            + " (1, 40, NULL, 'a', 4.0), (1, 40, 4.50, NULL, 2.0), (2, 7, 0.10, NULL, 3.0),"
            + " (3, NULL, NULL, NULL, NULL)) v(k, i, m, s, d)");
    runner.catalog.serve("t", "p");

    var answer =
        runner.run(
            Wire.open(runner.catalog, "t")
                .setAggregation(
                    Wire.aggregation(
                        List.of(Wire.column("k")),
                        percentile("percentile_cont", "i", 0.4, false),
                        percentile("percentile_cont", "m", 0.25, true),
                        percentile("percentile_disc", "i", 0.5, false),
                        percentile("percentile_disc", "i", 0.0, true),
                        Wire.aggregate("mode", Wire.column("s"), Wire.bool(false)),
                        Wire.aggregate("mode", Wire.column("m"), Wire.bool(true)),
                        Wire.aggregate("regr_slope", Wire.column("d"), Wire.column("d")),
                        Wire.aggregate("regr_r2", Wire.column("d"), Wire.column("d")),
                        Wire.aggregate("regr_sxy", Wire.column("d"), Wire.column("d"))))
                .addOrderBy(SortKey.newBuilder().setOutput(0)));

    double place = (4 - 1) * 0.4;
    assertEquals(
        Arrays.asList(
            1L,
            (2 - place) * 20 + (place - 1) * 40,
            4.5,
            20.0,
            40.0,
            "a",
            new BigDecimal("4.50"),
            1.0,
            1.0,
            3.5),
        answer.rows().get(0));
    assertEquals(
        Arrays.asList(2L, 7.0, 0.1, 7.0, 7.0, null, new BigDecimal("0.10"), null, null, 0.0),
        answer.rows().get(1));
    assertEquals(
        Arrays.asList(3L, null, null, null, null, null, null, null, null, null),
        answer.rows().get(2));
  }

  private static AggregateCall percentile(
      String function, String column, double fraction, boolean descending) {
    return Wire.aggregate(
        function, Wire.column(column), Wire.real(fraction), Wire.bool(descending));
  }

  @Test
  void answersOneRowWithoutKeysAndNoneWithKeysOverNothing() {
    numbers("p", 0);
    runner.catalog.serve("t", "p");
    var aggregates =
        Wire.aggregation(
            List.of(),
            Wire.aggregate("count_all"),
            Wire.aggregate("count", Wire.column("n")),
            Wire.aggregate("sum", Wire.column("n")),
            Wire.aggregate("min", Wire.column("n")));

    var whole = runner.run(Wire.open(runner.catalog, "t").setAggregation(aggregates));
    var keyed =
        runner.run(
            Wire.open(runner.catalog, "t")
                .setAggregation(aggregates.toBuilder().addGroupBy(Wire.integer(1))));

    assertEquals(List.of(Arrays.asList(0L, 0L, null, null)), whole.rows());
    assertEquals(List.of(), keyed.rows());
  }

  @Test
  void groupsByConstantsAndWithoutAggregates() {
    runner.catalog.execute("CREATE TABLE p AS SELECT range % 3 AS n FROM range(9)");
    runner.catalog.serve("t", "p");

    var constant =
        runner.run(
            Wire.open(runner.catalog, "t")
                .setAggregation(
                    Wire.aggregation(
                        List.of(
                            Wire.integer(2),
                            Wire.nullOf(Wire.type(DataType.Kind.STRING)),
                            Wire.string("k0")),
                        Wire.aggregate("count_all"))));
    var distinct =
        runner.run(
            Wire.open(runner.catalog, "t")
                .setAggregation(Wire.aggregation(List.of(Wire.column("n")))));

    assertEquals(List.of(Arrays.asList(2L, null, "k0", 9L)), constant.rows());
    assertSameElements(
        List.of(List.of(0L), List.of(1L), List.of(2L)), List.<Object>copyOf(distinct.rows()));
  }

  @Test
  void groupsNegativeZeroWithZeroAndNaNWithNaN() {
    runner.catalog.execute(
        "CREATE TABLE p AS SELECT unnest(['NaN', '-NaN', '-0.0', '0.0', NULL, NULL]::DOUBLE[]) AS d");
    runner.catalog.serve("t", "p");

    var answer =
        runner.run(
            Wire.open(runner.catalog, "t")
                .setAggregation(
                    Wire.aggregation(List.of(Wire.column("d")), Wire.aggregate("count_all"))));

    assertEquals(3, answer.rows().size());
    answer.rows().forEach(row -> assertEquals(2L, row.get(1)));
  }

  @ParameterizedTest
  @MethodSource("overflows")
  void reportsSumsThatDoNotFit(String rows, List<Expression> keys) {
    runner.catalog.serve("t", "(" + rows + ")");

    TallyException error =
        assertThrows(
            TallyException.class,
            () ->
                runner.run(
                    Wire.open(runner.catalog, "t")
                        .setAggregation(
                            Wire.aggregation(keys, Wire.aggregate("sum", Wire.column("x"))))));

    assertEquals(ErrorCode.ARITHMETIC_OVERFLOW, error.code(), error::getMessage);
    assertTrue(error.getMessage().contains("\"t\""), error::getMessage);
  }

  static Stream<Arguments> overflows() {
    String nines = "99999999999999999999999999999999999999::DECIMAL(38,0)";
    String sixties = "60000000000000000000000000000000000000::DECIMAL(38,0)";
    List<Expression> key = List.of(Wire.column("k"));
    return Stream.of(
        Arguments.of("SELECT " + nines + " AS x FROM range(2)", List.of()),
        Arguments.of("SELECT " + sixties + " AS x FROM range(2)", List.of()),
        Arguments.of("SELECT " + sixties + " AS x, range % 7 AS k FROM range(100)", key),
        Arguments.of("SELECT " + nines + " AS x, range % 7 AS k FROM range(100)", key));
  }

  @Test
  void takesAHundredThousandLiterals() {
    numbers("p", 1_000_000);
    runner.catalog.serve("t", "p");
    Expression[] candidates =
        Stream.concat(
                Stream.of(Wire.column("n")),
                IntStream.range(0, 100_000).mapToObj(i -> Wire.bigint(i * 5L)))
            .toArray(Expression[]::new);
    Expression[] equalities =
        IntStream.range(0, 3000)
            .mapToObj(i -> Wire.call("eq", Wire.column("n"), Wire.bigint(i * 5L)))
            .toArray(Expression[]::new);

    var in = runner.run(Wire.open(runner.catalog, "t").setPredicate(Wire.call("in", candidates)));
    var notIn =
        runner.run(
            Wire.open(runner.catalog, "t")
                .setPredicate(Wire.call("not", Wire.call("in", candidates))));
    var or = runner.run(Wire.open(runner.catalog, "t").setPredicate(Wire.call("or", equalities)));

    assertEquals(100_000, in.end().getRows());
    assertEquals(900_000, notIn.end().getRows());
    assertEquals(3000, or.end().getRows());
  }

  @Test
  void letsTheEngineSkipByBoundValues(@TempDir Path directory) throws SQLException {
    String file = "'" + directory.resolve("p.parquet") + "'";
    runner.catalog.execute(
        "COPY (SELECT range::INTEGER AS i, range::DOUBLE AS d, (range / 2)::DECIMAL(10,2) AS m,"
            + " 's' || range AS s, make_date(range::INTEGER) AS a, make_timestamptz(range) AS z,"
            + " make_timestamp(range) AS y FROM range(10000)) TO "
            + file
            + " (FORMAT parquet)");
    runner.catalog.serve("t", "read_parquet(" + file + ")");
    for (Expression predicate :
        List.of(
            Wire.call("ge", Wire.column("i"), Wire.integer(5)),
            Wire.call("eq", Wire.column("d"), value(DataType.Kind.DOUBLE, 5.0)),
            Wire.call(
                "lt",
                Wire.column("m"),
                Wire.literal(Wire.literal(Wire.decimal(10, 2), new BigDecimal("5.00")))),
            Wire.call("eq", Wire.column("s"), Wire.string("s5")),
            Wire.call("ge", Wire.column("a"), value(DataType.Kind.DATE, 5L)),
            Wire.call("ge", Wire.column("z"), value(DataType.Kind.TIMESTAMP, 5L)),
            Wire.call("ge", Wire.column("y"), value(DataType.Kind.TIMESTAMP_NTZ, 5L)),
            Wire.call("in", Wire.column("i"), Wire.integer(5)))) {
      ScanPlan plan =
          runner.plan(Wire.open(runner.catalog, "t").addColumns("i").setPredicate(predicate));

      String explained = explain(plan);

      assertTrue(explained.contains("Filters:"), explained);
      assertFalse(explained.contains("─ Filter ─"), explained);
    }
  }

  @Test
  void splitsWideRows() {
    runner.catalog.execute(
        "CREATE TABLE p AS SELECT range AS n, repeat('x', 300000) AS wide FROM range(20)");
    runner.catalog.serve("t", "p");
    Open.Builder open =
        Wire.open(runner.catalog, "t").addColumns("n").addColumns("wide").setMaxBatchBytes(700_000);

    var answer = runner.run(open);
    TallyException error =
        assertThrows(
            TallyException.class,
            () -> runner.run(open.setMaxBatchBytes(100_000).setMaxRowBytes(200_000)));

    assertEquals(20, answer.rows().size());
    answer.batches().forEach(batch -> assertTrue(batch.bodyBytes() <= 700_000, batch::toString));
    assertEquals(ErrorCode.ROW_TOO_LARGE, error.code());
    assertTrue(error.getMessage().contains("\"wide\""), error::getMessage);
  }

  @Test
  void fillsBatches() {
    numbers("p", 1_000_000);
    runner.catalog.serve("t", "p");

    var answer = runner.run(Wire.open(runner.catalog, "t").addColumns("n"));

    assertEquals(1_000_000, answer.rows().size());
    answer.batches().forEach(batch -> assertTrue(batch.bodyBytes() <= 1 << 20, batch::toString));
    assertTrue(answer.batches().size() <= 12, answer.batches()::toString);
  }

  @Test
  void namesFilesThatAreGone(@TempDir Path directory) throws IOException {
    Path file = parquet(directory);
    Files.delete(file);

    TallyException error =
        assertThrows(
            TallyException.class, () -> runner.run(Wire.open(runner.catalog, "t").addColumns("n")));

    assertEquals(ErrorCode.DATA_UNREADABLE, error.code(), error::getMessage);
    assertTrue(error.getMessage().contains("p.parquet"), error::getMessage);
  }

  @Test
  void namesFilesThatAreDamaged(@TempDir Path directory) throws IOException {
    Path file = parquet(directory);
    byte[] bytes = Files.readAllBytes(file);
    Arrays.fill(bytes, 100, bytes.length / 2, (byte) 0x5A);
    Files.write(file, bytes);

    TallyException error =
        assertThrows(
            TallyException.class,
            () -> runner.run(Wire.open(runner.catalog, "t").addColumns("n").addColumns("s")));

    assertEquals(ErrorCode.DATA_UNREADABLE, error.code(), error::getMessage);
  }

  @Test
  void namesFilesThatAreTruncated(@TempDir Path directory) throws IOException {
    Path file = parquet(directory);
    byte[] bytes = Files.readAllBytes(file);
    Files.write(file, Arrays.copyOf(bytes, bytes.length - 100));

    TallyException error =
        assertThrows(
            TallyException.class, () -> runner.run(Wire.open(runner.catalog, "t").addColumns("n")));

    assertEquals(ErrorCode.DATA_UNREADABLE, error.code(), error::getMessage);
  }

  @Test
  void failsInTheMiddleOfAStream() {
    runner.catalog.serve(
        "t",
        "(SELECT CAST(CASE WHEN range > 4900000 THEN 'x' ELSE '1' END AS INTEGER) AS n FROM range(5000000))");
    try (Scan scan = runner.prepare(Wire.open(runner.catalog, "t").addColumns("n"))) {
      TallyException error = assertThrows(TallyException.class, () -> drain(scan));

      assertEquals(ErrorCode.DATA_UNREADABLE, error.code(), error::getMessage);
    }
  }

  @Test
  void stopsInTheMiddleOfAnAggregate() throws InterruptedException {
    runner.catalog.execute("CREATE TABLE tiny AS SELECT 1::BIGINT AS x");
    runner.catalog.serve("t", "tiny");
    runner.catalog.replaceRows("t", CROSS_JOIN);
    Open.Builder open =
        Wire.open(runner.catalog, "t")
            .setAggregation(Wire.aggregation(List.of(), Wire.aggregate("sum", Wire.column("x"))));
    for (int i = 0; i < 20; i++) {
      Scan scan = runner.prepare(open);
      CountDownLatch started = new CountDownLatch(1);
      CompletableFuture<Void> consumer =
          CompletableFuture.runAsync(
              () -> {
                started.countDown();
                try (scan) {
                  drain(scan);
                }
              });
      started.await();

      scan.cancel();

      CompletionException error = assertThrows(CompletionException.class, consumer::join);
      assertEquals(ErrorCode.CANCELLED, ((TallyException) error.getCause()).code());
    }
  }

  @Test
  void stopsInTheMiddleOfAStream() {
    runner.catalog.serve("t", "(SELECT range AS n, 'text' || range AS s FROM range(100000000))");
    Scan scan = runner.prepare(Wire.open(runner.catalog, "t").addColumns("n").addColumns("s"));
    try (scan;
        ScanFrame first = scan.next().orElseThrow()) {
      assertTrue(first.bodyBytes() > 0);
      scan.cancel();
      assertEquals(ErrorCode.CANCELLED, assertThrows(TallyException.class, scan::next).code());
    }
  }

  @Test
  void givesBackAllWhenClosedEarly() {
    runner.catalog.serve("t", "(SELECT range AS n, 'text' || range AS s FROM range(100000000))");
    Scan scan = runner.prepare(Wire.open(runner.catalog, "t").addColumns("n").addColumns("s"));
    ScanFrame frame = scan.next().orElseThrow();

    scan.close();

    assertTrue(runner.allocator.getAllocatedMemory() > 0, "the frame outlives the scan");
    frame.close();
    assertEquals(0, runner.allocator.getAllocatedMemory());
  }

  private static void drain(Scan scan) {
    for (Optional<ScanFrame> frame = scan.next(); frame.isPresent(); frame = scan.next()) {
      frame.get().close();
    }
  }

  private void numbers(String name, long rows) {
    runner.catalog.execute(
        "CREATE TABLE " + name + " AS SELECT range AS n FROM range(" + rows + ")");
  }

  private Path parquet(Path directory) {
    Path file = directory.resolve("p.parquet");
    runner.catalog.execute(
        "COPY (SELECT range AS n, md5(range::VARCHAR) AS s FROM range(300000)) TO '"
            + file
            + "' (FORMAT parquet, COMPRESSION uncompressed)");
    runner.catalog.serve("t", "read_parquet('" + file + "')");
    return file;
  }

  private String explain(ScanPlan plan) throws SQLException {
    StringBuilder text = new StringBuilder();
    try (var connection = runner.catalog.connect();
        PreparedStatement statement = connection.prepareStatement("EXPLAIN " + plan.sql.text())) {
      for (int i = 0; i < plan.sql.parameters().size(); i++) {
        plan.sql.parameters().get(i).bind(statement, i + 1);
      }
      try (ResultSet rows = statement.executeQuery()) {
        while (rows.next()) {
          text.append(rows.getString(2));
        }
      }
    }
    return text.toString();
  }

  private static Expression value(DataType.Kind kind, Object value) {
    return Wire.literal(Wire.literal(Wire.type(kind), value));
  }

  private static ScanPartition range(String id, long first, long end) {
    return ScanPartition.newBuilder()
        .setId(id)
        .setRange(RowRange.newBuilder().setFirst(first).setEnd(end))
        .build();
  }

  private static void assertSameElements(List<?> expected, List<?> actual) {
    assertEquals(
        expected.stream().map(Object::toString).sorted().toList(),
        actual.stream().map(Object::toString).sorted().toList());
  }
}
