package io.tally.server.scan;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.google.protobuf.ByteString;
import io.tally.rpc.TallyException;
import io.tally.rpc.v1.AggregateCall;
import io.tally.rpc.v1.Aggregation;
import io.tally.rpc.v1.DataType;
import io.tally.rpc.v1.ErrorCode;
import io.tally.rpc.v1.Expression;
import io.tally.rpc.v1.Literal;
import io.tally.rpc.v1.Open;
import io.tally.rpc.v1.RowRange;
import io.tally.rpc.v1.Sample;
import io.tally.rpc.v1.ScanPartition;
import io.tally.rpc.v1.SortKey;
import io.tally.server.fixture.Wire;
import java.util.Collections;
import java.util.List;
import java.util.function.Consumer;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Requests that contradict the protocol are refused with the right code, and say what is wrong. */
class ScanPlannerTest {
  private static final ScanRunner RUNNER = new ScanRunner();

  @BeforeAll
  static void create() {
    RUNNER.catalog.execute(
        "CREATE TABLE p AS SELECT 1 AS number, 'x' AS text, true AS flag, 1.5::DECIMAL(5,2) AS price,"
            + " [1, 2] AS list, 1.5::DOUBLE AS ratio FROM range(10)");
    RUNNER.catalog.execute("CREATE TABLE q AS SELECT * FROM p");
    RUNNER.catalog.serve("t", "p", "q", "(SELECT * FROM p)");
  }

  @AfterAll
  static void close() {
    RUNNER.close();
  }

  @ParameterizedTest(name = "{0}")
  @MethodSource("badRequests")
  void refuses(String what, ErrorCode code, String said, Consumer<Open.Builder> change) {
    Open.Builder open = Wire.open(RUNNER.catalog, "t");
    change.accept(open);

    TallyException error = assertThrows(TallyException.class, () -> RUNNER.plan(open));

    assertEquals(code, error.code(), error::getMessage);
    assertTrue(error.getMessage().contains(said), error::getMessage);
  }

