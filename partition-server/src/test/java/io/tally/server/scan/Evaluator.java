package io.tally.server.scan;

import com.google.protobuf.ByteString;
import io.tally.rpc.v1.Call;
import io.tally.rpc.v1.Expression;
import io.tally.rpc.v1.Literal;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.function.IntPredicate;
import java.util.function.Supplier;
import java.util.stream.Collectors;

/** Evaluates expressions row by row as {@code expression.proto} words them; NULL is null. */
final class Evaluator {
  private Evaluator() {}

  static Object evaluate(Expression expression, Map<String, Object> row) {
    return switch (expression.getKindCase()) {
      case COLUMN -> row.get(expression.getColumn());
      case LITERAL -> value(expression.getLiteral());
      case CALL -> call(expression.getCall(), row);
      case PATH, KIND_NOT_SET -> throw new IllegalArgumentException("no column, literal or call");
    };
  }

  private static Object call(Call call, Map<String, Object> row) {
    List<Object> arguments =
        call.getArgumentsList().stream()
            .map(e -> evaluate(e, row))
            .collect(Collectors.toCollection(ArrayList::new));
    Object first = arguments.get(0);
    Object second = arguments.size() > 1 ? arguments.get(1) : null;
    return switch (call.getFunction()) {
      case "eq" -> compared(first, second, c -> c == 0);
      case "ne" -> compared(first, second, c -> c != 0);
      case "lt" -> compared(first, second, c -> c < 0);
      case "le" -> compared(first, second, c -> c <= 0);
      case "gt" -> compared(first, second, c -> c > 0);
      case "ge" -> compared(first, second, c -> c >= 0);
      case "eq_null_safe" ->
          (first == null || second == null) ? first == second : compare(first, second) == 0;
      case "in" ->
          arguments.stream()
              .skip(1)
              .map(candidate -> compared(first, candidate, c -> c == 0))
              .reduce(false, Evaluator::or);
      case "is_null" -> first == null;
      case "is_not_null" -> first != null;
      case "and" -> arguments.stream().map(Boolean.class::cast).reduce(true, Evaluator::and);
      case "or" -> arguments.stream().map(Boolean.class::cast).reduce(false, Evaluator::or);
      case "not" -> first == null ? null : !(Boolean) first;
      case "starts_with" -> text(first, second, () -> ((String) first).startsWith((String) second));
      case "ends_with" -> text(first, second, () -> ((String) first).endsWith((String) second));
      case "contains" -> text(first, second, () -> ((String) first).contains((String) second));
      default -> ScalarEvaluator.call(call, arguments);
    };
  }

  private static Boolean and(Boolean a, Boolean b) {
    if (Objects.equals(a, false) || Objects.equals(b, false)) {
      return false;
    }
    return (a == null || b == null) ? null : Boolean.TRUE;
  }

  private static Boolean or(Boolean a, Boolean b) {
    if (Objects.equals(a, true) || Objects.equals(b, true)) {
      return true;
    }
    return (a == null || b == null) ? null : Boolean.FALSE;
  }

  private static Boolean compared(Object a, Object b, IntPredicate test) {
    return (a == null || b == null) ? null : (Boolean) test.test(compare(a, b));
  }

  private static Boolean text(Object a, Object b, Supplier<Boolean> test) {
    return (a == null || b == null) ? null : test.get();
  }

  static int compare(Object a, Object b) {
    if (a instanceof Boolean x) {
      return Boolean.compare(x, (Boolean) b);
    } else if (a instanceof Long x) {
      return Long.compare(x, (Long) b);
    } else if (a instanceof Float x) {
      return Double.compare(x + 0.0, (Float) b + 0.0); // -0.0 + 0.0 is 0.0; NaN is the largest
    } else if (a instanceof Double x) {
      return Double.compare(x + 0.0, (Double) b + 0.0);
    } else if (a instanceof BigDecimal x) {
      return x.compareTo((BigDecimal) b);
    } else if (a instanceof String x) {
      return bytes(x).compareTo(bytes((String) b));
    } else if (a instanceof ByteString x) {
      return new UnsignedBytes(x).compareTo(new UnsignedBytes((ByteString) b));
    }
    throw new IllegalArgumentException(String.valueOf(a));
  }

  private static UnsignedBytes bytes(String text) {
    return new UnsignedBytes(ByteString.copyFrom(text, StandardCharsets.UTF_8));
  }

  private record UnsignedBytes(ByteString bytes) implements Comparable<UnsignedBytes> {
    @Override
    public int compareTo(UnsignedBytes other) {
      return ByteString.unsignedLexicographicalComparator().compare(bytes, other.bytes);
    }
  }

  private static Object value(Literal literal) {
    return switch (literal.getValueCase()) {
      case BOOLEAN -> literal.getBoolean();
      case INTEGER -> literal.getInteger();
      case FLOAT32 -> literal.getFloat32();
      case FLOAT64 -> literal.getFloat64();
      case UNSCALED ->
          new BigDecimal(
              new BigInteger(literal.getUnscaled().toByteArray()), literal.getType().getScale());
      case STRING -> literal.getString();
      case BINARY -> literal.getBinary();
      case VALUE_NOT_SET -> null;
    };
  }
}
