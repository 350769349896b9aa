package io.tally.tests.faults;

import io.tally.rpc.v1.AggregateCall;
import io.tally.rpc.v1.Aggregation;
import io.tally.rpc.v1.Call;
import io.tally.rpc.v1.DataType;
import io.tally.rpc.v1.Expression;
import io.tally.rpc.v1.Literal;
import io.tally.rpc.v1.Open;
import io.tally.rpc.v1.SortKey;
import io.tally.tests.differential.Dice;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;

/**
 * A question about the rows of a {@link World}: in SQL, as DuckDB and Spark take it, and as a
 * client asks a node.
 *
 * @param columns what is read; {@code id} first, which is unique
 * @param below only rows whose {@code k} is less
 * @param limit how many rows, of {@link Shape#FIRST} and {@link Shape#SOME}
 */
record Query(Shape shape, List<String> columns, int below, int limit) {
  /** What becomes of the rows. */
  enum Shape {
    /** All of them. */
    ROWS,
    /** A few aggregates for each {@code k}. */
    GROUPS,
    /** Those with the greatest {@code id}. */
    FIRST,
    /** Any. */
    SOME
  }

  /** Keys are less than this. */
  static final int KEYS = 13;

  Query {
    columns = List.copyOf(columns);
  }

  static Query generate(Dice dice) {
    return new Query(
        dice.pick(Shape.ROWS, Shape.ROWS, Shape.ROWS, Shape.GROUPS, Shape.FIRST, Shape.SOME),
        dice.pick(List.of("id"), List.of("id", "s"), List.of("id", "k", "v", "s")),
        dice.chance(50) ? KEYS : dice.between(1, KEYS),
        dice.between(1, World.ROWS / 2));
  }

  String sql() {
    return switch (shape) {
      case ROWS -> allSql();
      case GROUPS ->
          "SELECT k, count(*), sum(v), min(id), max(s) FROM rows WHERE k < %d GROUP BY k"
              .formatted(below);
      case FIRST -> allSql() + " ORDER BY id DESC LIMIT " + limit;
      case SOME -> allSql() + " LIMIT " + limit;
    };
  }

  private String allSql() {
    return "SELECT %s FROM rows WHERE k < %d".formatted(String.join(", ", columns), below);
  }

  /** In SQL, something whose rows decide whether an answer is right. */
  String truthSql() {
    return shape == Shape.SOME ? allSql() : sql();
  }

  /**
   * What is wrong with an answer.
   *
   * @param truth the rows of {@link #truthSql}
   * @param answer rows, each as one text
   */
  Optional<String> difference(List<String> truth, List<String> answer) {
    int due = shape == Shape.SOME ? Math.min(limit, truth.size()) : truth.size();
    if (answer.size() != due) {
      return Optional.of("%d rows instead of %d".formatted(answer.size(), due));
    }
    if (new HashSet<>(answer).size() != answer.size()) {
      return Optional.of("a row came twice");
    }
    HashSet<String> wrong = new HashSet<>(answer);
    truth.forEach(wrong::remove);
    return wrong.stream().findFirst().map(row -> "this is no row of it: " + row);
  }

  /** Adds what is asked. */
  void ask(Open.Builder open) {
    open.addAllColumns(columns);
    if (below < KEYS) {
      open.setPredicate(call("lt", column("k"), integer(below)));
    }
    switch (shape) {
      case ROWS -> {}
      case GROUPS ->
          open.clearColumns()
              .setAggregation(
                  Aggregation.newBuilder()
                      .addGroupBy(column("k"))
                      .addAggregates(AggregateCall.newBuilder().setFunction("count_all"))
                      .addAggregates(aggregate("sum", "v"))
                      .addAggregates(aggregate("min", "id"))
                      .addAggregates(aggregate("max", "s")));
      case FIRST ->
          open.setLimit(limit)
              .addOrderBy(SortKey.newBuilder().setExpression(column("id")).setDescending(true));
      case SOME -> open.setLimit(limit);
    }
  }

  private static AggregateCall.Builder aggregate(String function, String column) {
    return AggregateCall.newBuilder().setFunction(function).addArguments(column(column));
  }

  private static Expression column(String name) {
    return Expression.newBuilder().setColumn(name).build();
  }

  private static Expression call(String function, Expression left, Expression right) {
    return Expression.newBuilder()
        .setCall(Call.newBuilder().setFunction(function).addArguments(left).addArguments(right))
        .build();
  }

  private static Expression integer(int value) {
    return Expression.newBuilder()
        .setLiteral(
            Literal.newBuilder()
                .setType(DataType.newBuilder().setKind(DataType.Kind.INTEGER))
                .setInteger(value))
        .build();
  }
}
