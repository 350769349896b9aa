package io.tally.spark.pushdown;

import java.math.BigDecimal;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.apache.spark.sql.connector.expressions.Expression;
import org.apache.spark.sql.connector.expressions.filter.And;
import org.apache.spark.sql.connector.expressions.filter.Not;
import org.apache.spark.sql.connector.expressions.filter.Or;
import org.apache.spark.sql.connector.expressions.filter.Predicate;
import org.apache.spark.sql.types.DataType;
import org.apache.spark.sql.types.DataTypes;
import org.apache.spark.sql.types.Decimal;
import org.apache.spark.unsafe.types.UTF8String;

/**
 * Rows and predicates over the columns i, j, d, m, s, b and day, from few values that often meet.
 */
final class RandomPredicates {
  private static final Map<String, DataType> COLUMNS =
      Map.of(
          "i", DataTypes.IntegerType,
          "j", DataTypes.IntegerType,
          "d", DataTypes.DoubleType,
          "m", DataTypes.createDecimalType(5, 2),
          "s", DataTypes.StringType,
          "b", DataTypes.BooleanType,
          "day", DataTypes.DateType);
  private static final List<String> NAMES = List.of("i", "j", "d", "m", "s", "b", "day");
  private static final String[] TEXTS = {"", "a", "ab", "b", "é", "\uFFFF", "\uD83D\uDE00"};
  private static final double[] DOUBLES = {
    -1, -0.0, 0.0, 2.5, Double.NaN, Double.POSITIVE_INFINITY, Double.NEGATIVE_INFINITY
  };

  private final Random random;

  RandomPredicates(long seed) {
    this.random = new Random(seed);
  }

  /** A row in Spark's internal form; NULL is a missing key's value. */
  Map<String, Object> row() {
    Map<String, Object> row = new HashMap<>();
    NAMES.forEach(name -> row.put(name, value(COLUMNS.get(name))));
    return row;
  }

  private Object value(DataType type) {
    if (random.nextInt(5) == 0) {
      return null;
    }
    if (type.equals(DataTypes.IntegerType) || type.equals(DataTypes.DateType)) {
      return random.nextInt(7) - 3;
    }
    if (type.equals(DataTypes.DoubleType)) {
      return DOUBLES[random.nextInt(DOUBLES.length)];
    }
    if (type.equals(DataTypes.BooleanType)) {
      return random.nextBoolean();
    }
    if (type.equals(DataTypes.StringType)) {
      return UTF8String.fromString(TEXTS[random.nextInt(TEXTS.length)]);
    }
    return Decimal.apply(BigDecimal.valueOf((random.nextInt(7) - 3) * 50L, 2), 5, 2);
  }

  Predicate predicate(int depth) {
    int kind = random.nextInt(depth > 0 ? 10 : 6);
    return switch (kind) {
      case 6 -> new And(predicate(depth - 1), predicate(depth - 1));
      case 7 -> new Or(predicate(depth - 1), predicate(depth - 1));
      case 8 -> new Not(predicate(depth - 1));
      case 9 -> V2.call(random.nextBoolean() ? "IS_NULL" : "IS_NOT_NULL", predicate(depth - 1));
      case 0 -> {
        String column = column();
        yield V2.call(random.nextBoolean() ? "IS_NULL" : "IS_NOT_NULL", V2.column(column));
      }
      case 1 -> {
        String column = column();
        List<Expression> operands = new ArrayList<>(List.of(V2.column(column)));
        for (int i = random.nextInt(3); i >= 0; i--) {
          operands.add(literal(COLUMNS.get(column)));
        }
        yield V2.call("IN", operands.toArray(new Expression[0]));
      }
      case 2 -> {
        String[] names = {"STARTS_WITH", "ENDS_WITH", "CONTAINS"};
        yield V2.call(names[random.nextInt(3)], V2.column("s"), literal(DataTypes.StringType));
      }
      case 3 -> V2.call("BOOLEAN_EXPRESSION", V2.column("b"));
      default -> comparison();
    };
  }

  private Predicate comparison() {
    String[] names = {"=", "<>", "!=", "<", "<=", ">", ">=", "<=>"};
    String name = names[random.nextInt(names.length)];
    if (random.nextInt(5) == 0) {
      return V2.call(name, V2.column("i"), V2.column("j"));
    }
    String column = column();
    Expression literal = literal(COLUMNS.get(column));
    return random.nextBoolean()
        ? V2.call(name, V2.column(column), literal)
        : V2.call(name, literal, V2.column(column));
  }

  private String column() {
    return NAMES.get(random.nextInt(NAMES.size()));
  }

  private Expression literal(DataType type) {
    return V2.literal(value(type), type);
  }

  int below(int bound) {
    return random.nextInt(bound);
  }
}
