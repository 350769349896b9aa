package io.tally.server.scan;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.tally.rpc.Features;
import io.tally.rpc.TallyException;
import io.tally.rpc.v1.Applied;
import io.tally.rpc.v1.ColumnPath;
import io.tally.rpc.v1.DataType;
import io.tally.rpc.v1.ErrorCode;
import io.tally.rpc.v1.Expression;
import io.tally.rpc.v1.Open;
import io.tally.rpc.v1.PartSelection;
import io.tally.rpc.v1.PathStep;
import io.tally.rpc.v1.RowRange;
import io.tally.rpc.v1.Sample;
import io.tally.rpc.v1.SortKey;
import io.tally.server.fixture.Wire;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * A node with features disabled does as an older release: a field that it does not know is as if it
 * had not been sent, a name that it does not know is refused, and what it knows works as ever.
 */
class OlderNodeTest {
  private static final ScanRunner RUNNER = new ScanRunner();
  private static final Expression NUMBER = Wire.column("number");
  private static final Expression TEXT = Wire.column("text");
  private static final Expression LATE = Wire.call("gt", NUMBER, Wire.integer(5));

  @BeforeAll
  static void create() {
    RUNNER.catalog.execute(
        "CREATE TABLE p AS SELECT i::INT AS number, 'x' || i AS text,"
            + " {'a': i::INT, 'b': i} AS pair FROM range(10) r(i)");
    RUNNER.catalog.serve("t", "p");
  }

  @AfterAll
  static void close() {
    RUNNER.close();
  }

  @ParameterizedTest(name = "{0}")
  @MethodSource("unknownFields")
  void ignoresWhatItDoesNotKnow(
      List<String> disabled, Consumer<Open.Builder> part, Consumer<Open.Builder> rest) {
    Open.Builder asked = Wire.open(RUNNER.catalog, "t");
    rest.accept(asked);
    Open.Builder less = asked.clone();
    part.accept(asked);
    ScanFeatures features = ScanFeatures.ALL.without(disabled);

    ScanPlan plan = RUNNER.plan(asked, features);
    ScanPlan without = RUNNER.plan(less);

    assertEquals(without.applied(), plan.applied());
    assertEquals(without.schema(), plan.schema());
    assertEquals(sorted(RUNNER.run(without).rows()), sorted(RUNNER.run(plan).rows()));
    assertFalse(RUNNER.plan(asked).applied().equals(plan.applied()), "the part takes effect");
  }

  static Stream<Arguments> unknownFields() {
    return Stream.of(
        field("scan.limit", open -> open.setLimit(3), columns("number")),
        field(
            "scan.order",
            open -> open.addOrderBy(SortKey.newBuilder().setExpression(NUMBER)),
            columns("number")),
        field("scan.offset", open -> open.setOffset(3), columns("number")),
        field(
            "scan.sample",
            open -> open.setSample(Sample.newBuilder().setUpper(0.1)),
            columns("number")),
        field(
            "scan.partition_column",
            open -> open.setPartitionColumn("_partition"),
            columns("number")),
        field(
            "scan.nested_projection",
            open ->
                open.addProjection(
                    PartSelection.newBuilder()
                        .setName("pair")
                        .addParts(PartSelection.newBuilder().setName("a"))),
            columns("pair")),
        field("body.*", open -> open.setBodyCodec("zstd"), columns("number")),
        field("body.lz4", open -> open.setBodyCodec("lz4"), columns("number")),
        field(
            "scan.row_range",
            open ->
                open.getPartitionsBuilder(0).setRange(RowRange.newBuilder().setFirst(2).setEnd(4)),
            columns("number")),
        field(
            "agg.*",
            open ->
                open.setAggregation(Wire.aggregation(List.of(TEXT), Wire.aggregate("sum", NUMBER))),
            open -> {}),
        Arguments.of(
            List.of("fn.*", "type.boolean"),
            (Consumer<Open.Builder>) open -> open.setPredicate(LATE),
            columns("number")));
  }

  private static Arguments field(
      String disabled, Consumer<Open.Builder> part, Consumer<Open.Builder> rest) {
    return Arguments.of(List.of(disabled), part, rest);
  }

  private static Consumer<Open.Builder> columns(String name) {
    return open -> open.addColumns(name);
  }

  private static List<String> sorted(List<List<Object>> rows) {
    return rows.stream().map(Object::toString).sorted().toList();
  }

