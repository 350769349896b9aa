package io.tally.spark.pushdown;

import io.tally.rpc.WireTypes;
import io.tally.rpc.v1.DataType;
import io.tally.rpc.v1.Literal;
import java.math.BigInteger;
import java.util.Optional;

/**
 * The whole numbers from {@code lower} to {@code upper}, both included: what the values of an exact
 * type are inside, which for a DECIMAL are its unscaled values, for a DATE days, for timestamps
 * microseconds, for intervals months or microseconds.
 */
record IntegerRange(BigInteger lower, BigInteger upper) {
  static final IntegerRange ZERO = of(0, 0);

  static IntegerRange of(long lower, long upper) {
    return new IntegerRange(BigInteger.valueOf(lower), BigInteger.valueOf(upper));
  }

  /** All values of a type; empty if it has no such form. */
  static Optional<IntegerRange> ofType(DataType type) {
    return switch (type.getKind()) {
      case TINYINT -> Optional.of(of(Byte.MIN_VALUE, Byte.MAX_VALUE));
      case SMALLINT -> Optional.of(of(Short.MIN_VALUE, Short.MAX_VALUE));
      case INTEGER, DATE, YEAR_MONTH_INTERVAL ->
          Optional.of(of(Integer.MIN_VALUE, Integer.MAX_VALUE));
      case BIGINT, TIMESTAMP, TIMESTAMP_NTZ, DAY_TIME_INTERVAL ->
          Optional.of(of(Long.MIN_VALUE, Long.MAX_VALUE));
      case DECIMAL -> {
        BigInteger largest = BigInteger.TEN.pow(type.getPrecision()).subtract(BigInteger.ONE);
        yield Optional.of(new IntegerRange(largest.negate(), largest));
      }
      default -> Optional.empty();
    };
  }

  /** The whole number that a literal of an exact type is inside; 0 for NULL. */
  static BigInteger valueOf(Literal literal) {
    return literal.hasUnscaled()
        ? new BigInteger(literal.getUnscaled().toByteArray())
        : BigInteger.valueOf(literal.getInteger());
  }

  boolean isWithin(IntegerRange other) {
    return lower.compareTo(other.lower) >= 0 && upper.compareTo(other.upper) <= 0;
  }

  /** Every value of both, and what lies between. */
  IntegerRange union(IntegerRange other) {
    return new IntegerRange(lower.min(other.lower), upper.max(other.upper));
  }

  IntegerRange plus(IntegerRange other) {
    return new IntegerRange(lower.add(other.lower), upper.add(other.upper));
  }

  IntegerRange minus(IntegerRange other) {
    return plus(other.negate());
  }

  IntegerRange times(IntegerRange other) {
    BigInteger a = lower.multiply(other.lower);
    BigInteger b = lower.multiply(other.upper);
    BigInteger c = upper.multiply(other.lower);
    BigInteger d = upper.multiply(other.upper);
    return new IntegerRange(a.min(b).min(c.min(d)), a.max(b).max(c.max(d)));
  }

  IntegerRange negate() {
    return new IntegerRange(upper.negate(), lower.negate());
  }

  IntegerRange abs() {
    boolean hasZero = lower.signum() <= 0 && upper.signum() >= 0;
    BigInteger least = hasZero ? BigInteger.ZERO : lower.abs().min(upper.abs());
    return new IntegerRange(least, largestAbsoluteValue());
  }

  BigInteger largestAbsoluteValue() {
    return lower.abs().max(upper.abs());
  }

  /**
   * Unscaled values with other digits behind the point, however they are rounded.
   *
   * @param digits more digits than before; negative: fewer
   */
  IntegerRange rescaled(int digits) {
    if (digits >= 0) {
      BigInteger factor = BigInteger.TEN.pow(digits);
      return new IntegerRange(lower.multiply(factor), upper.multiply(factor));
    }
    BigInteger divisor = BigInteger.TEN.pow(-digits);
    return new IntegerRange(floorDiv(lower, divisor), floorDiv(upper, divisor).add(BigInteger.ONE));
  }

  /** Whole times {@code unit}, rounded down. */
  IntegerRange floorDiv(BigInteger unit) {
    return new IntegerRange(floorDiv(lower, unit), floorDiv(upper, unit));
  }

  private static BigInteger floorDiv(BigInteger value, BigInteger divisor) {
    BigInteger[] parts = value.divideAndRemainder(divisor);
    return parts[1].signum() < 0 ? parts[0].subtract(BigInteger.ONE) : parts[0];
  }

  static int scale(DataType type) {
    return WireTypes.isDecimal(type) ? type.getScale() : 0;
  }
}
