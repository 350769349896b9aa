package io.tally.server.scan;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.tally.rpc.v1.Expression;
import io.tally.rpc.v1.Literal;
import io.tally.rpc.v1.SortKey;
import io.tally.server.fixture.Wire;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.Collectors;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.lifecycle.AfterContainer;
import net.jqwik.api.lifecycle.BeforeContainer;

/** Random expressions over every type mean on the node what the protocol says they mean. */
class ExpressionPropertyTest {
  private static final int ROWS = 300;

  private static ScanRunner runner;
  private static RandomTable table;

  @BeforeContainer
  static void create() {
    runner = new ScanRunner();
    table = RandomTable.create(runner.catalog, ROWS, 42);
  }

  @AfterContainer
  static void close() {
    runner.close();
  }

  @Property(tries = 200)
  void keepsTheRowsForWhichAPredicateIsTrue(@ForAll long seed) {
    Expression predicate = RandomTable.predicate(new Random(seed), 4);

    var answer =
        runner.run(Wire.open(runner.catalog, "r").addColumns("id").setPredicate(predicate));

    Set<Object> expected =
        table.rows.stream()
            .filter(row -> Boolean.TRUE.equals(Evaluator.evaluate(predicate, row)))
            .map(row -> row.get("id"))
            .collect(Collectors.toSet());
    assertEquals(
        expected, answer.rows().stream().map(row -> row.get(0)).collect(Collectors.toSet()));
    assertEquals(expected.size(), answer.rows().size());
  }

  @Property(tries = 200)
  void tellsTrueFromFalseFromNull(@ForAll long seed) {
    countsAsTheEvaluatorDoes(RandomTable.predicate(new Random(seed), 3));
  }

  @Property(tries = 200)
  void computesNumbersTextsAndDates(@ForAll long seed) {
    countsAsTheEvaluatorDoes(new RandomValues(new Random(seed)).value(3));
  }

  private static void countsAsTheEvaluatorDoes(Expression key) {
    var answer =
        runner.run(
            Wire.open(runner.catalog, "r")
                .setAggregation(Wire.aggregation(List.of(key), Wire.aggregate("count_all"))));

    Map<Object, Object> expected = new HashMap<>();
    table.rows.forEach(
        row -> expected.merge(Evaluator.evaluate(key, row), 1L, (a, b) -> (Long) a + (Long) b));
    Map<Object, Object> counts = new HashMap<>();
    answer.rows().forEach(row -> counts.put(row.get(0), row.get(1)));
    assertEquals(expected, counts, key::toString);
  }

  @Property(tries = 150)
  void groupsAndFindsExtremes(@ForAll long seed) {
    Random random = new Random(seed);
    Expression key = RandomTable.operand(random);
    Expression value = RandomTable.operand(random);

    var answer =
        runner.run(
            Wire.open(runner.catalog, "r")
                .setAggregation(
                    Wire.aggregation(
                        List.of(key),
                        Wire.aggregate("count_all"),
                        Wire.aggregate("count", value),
                        Wire.aggregate("count", key, value),
                        Wire.aggregate("min", value),
                        Wire.aggregate("max", value))));

    Map<Object, Group> expected = new TreeMap<>(ExpressionPropertyTest::compareNullsFirst);
    for (Map<String, Object> row : table.rows) {
      Object keyValue = Evaluator.evaluate(key, row);
      expected
          .computeIfAbsent(wrap(keyValue), k -> new Group())
          .add(keyValue, Evaluator.evaluate(value, row));
    }
    assertEquals(expected.size(), answer.rows().size());
    for (List<Object> row : answer.rows()) {
      Group group = expected.get(wrap(row.get(0)));
      assertEquals(group.rows, row.get(1));
      assertEquals(group.values, row.get(2));
      assertEquals(group.both, row.get(3));
      assertEquals(0, compareNullsFirst(wrap(group.least), wrap(row.get(4))), row::toString);
      assertEquals(0, compareNullsFirst(wrap(group.most), wrap(row.get(5))), row::toString);
    }
  }

  private static final String TEXT_MARK = "q7ZxKwJv";
  private static final int INTEGER_MARK = 86_753_097;
  private static final long BIGINT_MARK = 7_046_029_254_386_353_131L;
  private static final double DOUBLE_MARK = 0.12345678912;