  @ParameterizedTest(name = "{0}: {2}")
  @MethodSource("unknownNames")
  void refusesNamesThatItDoesNotKnow(String disabled, Consumer<Open.Builder> change, String said) {
    Open.Builder open = Wire.open(RUNNER.catalog, "t");
    change.accept(open);
    ScanFeatures features = ScanFeatures.ALL.without(List.of(disabled));

    TallyException error = assertThrows(TallyException.class, () -> RUNNER.plan(open, features));

    assertEquals(ErrorCode.UNSUPPORTED_FEATURE, error.code(), error::getMessage);
    assertTrue(error.getMessage().contains(said), error::getMessage);
    assertFalse(
        RUNNER.plan(open).applied().equals(Applied.getDefaultInstance()),
        "a node of today takes it");
  }

  static Stream<Arguments> unknownNames() {
    Expression path =
        Expression.newBuilder()
            .setPath(
                ColumnPath.newBuilder()
                    .setColumn("pair")
                    .addSteps(PathStep.newBuilder().setField("a")))
            .build();
    Expression cast =
        Expression.newBuilder()
            .setCall(
                Wire.call("cast", NUMBER).getCall().toBuilder()
                    .setType(Wire.type(DataType.Kind.STRING)))
            .build();
    return Stream.of(
        name(
            "fn.gt",
            open -> open.setPredicate(LATE),
            "does not know the function \"gt\"; the near"),
        name(
            "fn.gt",
            open -> open.setPredicate(Wire.call("not", LATE)),
            "does not know the function \"gt\""),
        name(
            "agg.sum",
            open -> open.setAggregation(Wire.aggregation(List.of(), Wire.aggregate("sum", NUMBER))),
            "does not know the aggregate \"sum\""),
        name(
            "fn.negate",
            open ->
                open.setAggregation(
                    Wire.aggregation(
                        List.of(Wire.call("negate", NUMBER)), Wire.aggregate("count_all"))),
            "does not know the function \"negate\""),
        name(
            "fn.negate",
            open ->
                open.setAggregation(
                    Wire.aggregation(
                        List.of(), Wire.aggregate("max", Wire.call("negate", NUMBER)))),
            "does not know the function \"negate\""),
        name(
            "fn.negate",
            open ->
                open.addOrderBy(SortKey.newBuilder().setExpression(Wire.call("negate", NUMBER))),
            "does not know the function \"negate\""),
        name("type.integer", open -> open.setPredicate(LATE), "operands of type INTEGER"),
        name(
            "type.string",
            open -> open.setPredicate(Wire.call("is_null", Wire.string("x"))),
            "literals of type STRING"),
        name(
            "type.string",
            open ->
                open.setAggregation(Wire.aggregation(List.of(cast), Wire.aggregate("count_all"))),
            "values of type STRING"),
        name(
            "expression.path",
            open -> open.setPredicate(Wire.call("gt", path, Wire.integer(5))),
            "of a kind that this node does not know"));
  }

  private static Arguments name(String disabled, Consumer<Open.Builder> change, String said) {
    return Arguments.of(disabled, change, said);
  }

  @Test
  void knowsAllElse() {
    Open.Builder open =
        Wire.open(RUNNER.catalog, "t").addColumns("number").setPredicate(LATE).setLimit(7);
    List<String> unused =
        List.of("agg.*", "scan.order", "fn.eq", "type.double", "expression.path", "scan.row_range");
    ScanPlan plan = RUNNER.plan(open, ScanFeatures.ALL.without(unused));
    assertEquals(RUNNER.plan(open).applied(), plan.applied());
    assertEquals(4, RUNNER.run(plan).rows().size());
    // Whether something is NULL can be asked of any column, also of a type without values.
    open.setPredicate(Wire.call("is_not_null", TEXT));
    assertTrue(
        RUNNER
            .plan(open, ScanFeatures.ALL.without(List.of("type.string")))
            .applied()
            .getPredicate());
  }

  @Test
  void tellsWhatItKnows() {
    List<String> all = new ArrayList<>(ScanFeatures.ALL.names());
    all.removeIf(name -> name.equals("scan.limit") || name.startsWith("agg."));
    assertEquals(all, ScanFeatures.ALL.without(List.of("agg.*", "scan.limit")).names());
    assertTrue(ScanFeatures.ALL.has(Features.RESUME));
    assertFalse(ScanFeatures.ALL.without(List.of("scan.*")).has(Features.RESUME));
  }
}
