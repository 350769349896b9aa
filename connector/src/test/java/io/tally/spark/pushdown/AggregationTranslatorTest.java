package io.tally.spark.pushdown;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.params.provider.Arguments.arguments;

import io.tally.rpc.v1.ColumnBounds;
import io.tally.rpc.v1.Partition;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Stream;
import org.apache.spark.sql.connector.expressions.Cast;
import org.apache.spark.sql.connector.expressions.Expression;
import org.apache.spark.sql.connector.expressions.GeneralScalarExpression;
import org.apache.spark.sql.connector.expressions.SortDirection;
import org.apache.spark.sql.connector.expressions.SortValue;
import org.apache.spark.sql.connector.expressions.aggregate.AggregateFunc;
import org.apache.spark.sql.connector.expressions.aggregate.Aggregation;
import org.apache.spark.sql.connector.expressions.aggregate.Avg;
import org.apache.spark.sql.connector.expressions.aggregate.Count;
import org.apache.spark.sql.connector.expressions.aggregate.CountStar;
import org.apache.spark.sql.connector.expressions.aggregate.GeneralAggregateFunc;
import org.apache.spark.sql.connector.expressions.aggregate.Max;
import org.apache.spark.sql.connector.expressions.aggregate.Min;
import org.apache.spark.sql.connector.expressions.aggregate.Sum;
import org.apache.spark.sql.types.DataTypes;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

final class AggregationTranslatorTest {
  private static final Partition P1 = Partitions.of("p1", 1000).build();
  private static final Partition P2 = Partitions.of("p2", 1000).build();
  private static final List<List<Partition>> ONE_STREAM = List.of(List.of(P1, P2));
  private static final List<List<Partition>> TWO_STREAMS = List.of(List.of(P1), List.of(P2));

  private static AggregationTranslator translator(
      PushdownContext context, List<List<Partition>> streams) {
    return new AggregationTranslator(context, streams, new ExpressionBudget(context.features()));
  }

  private static AggregationTranslation translate(
      List<List<Partition>> streams, List<AggregateFunc> functions, Expression... keys) {
    return translator(SampleTable.context(), streams)
        .translate(new Aggregation(functions.toArray(new AggregateFunc[0]), keys));
  }

  private static AggregationPlan plan(AggregationTranslation translation) {
    return assertInstanceOf(
            AggregationTranslation.Translated.class, translation, translation::toString)
        .plan();
  }

  private static Sum sum(String column) {
    return new Sum(V2.column(column), false);
  }

  private static Count count(String column) {
    return new Count(V2.column(column), false);
  }

  @Test
  void asManyKeysAndAggregatesAsEveryNodeAcceptsAreTranslated() {
    List<AggregateFunc> most = Collections.nCopies(999, new Min(V2.column("day")));
    assertEquals(
        999, plan(translate(ONE_STREAM, most, V2.column("s"))).aggregation().getAggregatesCount());
    AggregationTranslation.Refused refused =
        assertInstanceOf(
            AggregationTranslation.Refused.class,
            translate(ONE_STREAM, most, V2.column("s"), V2.column("a.b")));
    assertEquals("it has 1001 keys and aggregates; nodes accept 1000", refused.reason());
  }

  @Test
  void partialSumsAreReadAsTheTypesThatSparkCastsTo() {
    AggregationPlan plan =
        plan(
            translate(
                TWO_STREAMS,
                List.of(
                    new CountStar(),
                    count("s"),
                    sum("i"),
                    sum("m"),
                    sum("f"),
                    new Min(V2.column("day")),
                    new Max(V2.column("m"))),
                V2.column("s"),
                V2.column("a.b")));
    assertFalse(plan.complete());
    assertEquals(
        List.of(
            "string",
            "int",
            "bigint",
            "bigint",
            "bigint",
            "decimal(5,2)",
            "double",
            "date",
            "decimal(5,2)"),
        Arrays.stream(plan.readSchema().fields())
            .map(each -> each.dataType().catalogString())
            .toList());
    assertEquals(
        List.of(
            "string",
            "int",
            "bigint",
            "bigint",
            "decimal(38,0)",
            "decimal(38,2)",
            "double",
            "date",
            "decimal(5,2)"),
        plan.outputs().stream().map(each -> each.sent().catalogString()).toList());
    assertEquals(
        List.of("count_all", "count", "sum", "sum", "sum", "min", "max"),
        plan.aggregation().getAggregatesList().stream().map(each -> each.getFunction()).toList());
    assertTrue(Arrays.stream(plan.readSchema().fields()).allMatch(each -> each.nullable()));
  }

