package io.tally.spark.read;

import io.tally.spark.pushdown.AggregationPlan;
import java.util.List;
import java.util.OptionalLong;
import org.apache.spark.sql.connector.metric.CustomMetric;
import org.apache.spark.sql.connector.read.Batch;
import org.apache.spark.sql.connector.read.Scan;
import org.apache.spark.sql.connector.read.Statistics;
import org.apache.spark.sql.connector.read.SupportsReportStatistics;
import org.apache.spark.sql.types.StructType;

/**
 * What one scan reads, as the scan builder left it: hands Spark its schema, its statistics, its
 * line in EXPLAIN, and the batch to run. Immutable. Equality is that of the {@link ScanPlan}: the
 * reasons why something was not pushed do not change what is read.
 */
final class TallyScan implements Scan, SupportsReportStatistics {
  private final ScanPlan plan;
  private final List<String> pushedPredicates;
  private final List<NotPushed> notPushed;
  private final int totalPartitions;
  private final int tableRowBytes;

  /**
   * @param pushedPredicates for people
   * @param totalPartitions of the table, before pruning
   * @param tableRowBytes what Spark takes for the size of a row with all columns
   */
  TallyScan(
      ScanPlan plan,
      List<String> pushedPredicates,
      List<NotPushed> notPushed,
      int totalPartitions,
      int tableRowBytes) {
    this.plan = plan;
    this.pushedPredicates = List.copyOf(pushedPredicates);
    this.notPushed = List.copyOf(notPushed);
    this.totalPartitions = totalPartitions;
    this.tableRowBytes = tableRowBytes;
  }

  @Override
  public StructType readSchema() {
    return plan.readSchema();
  }

  @Override
  public Batch toBatch() {
    return new TallyBatch(plan);
  }

  @Override
  public ColumnarSupportMode columnarSupportMode() {
    return ColumnarSupportMode.SUPPORTED;
  }

  @Override
  public CustomMetric[] supportedCustomMetrics() {
    return ScanMetrics.all();
  }

  /**
   * Upper bounds: what a predicate leaves is not known, so a join is never planned on the hope that
   * it leaves little. Bytes are those in Spark's memory, or as stored if that is more (long
   * strings).
   */
  @Override
  public Statistics estimateStatistics() {
    boolean oneRow = plan.aggregation().map(AggregationPlan::isUngrouped).orElse(false);
    long rows = oneRow ? Math.max(1, plan.streams().size()) : plan.rows();
    double rowBytes = plan.readSchema().defaultSize() + (double) Long.BYTES;
    double storedBytes = oneRow ? 0 : storedBytes() * Math.min(1, rowBytes / tableRowBytes);
    // A double that is too large becomes Long.MAX_VALUE.
    long bytes = (long) Math.max(1, Math.max(rows * rowBytes, storedBytes));
    return new Estimate(OptionalLong.of(bytes), OptionalLong.of(rows));
  }

  private double storedBytes() {
    return plan.partitions().stream()
        .mapToLong(owned -> owned.partition().getStoredBytes())
        .asDoubleStream()
        .sum();
  }

  private record Estimate(OptionalLong sizeInBytes, OptionalLong numRows) implements Statistics {}

  @Override
  public String description() {
    StringBuilder text = new StringBuilder("tally ").append(plan.table());
    text.append(" PushedPredicates: ").append(pushedPredicates);
    plan.aggregation()
        .ifPresent(
            aggregation ->
                text.append(", PushedAggregates: ")
                    .append(aggregation.aggregates())
                    .append(", PushedGroupBy: ")
                    .append(aggregation.keys())
                    .append(aggregation.complete() ? " (complete)" : " (partial)"));
    text.append(", Partitions: ").append(plan.partitions().size()).append(" of ");
    text.append(totalPartitions).append(", Streams: ").append(plan.streams().size());
    if (!notPushed.isEmpty()) {
      text.append(", NotPushed: [");
      text.append(String.join("; ", notPushed.stream().map(NotPushed::toString).toList()));
      text.append(']');
    }
    return text.toString();
  }

  @Override
  public boolean equals(Object other) {
    return other instanceof TallyScan scan && plan.equals(scan.plan);
  }

  @Override
  public int hashCode() {
    return plan.hashCode();
  }

  @Override
  public String toString() {
    return description();
  }
}
