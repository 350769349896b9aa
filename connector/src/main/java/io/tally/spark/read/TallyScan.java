package io.tally.spark.read;

import io.tally.spark.pushdown.AggregationPlan;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.UnaryOperator;
import org.apache.spark.sql.connector.expressions.Expression;
import org.apache.spark.sql.connector.expressions.NamedReference;
import org.apache.spark.sql.connector.expressions.filter.Predicate;
import org.apache.spark.sql.connector.metric.CustomMetric;
import org.apache.spark.sql.connector.read.Batch;
import org.apache.spark.sql.connector.read.Statistics;
import org.apache.spark.sql.connector.read.SupportsReportPartitioning;
import org.apache.spark.sql.connector.read.SupportsReportStatistics;
import org.apache.spark.sql.connector.read.SupportsRuntimeV2Filtering;
import org.apache.spark.sql.connector.read.colstats.ColumnStatistics;
import org.apache.spark.sql.connector.read.partitioning.KeyGroupedPartitioning;
import org.apache.spark.sql.connector.read.partitioning.Partitioning;
import org.apache.spark.sql.connector.read.partitioning.UnknownPartitioning;
import org.apache.spark.sql.types.StructType;

/**
 * What one scan reads, as the scan builder left it: hands Spark its schema, its statistics, its
 * line in EXPLAIN, and the batch to run. Equality is that of the {@link ScanPlan}: the reasons why
 * something was not pushed do not change what is read.
 *
 * <p>When Spark asks for the tasks, the scan is planned anew if the table has changed since, once:
 * nothing of it has been read then. Spark may make several batches of one scan, in the middle of a
 * query, too; they all read what the first one found.
 *
 * <p>Immutable beside that but for one thing: a runtime filter belongs to the next batch that the
 * same thread asks for, and to no other. Spark asks for it at once, and one scan may stand at
 * several places of a plan of which only some are filtered.
 */
final class TallyScan
    implements SupportsReportStatistics, SupportsReportPartitioning, SupportsRuntimeV2Filtering {
  private final ScanPlan plan;
  private final RuntimeFilters runtimeFilters;
  private final AtomicReference<Pending> pending = new AtomicReference<>();
  private final ScanDescription description;
  private final Map<NamedReference, ColumnStatistics> columnStatistics;
  private final int tableRowBytes;
  private final UnaryOperator<TallyScan> upToDate;

  /** What stands in for this scan; empty as long as nobody has asked. */
  private final AtomicReference<TallyScan> current = new AtomicReference<>();

  /** A filter for the next batch that this thread asks for. */
  private record Pending(Thread by, RuntimeFilter filter) {}

  /**
   * @param runtimeFilters what may be made of predicates that Spark finds while the query runs
   * @param columnStatistics by column, for Spark's estimates
   * @param tableRowBytes what Spark takes for the size of a row with all columns
   * @param upToDate gives a scan of the table as it is now
   */
  TallyScan(
      ScanPlan plan,
      RuntimeFilters runtimeFilters,
      ScanDescription description,
      Map<NamedReference, ColumnStatistics> columnStatistics,
      int tableRowBytes,
      UnaryOperator<TallyScan> upToDate) {
    this.plan = plan;
    this.runtimeFilters = runtimeFilters;
    this.description = description;
    this.columnStatistics = Map.copyOf(columnStatistics);
    this.tableRowBytes = tableRowBytes;
    this.upToDate = upToDate;
  }

  ScanPlan plan() {
    return plan;
  }

  private synchronized TallyScan current() {
    if (current.get() == null) {
      current.set(upToDate.apply(this));
    }
    return current.get();
  }

  @Override
  public StructType readSchema() {
    return plan.readSchema();
  }

  @Override
  public Batch toBatch() {
    Pending filtered = pending.get();
    boolean ours =
        filtered != null
            && filtered.by().equals(Thread.currentThread())
            && pending.compareAndSet(filtered, null);
    return new TallyBatch(
        plan, ours ? filtered.filter() : RuntimeFilter.NONE, () -> current().plan);
  }

  /** By keys, if each stream has rows of one key alone: Spark then need not shuffle by them. */
  @Override
  public Partitioning outputPartitioning() {
    int streams = plan.streams().size();
    if (plan.keys().isEmpty() || streams == 0) {
      return new UnknownPartitioning(streams);
    }
    Expression[] columns =
        plan.keys().get().columns().stream()
            .map(ColumnReference::identity)
            .toArray(Expression[]::new);
    return new KeyGroupedPartitioning(columns, streams);
  }

  @Override
  public NamedReference[] filterAttributes() {
    return runtimeFilters.attributes();
  }

  @Override
  public void filter(Predicate[] predicates) {
    TallyScan now = current();
    RuntimeFilter filter = now.runtimeFilters.of(predicates, now.plan.partitions());
    pending.set(new Pending(Thread.currentThread(), filter));
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
    long rows = oneRow ? Math.max(1, plan.streams().size()) : plan.mostRows();
    double rowBytes = plan.readSchema().defaultSize() + (double) Long.BYTES;
    double share = Math.min(1, rowBytes / tableRowBytes) * rows / Math.max(1, plan.rows());
    double storedBytes = oneRow ? 0 : storedBytes() * share;
    // A double that is too large becomes Long.MAX_VALUE.
    long bytes = (long) Math.max(1, Math.max(rows * rowBytes, storedBytes));
    return new Estimate(OptionalLong.of(bytes), OptionalLong.of(rows), columnStatistics);
  }

  private double storedBytes() {
    return plan.partitions().stream()
        .mapToLong(owned -> owned.partition().getStoredBytes())
        .asDoubleStream()
        .sum();
  }

  private record Estimate(
      OptionalLong sizeInBytes,
      OptionalLong numRows,
      Map<NamedReference, ColumnStatistics> columnStats)
      implements Statistics {}

  /** Of what is read, if that is known already. */
  @Override
  public String description() {
    TallyScan shown = Optional.ofNullable(current.get()).orElse(this);
    return shown.description.of(shown.plan);
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