  /** Spark offers COUNT(DISTINCT constant) as COUNT(*): see docs/correctness.md. */
  @Test
  void whatMayCountAConstantOnceIsRefused() {
    Expression five = V2.integer(5);
    for (List<AggregateFunc> offered :
        List.of(
            List.<AggregateFunc>of(new Sum(five, true), new CountStar()),
            List.<AggregateFunc>of(new Count(five, true)))) {
      assertInstanceOf(AggregationTranslation.Refused.class, translate(ONE_STREAM, offered));
    }
    Aggregation counting =
        new Aggregation(new AggregateFunc[] {new CountStar()}, new Expression[0]);
    PushdownContext known = SampleTable.context();
    PushdownContext unsure =
        new PushdownContext(
            known.schema(),
            known.features(),
            known.partitions(),
            new PlanningSession(known.session().rules(), false));
    assertInstanceOf(
        AggregationTranslation.Translated.class, translator(known, ONE_STREAM).translate(counting));
    assertInstanceOf(
        AggregationTranslation.Refused.class, translator(unsure, ONE_STREAM).translate(counting));
  }

  @Test
  void oneStreamIsComplete() {
    AggregationPlan plan = plan(translate(ONE_STREAM, List.of(sum("i"), sum("m")), V2.column("s")));
    assertTrue(plan.complete());
    assertEquals("decimal(38,2)", plan.readSchema().fields()[2].dataType().catalogString());
  }

  @Test
  void floatingPointKeysAreNeverComplete() {
    assertFalse(plan(translate(ONE_STREAM, List.of(), V2.column("d"))).complete());
    assertTrue(plan(translate(ONE_STREAM, List.of(), V2.column("i"))).complete());
  }

  @Test
  void twoStreamsAreCompleteIfAKeyTellsThemApart() {
    assertTrue(twoStreams(days(0, 30, false), days(31, 60, false)).complete());
    assertTrue(twoStreams(days(0, 30, true), days(31, 60, false)).complete());
    assertFalse(twoStreams(days(0, 31, false), days(31, 60, false)).complete());
    assertFalse(twoStreams(days(0, 30, true), days(31, 60, true)).complete());
    assertFalse(twoStreams(days(31, 60, false), P2).complete());
    assertFalse(
        plan(translate(
                List.of(List.of(days(0, 30, false)), List.of(days(31, 60, false))),
                List.of(new CountStar()),
                V2.column("s")))
            .complete());
  }

  @Test
  void intervalsOfOneStreamMayLieRoundThoseOfAnother() {
    List<List<Partition>> apart =
        List.of(List.of(days(0, 10, false), days(21, 30, false)), List.of(days(11, 20, false)));
    assertTrue(plan(translate(apart, List.of(), V2.column("day"))).complete());
    List<List<Partition>> overlapping =
        List.of(List.of(days(0, 100, false), days(5, 6, false)), List.of(days(50, 60, false)));
    assertFalse(plan(translate(overlapping, List.of(), V2.column("day"))).complete());
  }

  private static AggregationPlan twoStreams(Partition first, Partition second) {
    return plan(
        translate(
            List.of(List.of(first), List.of(second)),
            List.of(new CountStar()),
            V2.column("s"),
            V2.column("day")));
  }

  private static Partition days(int from, int to, boolean mayBeNull) {
    ColumnBounds bounds =
        Partitions.between("day", DataTypes.DateType, from, to).toBuilder()
            .setMayContainNull(mayBeNull)
            .build();
    return Partitions.of("d" + from, 1000).addBounds(bounds).build();
  }

