package io.tally.server.scan;

import io.tally.rpc.AggregateFunction;
import io.tally.rpc.TallyException;
import io.tally.rpc.WireTypes;
import io.tally.rpc.v1.DataType;
import io.tally.rpc.v1.ErrorCode;
import io.tally.rpc.v1.Literal;
import java.util.List;

/**
 * Takes one aggregate whose operands are columns of the SELECT below, checks its types and
 * parameters, and hands on the SQL of its result.
 *
 * @param sql of the result, in terms of the operands; values of literals are bound
 * @param type of the result
 * @param canFail whether the engine may find that a result does not fit
 */
record AggregateSql(Sql sql, ValueType type, boolean canFail) {
  private static final ValueType BIGINT = ValueType.of(WireTypes.BIGINT);
  private static final ValueType DOUBLE = ValueType.of(WireTypes.DOUBLE);

  /** The most digits of a DECIMAL that all programs turn into the same DOUBLE. */
  private static final int DOUBLE_DIGITS = 15;

  /**
   * An operand.
   *
   * @param column quoted
   */
  record Operand(String column, ValueType type) {}

  /**
   * The SQL of one aggregate.
   *
   * @param operands as many as the function takes
   * @param parameters likewise
   */
  static AggregateSql of(
      AggregateFunction function, List<Operand> operands, List<Literal> parameters) {
    return switch (function) {
      case COUNT_ALL -> count("count(*)");
      case COUNT -> count(operands);
      case COUNT_DISTINCT -> count("count(DISTINCT " + comparable(function, operands) + ")");
      case SUM -> sum("", operands.get(0));
      case SUM_DISTINCT -> sum("DISTINCT ", operands.get(0));
      case MIN, MAX ->
          of(
              function.wireName() + "(" + comparable(function, operands) + ")",
              operands.get(0).type());
      case VAR_POP, VAR_SAMP, STDDEV_POP, STDDEV_SAMP, COVAR_POP, COVAR_SAMP, REGR_R2, REGR_SXY ->
          statistic(function, call(function.wireName(), operands), operands);
      // The engine divides by a variance of zero.
      case REGR_SLOPE ->
          statistic(
              function,
              "CASE WHEN %s > 0 THEN %s END"
                  .formatted(call("regr_sxx", operands), call("regr_slope", operands)),
              operands);
      case PERCENTILE_CONT -> percentile(function, PLACE_BETWEEN, operands.get(0), parameters);
      case PERCENTILE_DISC -> percentile(function, FIRST_PLACE, operands.get(0), parameters);
      case MODE -> mode(operands.get(0), parameters.get(0));
    };
  }

  private static AggregateSql of(String sql, ValueType type) {
    return new AggregateSql(new Sql().append(sql), type, false);
  }

  private static AggregateSql ofFailing(String sql, ValueType type) {
    return new AggregateSql(new Sql().append(sql), type, true);
  }

  private static AggregateSql count(String call) {
    return of("CAST(" + call + " AS BIGINT)", BIGINT);
  }

  private static AggregateSql count(List<Operand> operands) {
    List<String> columns = operands.stream().map(Operand::column).toList();
    return count(
        columns.size() == 1
            ? "count(" + columns.get(0) + ")"
            : "count(*) FILTER (WHERE "
                + String.join(" IS NOT NULL AND ", columns)
                + " IS NOT NULL)");
  }

  private static String comparable(AggregateFunction function, List<Operand> operands) {
    ExpressionSql.requireComparable(operands.get(0).type(), function.wireName());
    return operands.get(0).column();
  }

  private static AggregateSql sum(String distinct, Operand operand) {
    ExpressionSql.requireComparable(operand.type(), "sum");
    DataType type = operand.type().wire();
    require(
        WireTypes.isNumeric(type) || WireTypes.isInterval(type),
        "sum takes a number or an interval, not " + operand.type().text());
    ValueType result =
        WireTypes.isFloatingPoint(type)
            ? DOUBLE
            : ValueType.of(WireTypes.decimal(WireTypes.MAX_PRECISION, type.getScale()));
    // Floats are widened before they are added; the others are added in 128 bits.
    String addend =
        type.getKind() == DataType.Kind.FLOAT
            ? "CAST(" + operand.column() + " AS DOUBLE)"
            : operand.column();
    return ofFailing("CAST(sum(" + distinct + addend + ") AS " + result.sql() + ")", result);
  }

