package io.tally.spark.pushdown;

import io.tally.rpc.v1.DataType;
import io.tally.rpc.v1.Literal;
import io.tally.rpc.v1.Partition;
import io.tally.spark.types.TableSchema;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import org.apache.spark.sql.connector.read.colstats.ColumnStatistics;

/**
 * Takes what is known of one column in the partitions of a scan and gives the statistics by which
 * Spark estimates: bounds that hold for every row, not exact ones. Immutable.
 *
 * @param min in the form in which Spark holds values inside; empty: not known
 * @param max likewise
 * @param nullCount exact, empty: not known
 * @param distinctCount no more than this; empty: not known
 */
public record ColumnEstimate(
    Optional<Object> min, Optional<Object> max, OptionalLong nullCount, OptionalLong distinctCount)
    implements ColumnStatistics {

  /** Empty if nothing at all is known. */
  public static Optional<ColumnStatistics> of(
      TableSchema schema, List<Partition> partitions, String column) {
    Optional<DataType> type =
        schema.column(column).flatMap(field -> SparkTypes.toWire(field.dataType()));
    if (type.isEmpty() || partitions.isEmpty()) {
      return Optional.empty();
    }
    Sum sum = new Sum();
    partitions.forEach(
        partition -> sum.add(partition.getRows(), ValueRange.of(partition, column, type.get())));
    ColumnEstimate estimate = sum.estimate(Use.of(type.get()));
    boolean known =
        estimate.min.isPresent()
            || estimate.max.isPresent()
            || estimate.nullCount.isPresent()
            || estimate.distinctCount.isPresent();
    return known ? Optional.of(estimate) : Optional.empty();
  }

  /**
   * What Spark may be told of a type: its {@code EstimationUtils.toDouble} fails for bounds of
   * other types than these, and its {@code ValueInterval} takes a column with a count of values and
   * without bounds for one of NULLs alone, unless it holds strings.
   */
  private enum Use {
    BOUNDS_AND_COUNT(true, true),
    COUNT(false, true),
    NEITHER(false, false);

    private final boolean bounds;
    private final boolean count;

    Use(boolean bounds, boolean count) {
      this.bounds = bounds;
      this.count = count;
    }

    static Use of(DataType type) {
      return switch (type.getKind()) {
        case BOOLEAN, TINYINT, SMALLINT, INTEGER, BIGINT -> BOUNDS_AND_COUNT;
        case FLOAT, DOUBLE, DECIMAL, DATE, TIMESTAMP -> BOUNDS_AND_COUNT;
        case STRING, BINARY -> COUNT;
        default -> NEITHER;
      };
    }
  }

  /** What is known of all partitions so far. */
  private static final class Sum {
    private final Set<Literal> values = new HashSet<>();
    private Optional<Literal> lower = Optional.empty();
    private Optional<Literal> upper = Optional.empty();
    private boolean lowerIsKnown = true;
    private boolean upperIsKnown = true;
    private boolean valuesAreKnown = true;
    private boolean nullsAreKnown = true;
    private long nulls;

    void add(long rows, ValueRange range) {
      nullsAreKnown &= !(range.mayBeNull() && range.mayBeValue());
      if (!range.mayBeValue()) {
        nulls += rows;
        return;
      }
      valuesAreKnown &= !range.values().isEmpty();
      values.addAll(range.values());
      lowerIsKnown &= range.lower().isPresent();
      upperIsKnown &= range.upper().isPresent();
      lower =
          range.lower().map(next -> lower.isPresent() && !less(next, lower) ? lower.get() : next);
      upper =
          range.upper().map(next -> upper.isPresent() && less(next, upper) ? upper.get() : next);
    }

    private static boolean less(Literal left, Optional<Literal> right) {
      return LiteralOrder.compare(left, right.orElseThrow()).map(order -> order < 0).orElse(false);
    }

    ColumnEstimate estimate(Use use) {
      return new ColumnEstimate(
          use.bounds && lowerIsKnown ? lower.map(CatalystLiterals::of) : Optional.empty(),
          use.bounds && upperIsKnown ? upper.map(CatalystLiterals::of) : Optional.empty(),
          nullsAreKnown ? OptionalLong.of(nulls) : OptionalLong.empty(),
          use.count && valuesAreKnown ? OptionalLong.of(values.size()) : OptionalLong.empty());
    }
  }
}