  @Test
  void longSumsThatMayOverflowAreLeftToSparkToFinish() {
    assertFalse(plan(translate(ONE_STREAM, List.of(sum("l")))).complete());
    Partition small =
        Partitions.of("p", 1000)
            .addBounds(Partitions.between("l", DataTypes.LongType, -5L, 1L << 50))
            .build();
    assertTrue(plan(translate(List.of(List.of(small)), List.of(sum("l")))).complete());
  }

  @Test
  void averagesOfLongsNeedAProof() {
    AggregationTranslation refused = translate(ONE_STREAM, List.of(sum("l"), count("l")));
    assertTrue(refused.toString().contains("SUM(l) with COUNT(l)"), refused::toString);
    Partition small =
        Partitions.of("p", 1000)
            .addBounds(Partitions.between("l", DataTypes.LongType, -5L, 1L << 50))
            .build();
    plan(translate(List.of(List.of(small)), List.of(sum("l"), count("l"))));
    plan(translate(ONE_STREAM, List.of(sum("i"), count("i"))));
    Partition huge = Partitions.of("p", 1L << 33).build();
    assertInstanceOf(
        AggregationTranslation.Refused.class,
        translate(List.of(List.of(huge)), List.of(sum("i"), count("i"))));
    plan(translate(List.of(List.of(huge)), List.of(sum("i"), count("j"))));
  }

  @Test
  void decimalSumsMustFitTheNodesOwnType() {
    AggregationTranslation refused = translate(ONE_STREAM, List.of(sum("w")));
    assertTrue(refused.toString().contains("38 digits"), refused::toString);
    Partition bounded =
        Partitions.of("p", 1000)
            .addBounds(
                Partitions.between(
                    "w",
                    DataTypes.createDecimalType(38, 0),
                    org.apache.spark.sql.types.Decimal.apply("-7"),
                    org.apache.spark.sql.types.Decimal.apply("1000000")))
            .build();
    assertTrue(plan(translate(List.of(List.of(bounded)), List.of(sum("w")))).complete());
  }

  static Stream<Arguments> refused() {
    Expression upper = new GeneralScalarExpression("UPPER", new Expression[] {V2.column("s")});
    return Stream.of(
        arguments(new Avg(V2.column("i"), false), "in its place"),
        arguments(
            new GeneralAggregateFunc("MAX_BY", false, new Expression[] {V2.column("i")}),
            "nodes do not compute it"),
        arguments(
            new GeneralAggregateFunc("REGR_R2", false, new Expression[] {exact("l"), exact("i")}),
            "less than 2^52"),
        arguments(percentile("w", V2.literal(0.5, DataTypes.DoubleType)), "at most 15 digits"),
        arguments(percentile("i", V2.column("d")), "not one literal"),
        arguments(mode("d", SortDirection.ASCENDING), "-0.0"),
        arguments(mode("x", SortDirection.ASCENDING), "type BINARY alone"),
        arguments(
            new GeneralAggregateFunc("STDDEV_POP", false, new Expression[] {V2.column("d")}),
            "NaN and infinities"),
        arguments(new Max(upper), "Spark maps letters"),
        arguments(new Sum(V2.column("day"), false), "do not add up DATE"),
        arguments(new Min(V2.column("list")), "type ARRAY<INT>"),
        arguments(new Count(V2.column("list"), true), "type ARRAY<INT>"),
        arguments(new Count(V2.column("bits"), false), "cannot be read (BIT)"),
        arguments(new Max(V2.nested("st.iner")), "there is no st.iner"));
  }

  @ParameterizedTest
  @MethodSource
  void refused(AggregateFunc function, String reason) {
    AggregationTranslation translation =
        translate(ONE_STREAM, List.of(new CountStar(), function), V2.column("s"));
    assertInstanceOf(AggregationTranslation.Refused.class, translation);
    assertTrue(translation.toString().contains(reason), translation::toString);
  }

  @Test
  void whatNodesDoNotEvaluateIsCounted() {
    AggregationPlan plan = plan(translate(ONE_STREAM, List.of(count("list")), V2.column("s")));
    assertEquals(List.of("COUNT(list)"), plan.aggregates());
    assertTrue(
        translate(ONE_STREAM, List.of(), V2.column("list")).toString().contains("ARRAY<INT>"));
  }

