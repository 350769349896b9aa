package io.tally.server.scan;

import io.tally.rpc.TallyException;
import io.tally.rpc.v1.DataType;
import io.tally.rpc.v1.ErrorCode;
import io.tally.rpc.v1.Literal;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.util.HexFormat;
import java.util.List;
import java.util.Locale;
import java.util.function.Supplier;

/**
 * Checks literals of the wire and hands them on as parameters whose SQL is folded to a constant of
 * exactly the literal's type, so that the engine skips row groups by it.
 */
final class LiteralSql {
  /** The first and last moments of the engine's timestamps; beyond them it has only infinities. */
  private static final long MIN_TIMESTAMP_MICROS = -9_223_372_022_400_000_000L;

  private static final long MAX_TIMESTAMP_MICROS = Long.MAX_VALUE - 1;

  private static final int MAX_PRECISION = 38;
  private static final int MAX_UNSCALED_BYTES = 17;

  private LiteralSql() {}

  /** The literal's type, once the literal is found to be sound. */
  static ValueType check(Literal literal) {
    DataType type = literal.getType();
    if (!ScanFeatures.TYPES.contains(type.getKind())) {
      throw new TallyException(
          ErrorCode.UNSUPPORTED_FEATURE,
          "This node has no literals of type "
              + type.getKind()
              + "; it names the types that it has as features type.….");
    }
    ValueType valueType = ValueType.of(type);
    if (type.getKind() == DataType.Kind.DECIMAL) {
      require(
          type.getPrecision() >= 1
              && type.getPrecision() <= MAX_PRECISION
              && type.getScale() >= 0
              && type.getScale() <= type.getPrecision(),
          () -> valueType.text() + " is not a type: precision is 1 to 38, scale 0 to precision");
    } else {
      require(
          type.getPrecision() == 0 && type.getScale() == 0,
          () -> "a literal of type " + valueType.text() + " has a precision or scale");
    }
    if (!isNull(literal)) {
      require(
          literal.getValueCase() == expectedCase(type.getKind()),
          () ->
              "a literal of type %s has its value in the field `%s`"
                  .formatted(
                      valueType.text(), literal.getValueCase().name().toLowerCase(Locale.ROOT)));
      checkRange(literal, valueType);
    }
    return valueType;
  }

  static boolean isNull(Literal literal) {
    return literal.getValueCase() == Literal.ValueCase.VALUE_NOT_SET;
  }

  /** Appends a {@link #check checked} literal. */
  static void append(Sql sql, Literal literal, ValueType type) {
    if (isNull(literal)) {
      sql.append("CAST(NULL AS ").append(type.sql()).append(")");
      return;
    }
    SqlParameter parameter = new SqlParameter.Scalar(value(literal));
    switch (type.wire().getKind()) {
      case DATE -> sql.append("make_date(CAST(").append(parameter).append(" AS INTEGER))");
      case TIMESTAMP ->
          sql.append("make_timestamptz(CAST(").append(parameter).append(" AS BIGINT))");
      case TIMESTAMP_NTZ ->
          sql.append("make_timestamp(CAST(").append(parameter).append(" AS BIGINT))");
      default -> sql.append("CAST(").append(parameter).append(" AS " + type.sql() + ")");
    }
  }

  /** Appends a list of checked literals of one type, none of them NULL. */
  static void appendList(Sql sql, List<Literal> literals, ValueType type) {
    SqlParameter parameter =
        new SqlParameter.TextList(literals.stream().map(LiteralSql::text).toList());
    switch (type.wire().getKind()) {
      case BINARY -> appendTransformed(sql, parameter, "VARCHAR", "unhex");
      case DATE -> appendTransformed(sql, parameter, "INTEGER", "make_date");
      case TIMESTAMP -> appendTransformed(sql, parameter, "BIGINT", "make_timestamptz");
      case TIMESTAMP_NTZ -> appendTransformed(sql, parameter, "BIGINT", "make_timestamp");
      default -> sql.append("CAST(").append(parameter).append(" AS " + type.sql() + "[])");
    }
  }