  private static AggregateSql statistic(
      AggregateFunction function, String sql, List<Operand> operands) {
    List<ValueType> types = operands.stream().map(Operand::type).toList();
    require(
        types.stream().allMatch(DOUBLE::equals),
        "%s takes DOUBLE, not %s"
            .formatted(function.wireName(), types.stream().map(ValueType::text).toList()));
    return ofFailing(sql, DOUBLE);
  }

  private static String call(String name, List<Operand> operands) {
    return name + "(" + String.join(", ", operands.stream().map(Operand::column).toList()) + ")";
  }

  /**
   * Of the sorted values {@code s.l} and the fraction {@code s.p}; places are counted from 1. The
   * engine's own percentiles interpolate in another way, and decimals as decimals.
   */
  private static final String PLACE_BETWEEN =
      """
      CASE WHEN s.l[CAST(floor({q}) AS BIGINT) + 1] = s.l[CAST(ceil({q}) AS BIGINT) + 1] \
      THEN CAST(s.l[CAST(floor({q}) AS BIGINT) + 1] AS DOUBLE) \
      ELSE (ceil({q}) - {q}) * CAST(s.l[CAST(floor({q}) AS BIGINT) + 1] AS DOUBLE) \
      + ({q} - floor({q})) * CAST(s.l[CAST(ceil({q}) AS BIGINT) + 1] AS DOUBLE) END"""
          .replace("{q}", "(CAST(len(s.l) - 1 AS DOUBLE) * s.p)");

  private static final String FIRST_PLACE =
      "CAST(s.l[greatest(1, CAST(ceil(CAST(len(s.l) AS DOUBLE) * s.p) AS BIGINT))] AS DOUBLE)";

  private static AggregateSql percentile(
      AggregateFunction function, String place, Operand operand, List<Literal> parameters) {
    DataType type = operand.type().wire();
    require(
        WireTypes.isInteger(type)
            || (WireTypes.isDecimal(type) && type.getPrecision() <= DOUBLE_DIGITS),
        "%s takes an integer or a DECIMAL of at most %d digits, not %s"
            .formatted(function.wireName(), DOUBLE_DIGITS, operand.type().text()));
    Literal fraction = parameters.get(0);
    require(
        fraction.getType().equals(WireTypes.DOUBLE)
            && fraction.hasFloat64()
            && fraction.getFloat64() >= 0
            && fraction.getFloat64() <= 1,
        "the fraction of %s is not a literal DOUBLE from 0 to 1".formatted(function.wireName()));
    String sorted =
        "list_sort(list({x}) FILTER (WHERE {x} IS NOT NULL), '%s')"
            .formatted(isDescending(function, parameters.get(1)) ? "DESC" : "ASC")
            .replace("{x}", operand.column());
    Sql sql = new Sql().append("list_transform([{'l': ").append(sorted).append(", 'p': ");
    LiteralSql.append(sql, fraction, DOUBLE);
    return new AggregateSql(
        sql.append("}], lambda s: ").append(place).append(")[1]"), DOUBLE, false);
  }

  /** The engine's own mode takes the one that it happens to meet first. */
  private static AggregateSql mode(Operand operand, Literal parameter) {
    DataType type = operand.type().wire();
    require(
        operand.type().comparable()
            && !WireTypes.isFloatingPoint(type)
            && !type.equals(WireTypes.BINARY),
        "mode takes no " + operand.type().text());
    boolean descending = isDescending(AggregateFunction.MODE, parameter);
    String counted =
        "list_transform(map_entries(histogram(%s)), lambda e: {'n': %sCAST(e.value AS BIGINT), 'x': e.key})"
            .formatted(operand.column(), descending ? "" : "-");
    return of(
        "(%s(%s)).x".formatted(descending ? "list_max" : "list_min", counted), operand.type());
  }

  private static boolean isDescending(AggregateFunction function, Literal literal) {
    require(
        literal.getType().equals(WireTypes.BOOLEAN) && literal.hasBoolean(),
        "the direction of %s is not a literal BOOLEAN".formatted(function.wireName()));
    return literal.getBoolean();
  }

  private static void require(boolean condition, String otherwise) {
    if (!condition) {
      throw new TallyException(ErrorCode.INVALID_REQUEST, otherwise + ".");
    }
  }
}
