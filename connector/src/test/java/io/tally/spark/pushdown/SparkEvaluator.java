package io.tally.spark.pushdown;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.apache.spark.sql.catalyst.util.SQLOrderingUtil;
import org.apache.spark.sql.connector.expressions.Expression;
import org.apache.spark.sql.connector.expressions.Literal;
import org.apache.spark.sql.connector.expressions.NamedReference;
import org.apache.spark.sql.connector.expressions.filter.Predicate;
import org.apache.spark.unsafe.types.UTF8String;

/**
 * Evaluates predicates as Spark wrote them, on values in Spark's internal form and with Spark's own
 * comparisons.
 */
final class SparkEvaluator {
  private SparkEvaluator() {}

  static Object evaluate(Expression expression, Map<String, Object> row) {
    if (expression instanceof Literal<?> literal) {
      return literal.value();
    }
    if (expression instanceof NamedReference reference) {
      return row.get(reference.fieldNames()[0]);
    }
    Predicate predicate = (Predicate) expression;
    List<Object> values = new ArrayList<>();
    for (Expression child : predicate.children()) {
      values.add(evaluate(child, row));
    }
    Object left = values.get(0);
    Object right = values.size() > 1 ? values.get(1) : null;
    boolean unknown = left == null || right == null;
    return switch (predicate.name()) {
      case "BOOLEAN_EXPRESSION" -> left;
      case "AND" -> decidedBy(false, left, right);
      case "OR" -> decidedBy(true, left, right);
      case "NOT" -> left == null ? null : !((Boolean) left);
      case "IS_NULL" -> left == null;
      case "IS_NOT_NULL" -> left != null;
      case "<=>" -> unknown ? left == right : compare(left, right) == 0;
      case "IN" -> {
        Object result = false;
        for (Object candidate : values.subList(1, values.size())) {
          if (left == null || candidate == null) {
            result = Boolean.TRUE.equals(result) ? true : null;
          } else if (compare(left, candidate) == 0) {
            result = true;
          }
        }
        yield result;
      }
      default -> unknown ? null : binary(predicate.name(), left, right);
    };
  }

  /** One operand of that value decides; otherwise a NULL leaves it open. */
  private static Object decidedBy(Boolean decisive, Object left, Object right) {
    if (decisive.equals(left) || decisive.equals(right)) {
      return decisive;
    }
    boolean open = left == null || right == null;
    return open ? null : !decisive;
  }

  private static boolean binary(String name, Object left, Object right) {
    return switch (name) {
      case "=" -> compare(left, right) == 0;
      case "<>", "!=" -> compare(left, right) != 0;
      case "<" -> compare(left, right) < 0;
      case "<=" -> compare(left, right) <= 0;
      case ">" -> compare(left, right) > 0;
      case ">=" -> compare(left, right) >= 0;
      case "STARTS_WITH" -> ((UTF8String) left).startsWith((UTF8String) right);
      case "ENDS_WITH" -> ((UTF8String) left).endsWith((UTF8String) right);
      case "CONTAINS" -> ((UTF8String) left).contains((UTF8String) right);
      default -> throw new AssertionError(name);
    };
  }

  @SuppressWarnings("unchecked") // The operands of a comparison have one type.
  private static int compare(Object left, Object right) {
    return left instanceof Double number
        ? SQLOrderingUtil.compareDoubles(number, (Double) right)
        : ((Comparable<Object>) left).compareTo(right);
  }
}
