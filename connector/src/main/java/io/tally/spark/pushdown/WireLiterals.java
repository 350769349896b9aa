package io.tally.spark.pushdown;

import com.google.protobuf.ByteString;
import io.tally.rpc.WireTypes;
import io.tally.rpc.v1.DataType;
import io.tally.rpc.v1.Literal;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.util.Optional;
import org.apache.spark.sql.types.Decimal;
import org.apache.spark.unsafe.types.UTF8String;

/**
 * Takes literals as Spark holds them inside (days, microseconds, {@code UTF8String}, {@code
 * Decimal}) and gives wire literals of the same type.
 */
final class WireLiterals {
  /** What every node accepts, see expression.proto. */
  private static final long MIN_TIMESTAMP_MICROS = -9_223_372_022_400_000_000L;

  private static final long MAX_TIMESTAMP_MICROS = Long.MAX_VALUE - 1;

  private WireLiterals() {}

  /**
   * The literal on the wire, or empty if it cannot be carried: a string that is not valid UTF-8, a
   * decimal that has more digits than its type, a timestamp of the farthest past or future.
   *
   * @param value Spark's internal form; null is SQL's NULL
   */
  static Optional<Literal> of(Object value, DataType type) {
    Literal.Builder literal = Literal.newBuilder().setType(type);
    if (value == null) {
      return Optional.of(literal.build());
    }
    switch (type.getKind()) {
      case BOOLEAN -> literal.setBoolean((Boolean) value);
      case TINYINT, SMALLINT, INTEGER, BIGINT, DATE, YEAR_MONTH_INTERVAL, DAY_TIME_INTERVAL ->
          literal.setInteger(((Number) value).longValue());
      case TIMESTAMP, TIMESTAMP_NTZ -> {
        long micros = ((Number) value).longValue();
        if (micros < MIN_TIMESTAMP_MICROS || micros > MAX_TIMESTAMP_MICROS) {
          return Optional.empty();
        }
        literal.setInteger(micros);
      }
      case FLOAT -> literal.setFloat32((Float) value);
      case DOUBLE -> literal.setFloat64((Double) value);
      case BINARY -> literal.setBinary(ByteString.copyFrom((byte[]) value));
      case STRING -> {
        UTF8String string = (UTF8String) value;
        String text = string.toString();
        if (!UTF8String.fromString(text).equals(string)) {
          return Optional.empty();
        }
        literal.setString(text);
      }
      case DECIMAL -> {
        BigDecimal decimal = ((Decimal) value).toJavaBigDecimal();
        if (decimal.stripTrailingZeros().scale() > type.getScale()) {
          return Optional.empty();
        }
        BigDecimal scaled = decimal.setScale(type.getScale());
        if (scaled.precision() > type.getPrecision()) {
          return Optional.empty();
        }
        literal.setUnscaled(ByteString.copyFrom(scaled.unscaledValue().toByteArray()));
      }
      default -> {
        return Optional.empty();
      }
    }
    return Optional.of(literal.build());
  }

  /**
   * The literal of an exact type whose value is inside that whole number; empty if the type does
   * not reach so far.
   */
  static Optional<Literal> ofInteger(DataType type, BigInteger value) {
    boolean fits =
        IntegerRange.ofType(type)
            .filter(range -> new IntegerRange(value, value).isWithin(range))
            .isPresent();
    if (!fits) {
      return Optional.empty();
    }
    Literal.Builder literal = Literal.newBuilder().setType(type);
    return Optional.of(
        WireTypes.isDecimal(type)
            ? literal.setUnscaled(ByteString.copyFrom(value.toByteArray())).build()
            : literal.setInteger(value.longValueExact()).build());
  }
}