  @Test
  void groupingByAnExpressionIsRefused() {
    Expression upper = new GeneralScalarExpression("UPPER", new Expression[] {V2.column("s")});
    assertTrue(translate(ONE_STREAM, List.of(), upper).toString().contains("Spark maps letters"));
    assertTrue(
        translate(ONE_STREAM, List.of(), V2.column("bits")).toString().contains("cannot be read"));
  }

  @Test
  void aFeatureThatOneNodeLacksIsRefused() {
    AggregationTranslator translator =
        translator(
            SampleTable.context(
                CommonFeatures.of(
                    Map.of("old", Set.of("agg.count_all", "type.integer")),
                    SampleTable.MAX_EXPRESSION_NODES)),
            ONE_STREAM);
    Aggregation counts =
        new Aggregation(new AggregateFunc[] {new CountStar()}, new Expression[] {V2.column("i")});
    plan(translator.translate(counts));
    Aggregation sums = new Aggregation(new AggregateFunc[] {sum("i")}, new Expression[0]);
    assertTrue(
        translator.translate(sums).toString().contains("node \"old\" lacks the feature agg.sum"));
  }

  static Stream<Arguments> complete() {
    Expression exact = exact("i");
    return Stream.of(
        arguments(new Count(V2.column("s"), true), "COUNT(DISTINCT s)"),
        arguments(new Sum(V2.column("i"), true), "SUM(DISTINCT i)"),
        arguments(
            new GeneralAggregateFunc("STDDEV_SAMP", false, new Expression[] {exact}),
            "STDDEV_SAMP(cast(i AS DOUBLE))"),
        arguments(
            new GeneralAggregateFunc("COVAR_POP", false, new Expression[] {exact, exact}),
            "COVAR_POP(cast(i AS DOUBLE), cast(i AS DOUBLE))"),
        arguments(
            new GeneralAggregateFunc("REGR_SLOPE", false, new Expression[] {exact, exact}),
            "REGR_SLOPE(cast(i AS DOUBLE), cast(i AS DOUBLE))"),
        arguments(
            percentile("m", V2.literal(0.25, DataTypes.DoubleType)),
            "PERCENTILE_CONT(0.25) WITHIN GROUP (ORDER BY m)"),
        arguments(mode("s", SortDirection.DESCENDING), "MODE() WITHIN GROUP (ORDER BY s DESC)"));
  }

  /** As Spark casts what it averages. */
  private static Expression exact(String column) {
    return new Cast(
        V2.column(column),
        SampleTable.SCHEMA.column(column).orElseThrow().dataType(),
        DataTypes.DoubleType);
  }

  private static AggregateFunc percentile(String column, Expression fraction) {
    return new GeneralAggregateFunc(
        "PERCENTILE_CONT",
        false,
        new Expression[] {fraction},
        order(column, SortDirection.ASCENDING));
  }

  private static AggregateFunc mode(String column, SortDirection direction) {
    return new GeneralAggregateFunc("MODE", false, new Expression[0], order(column, direction));
  }

  private static SortValue[] order(String column, SortDirection direction) {
    return new SortValue[] {
      new SortValue(V2.column(column), direction, direction.defaultNullOrdering())
    };
  }

  @ParameterizedTest
  @MethodSource
  void complete(AggregateFunc function, String text) {
    assertEquals(List.of(text), plan(translate(ONE_STREAM, List.of(function))).aggregates());
    assertInstanceOf(
        AggregationTranslation.Refused.class, translate(TWO_STREAMS, List.of(function)));
  }

  @Test
  void theSameAggregateTwiceHasTwoNames() {
    AggregationPlan plan = plan(translate(TWO_STREAMS, List.of(sum("i"), sum("i"))));
    assertEquals(List.of("SUM(i)", "SUM(i)'"), List.of(plan.readSchema().fieldNames()));
  }

  @Test
  void anAggregationOfNothingIsRefused() {
    assertInstanceOf(AggregationTranslation.Refused.class, translate(TWO_STREAMS, List.of()));
  }
}
