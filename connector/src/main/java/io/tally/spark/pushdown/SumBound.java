package io.tally.spark.pushdown;

import io.tally.rpc.v1.DataType;
import io.tally.rpc.v1.Literal;
import io.tally.rpc.v1.Partition;
import java.math.BigInteger;
import java.util.List;

/**
 * Takes the statistics of partitions and proves how large a sum over them can get: rows times the
 * largest absolute value, added up. It holds for the sum of any subset of the rows, and so for
 * every intermediate result, in whatever order the rows are added.
 */
final class SumBound {
  private SumBound() {}

  /**
   * The largest absolute value that a sum of the column can have, in units of its last digit.
   *
   * @param type one of the integer types or DECIMAL
   */
  static BigInteger of(List<Partition> partitions, String column, DataType type) {
    BigInteger total = BigInteger.ZERO;
    for (Partition partition : partitions) {
      BigInteger largest = largestAbsoluteValue(partition, column, type);
      total = total.add(largest.multiply(BigInteger.valueOf(partition.getRows())));
    }
    return total;
  }

  private static BigInteger largestAbsoluteValue(
      Partition partition, String column, DataType type) {
    ValueRange range = ValueRange.of(partition, column, type);
    BigInteger ofType = largestAbsoluteValue(type);
    if (!range.mayBeValue()) {
      return BigInteger.ZERO;
    }
    if (range.lower().isEmpty() || range.upper().isEmpty()) {
      return ofType;
    }
    BigInteger lower = integer(range.lower().get()).abs();
    BigInteger upper = integer(range.upper().get()).abs();
    return lower.max(upper).min(ofType);
  }

  /** 2 to the 31st for INTEGER, say; 10 to the p-th, less one, for DECIMAL(p, s). */
  static BigInteger largestAbsoluteValue(DataType type) {
    return switch (type.getKind()) {
      case TINYINT -> BigInteger.ONE.shiftLeft(7);
      case SMALLINT -> BigInteger.ONE.shiftLeft(15);
      case INTEGER -> BigInteger.ONE.shiftLeft(31);
      case BIGINT -> BigInteger.ONE.shiftLeft(63);
      case DECIMAL -> largestDecimal(type.getPrecision());
      default -> throw new IllegalArgumentException("No exact sums of " + type.getKind());
    };
  }

  /** The largest unscaled value of that many digits. */
  static BigInteger largestDecimal(int precision) {
    return BigInteger.TEN.pow(precision).subtract(BigInteger.ONE);
  }

  private static BigInteger integer(Literal literal) {
    return literal.hasUnscaled()
        ? new BigInteger(literal.getUnscaled().toByteArray())
        : BigInteger.valueOf(literal.getInteger());
  }
}
