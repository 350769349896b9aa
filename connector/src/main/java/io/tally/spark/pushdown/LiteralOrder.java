package io.tally.spark.pushdown;

import com.google.protobuf.ByteString;
import io.tally.rpc.v1.Literal;
import java.math.BigInteger;
import java.util.Optional;

/**
 * Compares wire literals in the order of expression.proto, where that order is beyond doubt: never
 * for FLOAT and DOUBLE, whose NaN and negative zero make bounds from other systems untrustworthy.
 */
final class LiteralOrder {
  private LiteralOrder() {}

  /**
   * Negative, zero or positive; empty if the two cannot be compared: other types, NULL, floating
   * point.
   */
  static Optional<Integer> compare(Literal left, Literal right) {
    if (!left.getType().equals(right.getType()) || !hasValue(left) || !hasValue(right)) {
      return Optional.empty();
    }
    return switch (left.getValueCase()) {
      case BOOLEAN -> Optional.of(Boolean.compare(left.getBoolean(), right.getBoolean()));
      case INTEGER -> Optional.of(Long.compare(left.getInteger(), right.getInteger()));
      case UNSCALED -> Optional.of(unscaled(left).compareTo(unscaled(right)));
      case STRING -> Optional.of(compareBytes(left.getStringBytes(), right.getStringBytes()));
      case BINARY -> Optional.of(compareBytes(left.getBinary(), right.getBinary()));
      case FLOAT32, FLOAT64, VALUE_NOT_SET -> Optional.empty();
    };
  }

  /** Whether it is not NULL and holds the kind of value that its type says. */
  static boolean hasValue(Literal literal) {
    return switch (literal.getType().getKind()) {
      case BOOLEAN -> literal.hasBoolean();
      case TINYINT,
          SMALLINT,
          INTEGER,
          BIGINT,
          DATE,
          TIMESTAMP,
          TIMESTAMP_NTZ,
          YEAR_MONTH_INTERVAL,
          DAY_TIME_INTERVAL ->
          literal.hasInteger();
      case FLOAT -> literal.hasFloat32();
      case DOUBLE -> literal.hasFloat64();
      case DECIMAL -> literal.hasUnscaled() && !literal.getUnscaled().isEmpty();
      case STRING -> literal.hasString();
      case BINARY -> literal.hasBinary();
      default -> false;
    };
  }

  private static BigInteger unscaled(Literal literal) {
    return new BigInteger(literal.getUnscaled().toByteArray());
  }

  private static int compareBytes(ByteString left, ByteString right) {
    return ByteString.unsignedLexicographicalComparator().compare(left, right);
  }
}
