package io.tally.tests.differential;

import io.tally.tests.Answer;
import io.tally.tests.Rows;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Supplier;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.RowFactory;

/**
 * Takes a query and what Spark and another way made of it, and tells what is wrong with the other:
 * exactly, as far as the query leaves only one right answer.
 */
final class Comparison {
  private static final String JAVAS_OWN = ArithmeticException.class.getName();

  /** Errors that a row causes; which of several rows comes first is not defined. */
  private static final Set<String> CAUSED_BY_ROWS =
      Set.of(
          "ARITHMETIC_OVERFLOW",
          "BINARY_ARITHMETIC_OVERFLOW",
          "CAST_INVALID_INPUT",
          "CAST_OVERFLOW",
          "DATETIME_OVERFLOW",
          "DIVIDE_BY_ZERO",
          "INTERVAL_ARITHMETIC_OVERFLOW.WITHOUT_SUGGESTION",
          "INTERVAL_ARITHMETIC_OVERFLOW.WITH_SUGGESTION",
          JAVAS_OWN,
          "NUMERIC_VALUE_OUT_OF_RANGE.WITHOUT_SUGGESTION",
          "NUMERIC_VALUE_OUT_OF_RANGE.WITH_SUGGESTION",
          "REMAINDER_BY_ZERO");

  /** Of equal values around 1E14, Spark itself makes variances of some 1E-5. */
  private static final double NEARLY_ZERO = 1e-3;

  private final Query query;
  private final long ulps;

  /**
   * @param rows so many at most are aggregated
   */
  Comparison(Query query, long rows) {
    this.query = query;
    this.ulps = Rows.ulpsOfSum(rows);
  }

  /**
   * What is wrong with {@code other}, or empty.
   *
   * @param unlimited Spark's answer to {@link Query#unlimited}, for a choice of rows
   */
  Optional<String> difference(Answer expected, Answer other, Supplier<Answer> unlimited) {
    if (expected instanceof Answer.Returned right) {
      return other instanceof Answer.Returned returned
          ? rowsDiffer(right, returned, unlimited)
          : failsAlone((Answer.Failed) other);
    }
    Answer.Failed failed = (Answer.Failed) expected;
    return other instanceof Answer.Failed alsoFailed
        ? conditionsDiffer(failed, alsoFailed)
        : returnsAlone(failed);
  }

  private Optional<String> failsAlone(Answer.Failed other) {
    return isSparksChoice() && isCausedByRow(other)
        ? Optional.empty()
        : Optional.of("fails, and Spark does not");
  }

  /**
   * Whether a row that causes an error may also be left out before: of Parquet files Spark skips
   * what statistics or another predicate rule out.
   */
  private boolean isSparksChoice() {
    return query.isLimited() || query.hasRiskInOneOfSeveralPredicates();
  }

  private Optional<String> returnsAlone(Answer.Failed expected) {
    return isSparksChoice() && isCausedByRow(expected)
        ? Optional.empty()
        : Optional.of("returns rows, and Spark fails");
  }

  private Optional<String> conditionsDiffer(Answer.Failed expected, Answer.Failed other) {
    boolean same = !Collections.disjoint(conditions(expected), conditions(other));
    boolean anyRow = query.risks() > 1 && isCausedByRow(expected) && isCausedByRow(other);
    return same || anyRow
        ? Optional.empty()
        : Optional.of(
            "fails with %s instead of %s".formatted(conditions(other), conditions(expected)));
  }

  private static boolean isCausedByRow(Answer.Failed failed) {
    return !Collections.disjoint(conditions(failed), CAUSED_BY_ROWS);
  }

  /** Some arithmetic of Spark, as that of intervals, fails with Java's own exception. */
  private static List<String> conditions(Answer.Failed failed) {
    List<String> conditions = new ArrayList<>(failed.conditions());
    for (Throwable cause = failed.cause(); cause != null; cause = cause.getCause()) {
      if (cause.getClass() == ArithmeticException.class) {
        conditions.add(JAVAS_OWN);
      }
    }
    return conditions;
  }

  private Optional<String> rowsDiffer(
      Answer.Returned expected, Answer.Returned other, Supplier<Answer> unlimited) {
    if (!expected.types().equals(other.types())) {
      return Optional.of("has types %s instead of %s".formatted(other.types(), expected.types()));
    }
    List<Row> right = comparable(expected.rows());
    List<Row> rows = comparable(other.rows());
    if (query.isSampled()) {
      return notAmong(rows, unlimited);
    }
    if (right.size() != rows.size()) {
      return Optional.of("has %d rows instead of %d".formatted(rows.size(), right.size()));
    }
    List<Integer> ordered = query.orderedItems();
    if (!Rows.same(columns(right, ordered), columns(rows, ordered), true)) {
      return Optional.of("is in another order");
    }
    if (Rows.same(right, rows, false, ulps)) {
      return Optional.empty();
    }
    return query.isLimited() && !query.isTotallyOrdered()
        ? notAmong(rows, unlimited)
        : Optional.of("has other rows");
  }

  /** Whether some of the rows are not there, or not as often, without the limit. */
  private Optional<String> notAmong(List<Row> rows, Supplier<Answer> unlimited) {
    if (!(unlimited.get() instanceof Answer.Returned all)) {
      return Optional.empty();
    }
    if (query.items().stream().anyMatch(it -> it.closeness().isRounded())) {
      return Optional.empty();
    }
    Map<String, Integer> left = new HashMap<>();
    comparable(all.rows()).forEach(row -> left.merge(Rows.show(row), 1, Integer::sum));
    for (Row row : rows) {
      if (left.merge(Rows.show(row), -1, Integer::sum) < 0) {
        return Optional.of("has a row that is none of the table's: " + Rows.show(row));
      }
    }
    return Optional.empty();
  }

  private List<Row> comparable(List<Row> rows) {
    List<Row> all = new ArrayList<>();
    for (Row row : rows) {
      Object[] cells = new Object[row.size()];
      for (int i = 0; i < cells.length; i++) {
        cells[i] = comparable(row.get(i), query.items().get(i).closeness());
      }
      all.add(RowFactory.create(cells));
    }
    return all;
  }

  /** Text where numbers have to be exactly the same; a double where they have to be near. */
  private Object comparable(Object cell, Closeness closeness) {
    if (closeness == Closeness.UP_TO_CASE && cell instanceof String text) {
      return text.toLowerCase(Locale.ROOT);
    }
    if (!(cell instanceof Double || cell instanceof Float)) {
      return cell;
    }
    boolean signless = closeness != Closeness.EXACT || query.isLimited() || query.isSampled();
    double value = ((Number) cell).doubleValue();
    double signed = signless && value == 0 ? 0.0 : value;
    return switch (closeness) {
      case EXACT, UP_TO_SIGN_OF_ZERO, UP_TO_CASE -> Double.toString(signed);
      case SUM -> signed;
      case STATISTIC -> Math.abs(signed) < NEARLY_ZERO ? 0.0 : (double) (float) signed;
    };
  }

  private static List<Row> columns(List<Row> rows, List<Integer> columns) {
    return rows.stream()
        .map(row -> RowFactory.create(columns.stream().map(i -> signless(row.get(i))).toArray()))
        .toList();
  }

  private static Object signless(Object cell) {
    return "-0.0".equals(cell) ? "0.0" : cell;
  }
}
