package io.tally.server.scan;

import static java.util.Map.entry;

import io.tally.rpc.ScalarFunction;
import io.tally.rpc.WireTypes;
import io.tally.rpc.v1.DataType;
import io.tally.rpc.v1.Literal;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;

/**
 * The registry of what this node evaluates: one line a function, with the SQL that is equal to what
 * {@code expression.proto} says. {@link ScalarFunction} knows name, feature and types; IN is in
 * {@link InSql}.
 */
final class FunctionSql {
  /** Widest DECIMAL that the engine multiplies in 64 bits, in which the product may not fit. */
  private static final int MAX_SHORT_DECIMAL = 18;

  /** Appends the SQL of a call. */
  interface Rendering {
    void append(Sql sql, RenderedCall call);
  }

  private static final Map<ScalarFunction, Rendering> RENDERINGS =
      new EnumMap<>(
          Map.ofEntries(
              entry(ScalarFunction.EQ, sql("({0} = {1})")),
              entry(ScalarFunction.NE, sql("({0} <> {1})")),
              entry(ScalarFunction.LT, sql("({0} < {1})")),
              entry(ScalarFunction.LE, sql("({0} <= {1})")),
              entry(ScalarFunction.GT, sql("({0} > {1})")),
              entry(ScalarFunction.GE, sql("({0} >= {1})")),
              entry(ScalarFunction.EQ_NULL_SAFE, sql("({0} IS NOT DISTINCT FROM {1})")),
              entry(ScalarFunction.IS_NULL, sql("({0} IS NULL)")),
              entry(ScalarFunction.IS_NOT_NULL, sql("({0} IS NOT NULL)")),
              entry(ScalarFunction.AND, joined("(", " AND ", ")")),
              entry(ScalarFunction.OR, joined("(", " OR ", ")")),
              entry(ScalarFunction.NOT, sql("(NOT {0})")),
              // Plain text in the engine, too: no character is special.
              entry(ScalarFunction.STARTS_WITH, sql("starts_with({0}, {1})")),
              entry(ScalarFunction.ENDS_WITH, sql("ends_with({0}, {1})")),
              entry(ScalarFunction.CONTAINS, sql("contains({0}, {1})")),
              entry(ScalarFunction.COALESCE, joined("coalesce(", ", ", ")")),
              entry(ScalarFunction.GREATEST, joined("greatest(", ", ", ")")),
              entry(ScalarFunction.LEAST, joined("least(", ", ", ")")),
              entry(ScalarFunction.CASE_WHEN, FunctionSql::appendCase),
              entry(ScalarFunction.CAST, FunctionSql::appendCast),
              // Operands in the result's type, or the engine adds short decimals in 64 bits.
              entry(ScalarFunction.ADD, sql("CAST(CAST({0} AS {r}) + CAST({1} AS {r}) AS {r})")),
              entry(
                  ScalarFunction.SUBTRACT, sql("CAST(CAST({0} AS {r}) - CAST({1} AS {r}) AS {r})")),
              entry(ScalarFunction.MULTIPLY, FunctionSql::appendProduct),
              entry(ScalarFunction.DIVIDE, sql("CAST({0} / {1} AS {r})")),
              entry(ScalarFunction.REMAINDER, FunctionSql::appendRemainder),
              entry(ScalarFunction.NEGATE, sql("CAST(-{0} AS {r})")),
              entry(ScalarFunction.ABS, sql("CAST(abs({0}) AS {r})")),
              entry(ScalarFunction.BIT_AND, sql("({0} & {1})")),
              entry(ScalarFunction.BIT_OR, sql("({0} | {1})")),
              entry(ScalarFunction.BIT_XOR, sql("xor({0}, {1})")),
              entry(ScalarFunction.BIT_NOT, sql("(~{0})")),
              entry(ScalarFunction.SQRT, sql("sqrt({0})")),
              entry(ScalarFunction.FLOOR, sql("CAST(floor({0}) AS {r})")),
              entry(ScalarFunction.CEIL, sql("CAST(ceil({0}) AS {r})")),
              // A cast to fewer digits rounds half away from zero.
              entry(ScalarFunction.ROUND, sql("CAST({0} AS {r})")),
              entry(ScalarFunction.CHAR_LENGTH, sql("CAST(length({0}) AS INTEGER)")),
              entry(ScalarFunction.BIT_LENGTH, sql("CAST(bit_length({0}) AS INTEGER)")),
              entry(ScalarFunction.SUBSTRING, joined("substring(", ", ", ")")),
              entry(ScalarFunction.RIGHT, sql("right({0}, {1})")),
              entry(ScalarFunction.CONCAT, joined("(", " || ", ")")),
              entry(ScalarFunction.TRANSLATE, sql("translate({0}, {1}, {2})")),
              // With one argument, the engine's functions remove more than the space.
              entry(ScalarFunction.TRIM, sql("trim({0}, {1})")),
              entry(ScalarFunction.LTRIM, sql("ltrim({0}, {1})")),
              entry(ScalarFunction.RTRIM, sql("rtrim({0}, {1})")),
              entry(ScalarFunction.LPAD, sql("lpad({0}, {1}, {2})")),
              entry(ScalarFunction.RPAD, sql("rpad({0}, {1}, {2})")),
              entry(ScalarFunction.MD5, sql("md5({0})")),
              entry(ScalarFunction.SHA1, sql("sha1({0})")),
              entry(ScalarFunction.SHA256, sql("sha256({0})")),
              entry(ScalarFunction.DATE_ADD, sql("CAST({0} + {1} AS DATE)")),
              entry(ScalarFunction.DATE_DIFF, sql("CAST({0} - {1} AS INTEGER)")),
              entry(ScalarFunction.TRUNCATE_DATE, sql("CAST(date_trunc({1}, {0}) AS DATE)")),
              entry(ScalarFunction.YEAR, sql("CAST(year({0}) AS INTEGER)")),
              entry(ScalarFunction.QUARTER, sql("CAST(quarter({0}) AS INTEGER)")),
              entry(ScalarFunction.MONTH, sql("CAST(month({0}) AS INTEGER)")),
              entry(ScalarFunction.DAY, sql("CAST(day({0}) AS INTEGER)")),
              entry(ScalarFunction.DAY_OF_YEAR, sql("CAST(dayofyear({0}) AS INTEGER)")),
              entry(ScalarFunction.ISO_DAY_OF_WEEK, sql("CAST(isodow({0}) AS INTEGER)")),
              entry(ScalarFunction.ISO_WEEK, sql("CAST(week({0}) AS INTEGER)")),
              entry(ScalarFunction.ISO_YEAR, sql("CAST(isoyear({0}) AS INTEGER)")),
              entry(ScalarFunction.HOUR, sql("CAST(hour({0}) AS INTEGER)")),
              entry(ScalarFunction.MINUTE, sql("CAST(minute({0}) AS INTEGER)")),
              entry(ScalarFunction.SECOND, sql("CAST(second({0}) AS INTEGER)")),
              entry(ScalarFunction.TO_LOCAL, FunctionSql::appendToLocal)));