  static Stream<Arguments> badRequests() {
    Expression number = Wire.column("number");
    Expression text = Wire.column("text");
    Expression flag = Wire.column("flag");
    return Stream.of(
        bad("no scan id", ErrorCode.INVALID_REQUEST, "scan_id", Open.Builder::clearScanId),
        bad(
            "no batch size",
            ErrorCode.INVALID_REQUEST,
            "max_batch_bytes",
            open -> open.setMaxBatchBytes(0)),
        bad(
            "row limit below batch size",
            ErrorCode.INVALID_REQUEST,
            "max_row_bytes",
            open -> open.setMaxRowBytes(1)),
        bad(
            "negative progress interval",
            ErrorCode.INVALID_REQUEST,
            "progress_interval_millis",
            open -> open.setProgressIntervalMillis(-1)),
        bad("negative limit", ErrorCode.INVALID_REQUEST, "limit", open -> open.setLimit(-1)),
        bad(
            "another layout",
            ErrorCode.LAYOUT_CHANGED,
            "\"v0\"",
            open -> open.setLayoutVersion("v0")),
        bad("no partition", ErrorCode.INVALID_REQUEST, "partition", Open.Builder::clearPartitions),
        bad(
            "unknown partition",
            ErrorCode.PARTITION_NOT_FOUND,
            "\"p\"",
            open -> open.addPartitions(ScanPartition.newBuilder().setId("P"))),
        bad(
            "a partition twice",
            ErrorCode.INVALID_REQUEST,
            "twice",
            open -> open.addPartitions(ScanPartition.newBuilder().setId("p"))),
        bad(
            "overlapping ranges",
            ErrorCode.INVALID_REQUEST,
            "twice",
            open -> ranges(open, "p", 0, 5, 4, 6)),
        bad(
            "a range beyond the partition",
            ErrorCode.INVALID_REQUEST,
            "10 rows",
            open -> ranges(open, "p", 0, 5, 5, 11)),
        bad(
            "a range of a partition without positions",
            ErrorCode.INVALID_REQUEST,
            "positions",
            open -> ranges(open, "(SELECT * FROM p)", 0, 5, 5, 10)),
        bad(
            "a column twice",
            ErrorCode.INVALID_REQUEST,
            "twice",
            open -> open.addColumns("number").addColumns("number")),
        bad(
            "unknown column",
            ErrorCode.COLUMN_NOT_FOUND,
            "\"number\"",
            open -> open.addColumns("nunber")),
        bad(
            "a column in another case",
            ErrorCode.COLUMN_NOT_FOUND,
            "\"number\"",
            open -> open.addColumns("Number")),
        bad(
            "a column that cannot be sent",
            ErrorCode.COLUMN_NOT_FOUND,
            "BIT",
            open -> open.addColumns("lost")),
        bad(
            "columns and aggregation",
            ErrorCode.INVALID_REQUEST,
            "columns",
            open ->
                open.addColumns("number")
                    .setAggregation(Wire.aggregation(List.of(), Wire.aggregate("count_all")))),
        bad(
            "an expression as sort key of an aggregation",
            ErrorCode.INVALID_REQUEST,
            "sort key",
            open ->
                open.addOrderBy(SortKey.newBuilder().setExpression(number))
                    .setAggregation(Wire.aggregation(List.of(), Wire.aggregate("count_all")))),
        bad(
            "an output that an aggregation does not have",
            ErrorCode.INVALID_REQUEST,
            "output 1",
            open ->
                open.addOrderBy(SortKey.newBuilder().setOutput(1))
                    .setAggregation(Wire.aggregation(List.of(), Wire.aggregate("count_all")))),
        bad(
            "an output without an aggregation",
            ErrorCode.INVALID_REQUEST,
            "output",
            open -> open.addOrderBy(SortKey.newBuilder().setOutput(0))),
        bad(
            "a sort key without value",
            ErrorCode.UNSUPPORTED_FEATURE,
            "sort key",
            open -> open.addOrderBy(SortKey.getDefaultInstance())),
        bad(
            "a list as sort key",
            ErrorCode.UNSUPPORTED_FEATURE,
            "sort",
            open -> open.addOrderBy(SortKey.newBuilder().setExpression(Wire.column("list")))),
        bad(
            "too many sort keys",
            ErrorCode.EXPRESSION_TOO_LARGE,
            "65 sort keys",
            open ->
                open.addAllOrderBy(
                    Collections.nCopies(65, SortKey.newBuilder().setExpression(number).build()))),
        bad(
            "a sample of more than all",
            ErrorCode.INVALID_REQUEST,
            "sample",
            open -> open.setSample(Sample.newBuilder().setLower(0.5).setUpper(1.5))),
        bad(
            "a sample between nothing",
            ErrorCode.INVALID_REQUEST,
            "sample",
            open -> open.setSample(Sample.newBuilder().setLower(Double.NaN).setUpper(1))),
        bad(
            "a sample of a partition without positions",
            ErrorCode.INVALID_REQUEST,
            "positions",
            open -> open.setSample(Sample.newBuilder().setUpper(1))),
        bad(
            "the partition's id under the name of a column that is sent",
            ErrorCode.INVALID_REQUEST,
            "twice",
            open -> open.addColumns("number").setPartitionColumn("number")),
        bad(
            "the partition's id under a name that is none",
            ErrorCode.INVALID_REQUEST,
            "partition_column",
            open -> open.setPartitionColumn("a\0b")),
        bad(
            "the partition's id of groups",
            ErrorCode.INVALID_REQUEST,
            "columns",
            open ->
                open.setPartitionColumn("id")
                    .setAggregation(Wire.aggregation(List.of(), Wire.aggregate("count_all")))),
        bad("negative offset", ErrorCode.INVALID_REQUEST, "offset", open -> open.setOffset(-1)),
        bad(
            "an empty aggregation",
            ErrorCode.INVALID_REQUEST,
            "neither",
            open -> open.setAggregation(Aggregation.getDefaultInstance())),
        aggregate("unknown aggregate", ErrorCode.UNSUPPORTED_FEATURE, "\"sum\"", "sun", number),
        aggregate("sum of text", ErrorCode.INVALID_REQUEST, "STRING", "sum", text),
        aggregate("sum of nothing", ErrorCode.INVALID_REQUEST, "sum", "sum"),
        aggregate("sum of two", ErrorCode.INVALID_REQUEST, "sum", "sum", number, number),
        aggregate("count of nothing", ErrorCode.INVALID_REQUEST, "count", "count"),
        aggregate("count_all of one", ErrorCode.INVALID_REQUEST, "count_all", "count_all", number),
        aggregate("slope of text", ErrorCode.INVALID_REQUEST, "DOUBLE", "regr_slope", text, text),
        aggregate(
            "mode of doubles",
            ErrorCode.INVALID_REQUEST,
            "mode takes no DOUBLE",
            "mode",
            Wire.real(1.5),
            Wire.bool(false)),
        aggregate(
            "mode in a direction that is no literal",
            ErrorCode.INVALID_REQUEST,
            "literal BOOLEAN",
            "mode",
            text,
            text),
        aggregate(
            "a fraction of more than all",
            ErrorCode.INVALID_REQUEST,
            "from 0 to 1",
            "percentile_cont",
            number,
            Wire.real(1.5),
            Wire.bool(false)),
        aggregate(
            "percentile of text",
            ErrorCode.INVALID_REQUEST,
            "at most 15 digits, not STRING",
            "percentile_disc",
            text,
            Wire.real(0.5),
            Wire.bool(false)),
        aggregate(
            "minimum of lists", ErrorCode.UNSUPPORTED_FEATURE, "min", "min", Wire.column("list")),
        bad(
            "grouping by lists",
            ErrorCode.UNSUPPORTED_FEATURE,
            "group by",
            open ->
                open.setAggregation(
                    Aggregation.newBuilder().addGroupBy(Wire.column("list")).build())),
        predicate("a number for a predicate", ErrorCode.INVALID_REQUEST, "INTEGER", number),
        predicate(
            "nothing for a predicate",
            ErrorCode.UNSUPPORTED_FEATURE,
            "kind",
            Expression.getDefaultInstance()),
        predicate(
            "unknown function",
            ErrorCode.UNSUPPORTED_FEATURE,
            "\"eq\"",
            Wire.call("eqq", number, number)),
        predicate(
            "different types",
            ErrorCode.INVALID_REQUEST,
            "BIGINT",
            Wire.call("eq", number, Wire.bigint(1))),
        predicate(
            "different precisions",
            ErrorCode.INVALID_REQUEST,
            "not (DECIMAL(5,2), DECIMAL(6,2))",
            Wire.call("eq", Wire.column("price"), Wire.nullOf(Wire.decimal(6, 2)))),
        predicate(
            "a candidate of another type",
            ErrorCode.INVALID_REQUEST,
            "STRING",
            Wire.call("in", number, Wire.integer(1), Wire.string("1"))),
        predicate(
            "comparing lists",
            ErrorCode.UNSUPPORTED_FEATURE,
            "eq",
            Wire.call("eq", Wire.column("list"), Wire.column("list"))),
        predicate(
            "eq of one",
            ErrorCode.INVALID_REQUEST,
            "eq takes (T, T), not (INTEGER)",
            Wire.call("eq", number)),
        predicate(
            "in without candidates", ErrorCode.INVALID_REQUEST, "in", Wire.call("in", number)),
        predicate("and of nothing", ErrorCode.INVALID_REQUEST, "and", Wire.call("and")),
        predicate("not of two", ErrorCode.INVALID_REQUEST, "not", Wire.call("not", flag, flag)),
        predicate("not of a number", ErrorCode.INVALID_REQUEST, "not", Wire.call("not", number)),
        predicate("or of numbers", ErrorCode.INVALID_REQUEST, "or", Wire.call("or", flag, number)),
        predicate(
            "starts_with of a number",
            ErrorCode.INVALID_REQUEST,
            "STRING",
            Wire.call("starts_with", number, Wire.string("1"))),
        literal(
            "out of range",
            ErrorCode.INVALID_REQUEST,
            "128",
            Literal.newBuilder().setType(Wire.type(DataType.Kind.TINYINT)).setInteger(128)),
        literal(
            "an integer out of range",
            ErrorCode.INVALID_REQUEST,
            "2147483648",
            Literal.newBuilder().setType(Wire.type(DataType.Kind.INTEGER)).setInteger(1L << 31)),
        literal(
            "a date out of range",
            ErrorCode.INVALID_REQUEST,
            "DATE",
            Literal.newBuilder().setType(Wire.type(DataType.Kind.DATE)).setInteger(1L << 31)),
        literal(
            "a value of another type",
            ErrorCode.INVALID_REQUEST,
            "`string`",
            Literal.newBuilder().setType(Wire.type(DataType.Kind.INTEGER)).setString("1")),
        literal(
            "a decimal without bytes",
            ErrorCode.INVALID_REQUEST,
            "0 bytes",
            Literal.newBuilder().setType(Wire.decimal(5, 2)).setUnscaled(ByteString.EMPTY)),
        literal(
            "a decimal of too many bytes",
            ErrorCode.INVALID_REQUEST,
            "18 bytes",
            Literal.newBuilder()
                .setType(Wire.decimal(5, 2))
                .setUnscaled(ByteString.copyFrom(new byte[18]))),
        literal(
            "a decimal of too many digits",
            ErrorCode.INVALID_REQUEST,
            "1000.00",
            Literal.newBuilder()
                .setType(Wire.decimal(5, 2))
                .setUnscaled(ByteString.copyFrom(new byte[] {1, (byte) 0x86, (byte) 0xA0}))),
        literal(
            "an impossible precision",
            ErrorCode.INVALID_REQUEST,
            "DECIMAL(39,0)",
            Literal.newBuilder().setType(Wire.decimal(39, 0))),
        literal(
            "an impossible scale",
            ErrorCode.INVALID_REQUEST,
            "DECIMAL(5,6)",
            Literal.newBuilder().setType(Wire.decimal(5, 6))),
        literal(
            "a precision of an integer",
            ErrorCode.INVALID_REQUEST,
            "precision",
            Literal.newBuilder()
                .setType(DataType.newBuilder().setKind(DataType.Kind.INTEGER).setPrecision(3))),
        literal(
            "a time",
            ErrorCode.UNSUPPORTED_FEATURE,
            "TIME",
            Literal.newBuilder().setType(Wire.type(DataType.Kind.TIME)).setInteger(1)),
        literal(
            "an interval of too many months",
            ErrorCode.INVALID_REQUEST,
            "YEAR_MONTH_INTERVAL",
            Literal.newBuilder()
                .setType(Wire.type(DataType.Kind.YEAR_MONTH_INTERVAL))
                .setInteger(1L << 31)),
        literal(
            "no type",
            ErrorCode.UNSUPPORTED_FEATURE,
            "KIND_UNSPECIFIED",
            Literal.newBuilder().setInteger(1)),
        literal(
            "an unknown type",
            ErrorCode.UNSUPPORTED_FEATURE,
            "UNRECOGNIZED",
            Literal.newBuilder().setType(DataType.newBuilder().setKindValue(99)).setInteger(1)),
        literal(
            "a moment that the engine does not have",
            ErrorCode.UNSUPPORTED_FEATURE,
            "microseconds",
            Literal.newBuilder()
                .setType(Wire.type(DataType.Kind.TIMESTAMP))
                .setInteger(Long.MAX_VALUE)),
        predicate("too deep", ErrorCode.EXPRESSION_TOO_LARGE, "64", nested(64)));
  }

