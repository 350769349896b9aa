package io.tally.spark.pushdown;

import com.google.protobuf.ByteString;
import io.tally.rpc.WireTypes;
import io.tally.rpc.v1.Call;
import io.tally.rpc.v1.ColumnPath;
import io.tally.rpc.v1.Expression;
import io.tally.rpc.v1.Literal;
import io.tally.rpc.v1.PathStep;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.time.Instant;
import java.time.LocalDate;
import java.time.ZoneOffset;
import java.time.temporal.ChronoUnit;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;

/**
 * Takes wire expressions and gives them as SQL-like text for EXPLAIN, of bounded length. It shows
 * what is really sent; Spark's own text shows dates as day numbers.
 */
public final class WireText {
  private static final Map<String, String> OPERATORS =
      Map.ofEntries(
          Map.entry("eq", "="),
          Map.entry("ne", "<>"),
          Map.entry("lt", "<"),
          Map.entry("le", "<="),
          Map.entry("gt", ">"),
          Map.entry("ge", ">="),
          Map.entry("eq_null_safe", "<=>"),
          Map.entry("and", "AND"),
          Map.entry("or", "OR"),
          Map.entry("add", "+"),
          Map.entry("subtract", "-"),
          Map.entry("multiply", "*"),
          Map.entry("divide", "/"),
          Map.entry("remainder", "%"),
          Map.entry("bit_and", "&"),
          Map.entry("bit_or", "|"),
          Map.entry("bit_xor", "^"));

  private static final int MICROS_DIGITS = 6;

  private WireText() {}

  /** The text of an expression. */
  public static String of(Expression expression) {
    return Described.shortened(text(expression));
  }

  /** The text of a path: {@code address.lines[0]}. */
  static String of(ColumnPath path) {
    StringBuilder text = new StringBuilder(path.getColumn());
    for (PathStep step : path.getStepsList()) {
      text.append(step.hasIndex() ? "[" + step.getIndex() + "]" : "." + step.getField());
    }
    return text.toString();
  }

  private static String text(Expression expression) {
    return switch (expression.getKindCase()) {
      case COLUMN -> expression.getColumn();
      case PATH -> of(expression.getPath());
      case LITERAL -> text(expression.getLiteral());
      case CALL -> text(expression.getCall());
      case KIND_NOT_SET -> "?";
    };
  }

  private static String text(Call call) {
    List<String> arguments = call.getArgumentsList().stream().map(WireText::operand).toList();
    return switch (call.getFunction()) {
      case "is_null" -> arguments.get(0) + " IS NULL";
      case "is_not_null" -> arguments.get(0) + " IS NOT NULL";
      case "not" -> "NOT " + arguments.get(0);
      case "negate" -> "-" + arguments.get(0);
      case "bit_not" -> "~" + arguments.get(0);
      case "cast" ->
          "cast(" + text(call.getArguments(0)) + " AS " + WireTypes.name(call.getType()) + ")";
      case "in" ->
          arguments.get(0)
              + arguments.stream().skip(1).collect(Collectors.joining(", ", " IN (", ")"));
      default -> {
        String operator = OPERATORS.get(call.getFunction());
        yield operator == null
            ? call.getFunction() + "(" + list(call.getArgumentsList()) + ")"
            : String.join(" " + operator + " ", arguments);
      }
    };
  }

  private static String list(List<Expression> arguments) {
    return arguments.stream().map(WireText::text).collect(Collectors.joining(", "));
  }

  private static String operand(Expression expression) {
    return expression.hasCall() ? "(" + text(expression) + ")" : text(expression);
  }

  private static String text(Literal literal) {
    if (!LiteralOrder.hasValue(literal)) {
      return "NULL";
    }
    return switch (literal.getType().getKind()) {
      case BOOLEAN -> Boolean.toString(literal.getBoolean());
      case FLOAT -> Float.toString(literal.getFloat32());
      case DOUBLE -> Double.toString(literal.getFloat64());
      case DECIMAL -> decimal(literal.getUnscaled(), literal.getType().getScale());
      case STRING -> "'" + literal.getString().replace("'", "''") + "'";
      case BINARY -> "X'" + HexFormat.of().formatHex(literal.getBinary().toByteArray()) + "'";
      case DATE -> "DATE '" + LocalDate.EPOCH.plusDays(literal.getInteger()) + "'";
      case TIMESTAMP -> "TIMESTAMP '" + instant(literal.getInteger()) + "'";
      case TIMESTAMP_NTZ ->
          "TIMESTAMP_NTZ '"
              + instant(literal.getInteger()).atOffset(ZoneOffset.UTC).toLocalDateTime()
              + "'";
      case YEAR_MONTH_INTERVAL -> "INTERVAL '" + literal.getInteger() + "' MONTH";
      case DAY_TIME_INTERVAL ->
          "INTERVAL '"
              + BigDecimal.valueOf(literal.getInteger(), MICROS_DIGITS).toPlainString()
              + "' SECOND";
      default -> Long.toString(literal.getInteger());
    };
  }

  private static String decimal(ByteString unscaled, int scale) {
    return new BigDecimal(new BigInteger(unscaled.toByteArray()), scale).toPlainString();
  }

  private static Instant instant(long micros) {
    return Instant.EPOCH.plus(micros, ChronoUnit.MICROS);
  }
}
