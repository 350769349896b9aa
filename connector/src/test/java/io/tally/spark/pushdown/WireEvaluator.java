package io.tally.spark.pushdown;

import io.tally.rpc.v1.Expression;
import io.tally.rpc.v1.Literal;
import java.math.BigInteger;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;

/**
 * Evaluates wire expressions as expression.proto says, written from that file alone. Values are
 * Java's: Boolean, Long, Double, BigInteger, and hexadecimal text for strings and binaries (which
 * sorts by unsigned bytes); null is NULL.
 */
final class WireEvaluator {
  private WireEvaluator() {}

  static Object value(Literal literal) {
    return switch (literal.getValueCase()) {
      case BOOLEAN -> literal.getBoolean();
      case INTEGER -> literal.getInteger();
      case FLOAT32 -> ordered(literal.getFloat32());
      case FLOAT64 -> ordered(literal.getFloat64());
      case UNSCALED -> new BigInteger(literal.getUnscaled().toByteArray());
      case STRING -> HexFormat.of().formatHex(literal.getStringBytes().toByteArray());
      case BINARY -> HexFormat.of().formatHex(literal.getBinary().toByteArray());
      case VALUE_NOT_SET -> null;
    };
  }

  /** Java orders NaN last, too, but tells -0.0 from 0.0. */
  static Double ordered(double value) {
    return value == 0 ? 0.0 : value;
  }

  static Object evaluate(Expression expression, Map<String, Object> row) {
    if (expression.hasColumn()) {
      return row.get(expression.getColumn());
    }
    if (expression.hasLiteral()) {
      return value(expression.getLiteral());
    }
    List<Object> operands = new ArrayList<>();
    for (Expression argument : expression.getCall().getArgumentsList()) {
      operands.add(evaluate(argument, row));
    }
    Object first = operands.get(0);
    Object second = operands.size() > 1 ? operands.get(1) : null;
    boolean unknown = first == null || second == null;
    return switch (expression.getCall().getFunction()) {
      case "and" -> decidedBy(false, operands);
      case "or" -> decidedBy(true, operands);
      case "not" -> first == null ? null : !((Boolean) first);
      case "is_null" -> first == null;
      case "is_not_null" -> first != null;
      case "eq_null_safe" -> unknown ? first == second : compare(first, second) == 0;
      case "in" -> in(first, operands.subList(1, operands.size()));
      default -> unknown ? null : binary(expression.getCall().getFunction(), first, second);
    };
  }

  /** One operand of that value decides; otherwise a NULL leaves it open. */
  private static Object decidedBy(Boolean decisive, List<Object> operands) {
    if (operands.contains(decisive)) {
      return decisive;
    }
    return operands.contains(null) ? null : !decisive;
  }

  private static Object in(Object value, List<Object> candidates) {
    if (value == null) {
      return null;
    }
    if (candidates.stream().anyMatch(each -> each != null && compare(value, each) == 0)) {
      return true;
    }
    return candidates.contains(null) ? null : false;
  }

  private static Object binary(String function, Object left, Object right) {
    return switch (function) {
      case "eq" -> compare(left, right) == 0;
      case "ne" -> compare(left, right) != 0;
      case "lt" -> compare(left, right) < 0;
      case "le" -> compare(left, right) <= 0;
      case "gt" -> compare(left, right) > 0;
      case "ge" -> compare(left, right) >= 0;
      case "starts_with" -> ((String) left).startsWith((String) right);
      case "ends_with" -> ((String) left).endsWith((String) right);
      case "contains" -> ((String) left).contains((String) right);
      default -> throw new AssertionError(function);
    };
  }

  @SuppressWarnings("unchecked") // The operands of a comparison have one type.
  static int compare(Object left, Object right) {
    return ((Comparable<Object>) left).compareTo(right);
  }
}