  private static void appendTransformed(
      Sql sql, SqlParameter parameter, String element, String function) {
    sql.append("list_transform(CAST(")
        .append(parameter)
        .append(" AS " + element + "[]), lambda v: " + function + "(v))");
  }

  private static Literal.ValueCase expectedCase(DataType.Kind kind) {
    return switch (kind) {
      case BOOLEAN -> Literal.ValueCase.BOOLEAN;
      case FLOAT -> Literal.ValueCase.FLOAT32;
      case DOUBLE -> Literal.ValueCase.FLOAT64;
      case DECIMAL -> Literal.ValueCase.UNSCALED;
      case STRING -> Literal.ValueCase.STRING;
      case BINARY -> Literal.ValueCase.BINARY;
      default -> Literal.ValueCase.INTEGER;
    };
  }

  private static void checkRange(Literal literal, ValueType type) {
    switch (type.wire().getKind()) {
      case TINYINT -> checkInteger(literal, type, Byte.MIN_VALUE, Byte.MAX_VALUE);
      case SMALLINT -> checkInteger(literal, type, Short.MIN_VALUE, Short.MAX_VALUE);
      case INTEGER, DATE, YEAR_MONTH_INTERVAL ->
          checkInteger(literal, type, Integer.MIN_VALUE, Integer.MAX_VALUE);
      case DECIMAL -> {
        int bytes = literal.getUnscaled().size();
        require(
            bytes >= 1 && bytes <= MAX_UNSCALED_BYTES,
            () ->
                "the unscaled value of a literal of type %s has %d bytes"
                    .formatted(type.text(), bytes));
        require(
            decimal(literal).precision() <= type.wire().getPrecision(),
            () ->
                "the literal %s does not fit its type %s"
                    .formatted(decimal(literal).toPlainString(), type.text()));
      }
      case TIMESTAMP, TIMESTAMP_NTZ -> {
        long micros = literal.getInteger();
        if (micros < MIN_TIMESTAMP_MICROS || micros > MAX_TIMESTAMP_MICROS) {
          throw new TallyException(
              ErrorCode.UNSUPPORTED_FEATURE,
              "This node has no timestamp of %d microseconds: its range is %d to %d."
                  .formatted(micros, MIN_TIMESTAMP_MICROS, MAX_TIMESTAMP_MICROS));
        }
      }
      default -> {} // every value of the field is in range
    }
  }

  private static void checkInteger(Literal literal, ValueType type, long least, long most) {
    long value = literal.getInteger();
    require(
        value >= least && value <= most,
        () -> "the literal %d does not fit its type %s".formatted(value, type.text()));
  }

  private static Object value(Literal literal) {
    return switch (literal.getType().getKind()) {
      case BOOLEAN -> literal.getBoolean();
      case FLOAT -> literal.getFloat32();
      case DOUBLE -> literal.getFloat64();
      case DECIMAL -> decimal(literal);
      case STRING -> literal.getString();
      case BINARY -> literal.getBinary().toByteArray();
      default -> literal.getInteger();
    };
  }

  private static String text(Literal literal) {
    return switch (literal.getType().getKind()) {
      case DECIMAL -> decimal(literal).toPlainString();
      case BINARY -> HexFormat.of().formatHex(literal.getBinary().toByteArray());
      default -> value(literal).toString();
    };
  }

  private static BigDecimal decimal(Literal literal) {
    return new BigDecimal(
        new BigInteger(literal.getUnscaled().toByteArray()), literal.getType().getScale());
  }

  private static void require(boolean condition, Supplier<String> otherwise) {
    if (!condition) {
      throw new TallyException(
          ErrorCode.INVALID_REQUEST, "An expression is wrong: " + otherwise.get() + ".");
    }
  }
}