  @Test
  void acceptsTheDepthThatTheProtocolAsksFor() {
    assertEquals(
        30, RUNNER.run(Wire.open(RUNNER.catalog, "t").setPredicate(nested(63))).end().getRows());
  }

  /** Written as they are, several of these shapes crash the engine or keep it busy for minutes. */
  @ParameterizedTest
  @ValueSource(strings = {"and", "or", "not or", "and not", "and or", "and in", "key"})
  void acceptsTenThousandNodesOfAnyShape(String shape) {
    Expression.Builder many = Expression.newBuilder();
    many.getCallBuilder()
        .setFunction(shape.startsWith("and") || shape.equals("key") ? "and" : "or");
    Expression number = Wire.column("number");
    for (int i = 0; i < 3300; i++) {
      Expression less = Wire.call("lt", number, Wire.integer(-i));
      Expression notLess = Wire.call("ge", number, Wire.integer(-i));
      many.getCallBuilder()
          .addArguments(
              switch (shape) {
                case "not or" -> less;
                case "and not" -> Wire.call("not", less);
                case "and or" -> Wire.call("or", Wire.column("flag"), notLess);
                case "and in" -> Wire.call("in", number, Wire.integer(1), Wire.integer(-i));
                default -> notLess;
              });
    }
    Expression whole = many.build();
    Open.Builder open = Wire.open(RUNNER.catalog, "t");
    if (shape.equals("key")) {
      open.setAggregation(Wire.aggregation(List.of(whole), Wire.aggregate("count_all")));
      assertEquals(List.of(List.of(true, 30L)), RUNNER.run(open).rows());
    } else {
      open.setPredicate(shape.equals("not or") ? Wire.call("not", whole) : whole);
      assertEquals(30, RUNNER.run(open).end().getRows());
    }
  }

