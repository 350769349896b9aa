package io.tally.spark.pushdown;

import io.tally.rpc.v1.Expression;
import io.tally.rpc.v1.Partition;
import io.tally.spark.types.TableSchema;
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
   * The largest absolute value that a sum of the expression can have, in units of its last digit.
   *
   * @param addend of one of the integer types or DECIMAL
   */
  static BigInteger of(TableSchema schema, List<Partition> partitions, Expression addend) {
    BigInteger total = BigInteger.ZERO;
    for (Partition partition : partitions) {
      IntegerRange range =
          new RangeAnalysis(new ColumnRanges(schema, List.of(partition))).of(addend).range();
      total =
          total.add(range.largestAbsoluteValue().multiply(BigInteger.valueOf(partition.getRows())));
    }
    return total;
  }

  /** The largest unscaled value of that many digits. */
  static BigInteger largestDecimal(int precision) {
    return BigInteger.TEN.pow(precision).subtract(BigInteger.ONE);
  }
}