  private FunctionSql() {}

  /** Appends a checked call of any function but IN. */
  static void append(Sql sql, ScalarFunction function, RenderedCall call) {
    RENDERINGS.get(function).append(sql, call);
  }

  private static Rendering sql(String template) {
    return new SqlTemplate(template);
  }

  private static Rendering joined(String before, String between, String behind) {
    return (sql, call) -> {
      String separator = before;
      for (Sql argument : call.arguments()) {
        sql.append(separator).append(argument);
        separator = between;
      }
      sql.append(behind);
    };
  }

  private static void appendCase(Sql sql, RenderedCall call) {
    List<Sql> arguments = call.arguments();
    sql.append("(CASE");
    for (int i = 0; i + 1 < arguments.size(); i += 2) {
      sql.append(" WHEN ").append(arguments.get(i));
      sql.append(" THEN ").append(arguments.get(i + 1));
    }
    if (arguments.size() % 2 == 1) {
      sql.append(" ELSE ").append(arguments.get(arguments.size() - 1));
    }
    sql.append(" END)");
  }

  private static final Rendering PLAIN_CAST = sql("CAST({0} AS {r})");
  private static final Rendering TRUNCATING_CAST = sql("CAST(trunc({0}) AS {r})");
  private static final Rendering NOT_ZERO = sql("({0} <> 0)");
  // A plain cast would read backslashes as escapes.
  private static final Rendering UTF8 = sql("encode({0})");

  private static void appendCast(Sql sql, RenderedCall call) {
    DataType from = call.types().get(0).wire();
    DataType to = call.result().wire();
    Rendering rendering;
    if (WireTypes.isDecimal(from) && WireTypes.isInteger(to)) {
      rendering = TRUNCATING_CAST;
    } else if (to.equals(WireTypes.BOOLEAN)) {
      rendering = NOT_ZERO;
    } else if (to.equals(WireTypes.BINARY)) {
      rendering = UTF8;
    } else {
      rendering = PLAIN_CAST;
    }
    rendering.append(sql, call);
  }

  private static final Rendering PRODUCT = sql("CAST({0} * {1} AS {r})");

  private static void appendProduct(Sql sql, RenderedCall call) {
    DataType left = call.types().get(0).wire();
    if (!WireTypes.isDecimal(left)) {
      PRODUCT.append(sql, call);
      return;
    }
    ValueType wide =
        ValueType.of(
            WireTypes.decimal(
                Math.max(left.getPrecision(), MAX_SHORT_DECIMAL + 1), left.getScale()));
    sql.append("CAST(CAST(").append(call.arguments().get(0)).append(" AS " + wide.sql() + ") * ");
    sql.append(call.arguments().get(1)).append(" AS " + call.result().sql() + ")");
  }

  private static final Rendering REMAINDER = sql("CAST({0} % {1} AS {r})");
  private static final Rendering ZERO_OR_NULL = sql("CAST({0} & 0 AS {r})");

  /** The engine fails where it divides the least integer by -1. */
  private static void appendRemainder(Sql sql, RenderedCall call) {
    Literal divisor = call.expressions().get(1).getLiteral();
    boolean byMinusOne = divisor.hasInteger() && divisor.getInteger() == -1;
    (byMinusOne ? ZERO_OR_NULL : REMAINDER).append(sql, call);
  }

  private static void appendToLocal(Sql sql, RenderedCall call) {
    sql.append("make_timestamp(epoch_us(").append(call.arguments().get(0)).append(") + ");
    appendOffset(sql, call, 0, (call.arguments().size() - 2) / 2);
    sql.append(")");
  }

  /**
   * The offset in microseconds, if it is one of those numbered from {@code first} to {@code last}:
   * a tree of conditions, because a zone may have hundreds.
   */
  private static void appendOffset(Sql sql, RenderedCall call, int first, int last) {
    if (first == last) {
      sql.append("1000000 * CAST(")
          .append(call.arguments().get(1 + 2 * first))
          .append(" AS BIGINT)");
      return;
    }
    int middle = (first + last + 1) / 2;
    sql.append("CASE WHEN ").append(call.arguments().get(0));
    sql.append(" < ").append(call.arguments().get(2 * middle)).append(" THEN ");
    appendOffset(sql, call, first, middle - 1);
    sql.append(" ELSE ");
    appendOffset(sql, call, middle, last);
    sql.append(" END");
  }
}