  @Test
  void skipsRowGroupsByTheFirstOperandsOfALargePredicate() {
    Expression.Builder many = Expression.newBuilder();
    many.getCallBuilder().setFunction("and");
    for (int i = 0; i < 300; i++) {
      many.getCallBuilder().addArguments(Wire.call("ge", Wire.column("number"), Wire.integer(-i)));
    }

    String sql = RUNNER.plan(Wire.open(RUNNER.catalog, "t").setPredicate(many)).sql.text();

    assertTrue(sql.contains("WHERE (\"number\" >= CAST(? AS INTEGER)) AND (\"number\" >="), sql);
    assertTrue(sql.endsWith(" IS TRUE)"), sql);
  }

  @Test
  void acceptsNoMoreNodesThanItsLimit() {
    Expression.Builder many = Expression.newBuilder();
    many.getCallBuilder().setFunction("or");
    for (int i = 0; i < 3300; i++) {
      many.getCallBuilder().addArguments(Wire.call("ge", Wire.column("number"), Wire.integer(-i)));
    }
    Open.Builder open = Wire.open(RUNNER.catalog, "t").setPredicate(many);

    TallyException error =
        assertThrows(
            TallyException.class,
            () ->
                new ScanPlanner(new ExpressionLimits(64, 9900))
                    .plan(open.build(), RUNNER.catalog.table("t")));
    assertEquals(ErrorCode.EXPRESSION_TOO_LARGE, error.code());
  }