  /** Calls whose literals a rendering might look at, each in its place. */
  private static final Expression MARKED_CALL =
      Wire.call(
          "concat",
          Wire.call("lpad", Wire.column("s0"), Wire.integer(INTEGER_MARK), Wire.string(TEXT_MARK)),
          Wire.call("trim", Wire.column("s1"), Wire.string(TEXT_MARK)),
          Wire.call("translate", Wire.column("s1"), Wire.string(TEXT_MARK), Wire.string(TEXT_MARK)),
          Wire.call("substring", Wire.string(TEXT_MARK), Wire.integer(INTEGER_MARK)));

  @Property(tries = 100)
  void bindsTheValueOfEveryLiteral(@ForAll long seed) {
    Expression predicate = marked(RandomTable.predicate(new Random(seed), 4));
    SortKey.Builder sorted = SortKey.newBuilder().setExpression(MARKED_CALL);
    ScanPlan rows =
        runner.plan(
            Wire.open(runner.catalog, "r")
                .addColumns("id")
                .setPredicate(predicate)
                .addOrderBy(sorted));
    ScanPlan groups =
        runner.plan(
            Wire.open(runner.catalog, "r")
                .setPredicate(predicate)
                .setAggregation(
                    Wire.aggregation(
                        List.of(MARKED_CALL),
                        Wire.aggregate("max", predicate),
                        Wire.aggregate("sum", Wire.bigint(BIGINT_MARK)),
                        Wire.aggregate(
                            "percentile_cont",
                            Wire.column("i0"),
                            Wire.real(DOUBLE_MARK),
                            Wire.bool(false)),
                        Wire.aggregate(
                            "percentile_disc",
                            Wire.column("i0"),
                            Wire.real(DOUBLE_MARK),
                            Wire.bool(true)))));

    for (ScanPlan plan : List.of(rows, groups)) {
      String parameters = plan.sql.parameters().toString();
      assertTrue(parameters.contains(TEXT_MARK) && parameters.contains("" + INTEGER_MARK));
      for (Object mark : List.of(TEXT_MARK, INTEGER_MARK, BIGINT_MARK, DOUBLE_MARK)) {
        assertFalse(plan.sql.text().contains(mark.toString()), plan.sql.text());
      }
    }
    String parameters = groups.sql.parameters().toString();
    assertTrue(parameters.contains("" + BIGINT_MARK) && parameters.contains("" + DOUBLE_MARK));
  }

  /** The same with literals, also for NULL, whose values no text of SQL has by chance. */
  private static Expression marked(Expression expression) {
    Expression.Builder marked = expression.toBuilder();
    if (expression.hasCall()) {
      marked.getCallBuilder().clearArguments();
      expression
          .getCall()
          .getArgumentsList()
          .forEach(argument -> marked.getCallBuilder().addArguments(marked(argument)));
    }
    Literal literal = expression.getLiteral();
    switch (literal.getType().getKind()) {
      case STRING -> marked.getLiteralBuilder().setString(TEXT_MARK + literal.getString());
      case INTEGER -> marked.getLiteralBuilder().setInteger(INTEGER_MARK);
      case BIGINT -> marked.getLiteralBuilder().setInteger(BIGINT_MARK);
      case DOUBLE -> marked.getLiteralBuilder().setFloat64(DOUBLE_MARK);
      default -> {} // no text is known that is in no SQL
    }
    return marked.build();
  }

  /** Stands for NULL, which a sorted map does not take. */
  private static Object wrap(Object value) {
    return value == null ? "NULL".toCharArray() : value;
  }

  private static int compareNullsFirst(Object a, Object b) {
    if (a instanceof char[] || b instanceof char[]) {
      return Boolean.compare(b instanceof char[], a instanceof char[]);
    }
    return Evaluator.compare(a, b);
  }

  private static final class Group {
    private long rows;
    private long values;
    private long both;
    private Object least;
    private Object most;

    void add(Object key, Object value) {
      rows++;
      if (value == null) {
        return;
      }
      values++;
      both += key == null ? 0 : 1;
      least = least == null || Evaluator.compare(value, least) < 0 ? value : least;
      most = most == null || Evaluator.compare(value, most) > 0 ? value : most;
    }
  }
}