  @Test
  void refusesMoreCallsThanTheEnginePlansInTime() {
    Expression.Builder many = Expression.newBuilder();
    many.getCallBuilder().setFunction("and");
    for (int i = 0; i < 10_000; i++) {
      many.getCallBuilder().addArguments(Wire.call("is_null", Wire.column("number")));
    }

    TallyException error =
        assertThrows(
            TallyException.class,
            () -> RUNNER.plan(Wire.open(RUNNER.catalog, "t").setPredicate(many)));

    assertEquals(ErrorCode.EXPRESSION_TOO_LARGE, error.code());
  }

  private static Expression nested(int levels) {
    Expression expression = Wire.column("flag");
    for (int i = 0; i < levels; i++) {
      expression = Wire.call(i % 2 == 0 ? "or" : "and", expression);
    }
    return expression;
  }

  private static void ranges(
      Open.Builder open, String id, long first, long end, long otherFirst, long otherEnd) {
    open.clearPartitions()
        .addPartitions(
            ScanPartition.newBuilder()
                .setId(id)
                .setRange(RowRange.newBuilder().setFirst(first).setEnd(end)))
        .addPartitions(
            ScanPartition.newBuilder()
                .setId(id)
                .setRange(RowRange.newBuilder().setFirst(otherFirst).setEnd(otherEnd)));
  }

  private static Arguments literal(
      String what, ErrorCode code, String said, Literal.Builder literal) {
    return predicate(
        "a literal with " + what, code, said, Wire.call("is_null", Wire.literal(literal.build())));
  }

  private static Arguments predicate(
      String what, ErrorCode code, String said, Expression predicate) {
    return bad(what, code, said, open -> open.setPredicate(predicate));
  }

  private static Arguments aggregate(
      String what, ErrorCode code, String said, String function, Expression... arguments) {
    AggregateCall call = Wire.aggregate(function, arguments);
    return bad(what, code, said, open -> open.setAggregation(Wire.aggregation(List.of(), call)));
  }

  private static Arguments bad(
      String what, ErrorCode code, String said, Consumer<Open.Builder> change) {
    return Arguments.of(what, code, said, change);
  }
}
