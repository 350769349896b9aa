package io.tally.spark.read;

import io.tally.rpc.client.ClusterView.OwnedPartition;
import io.tally.rpc.v1.Expression;
import io.tally.rpc.v1.Partition;
import io.tally.rpc.v1.Sample;
import io.tally.spark.pushdown.AggregationPlan;
import io.tally.spark.pushdown.PartitionKeys;
import java.util.List;
import java.util.Optional;
import org.apache.spark.sql.types.StructType;

/**
 * Everything that decides which rows a scan yields: two scans with equal plans read the same, which
 * is how Spark finds that an exchange can be used twice. Immutable.
 *
 * @param partitions those that remain after pruning
 * @param sample of the rows, before all else; empty: all
 * @param predicates all of them must be TRUE
 * @param aggregation empty: rows
 * @param selection which of the rows, or groups, each stream yields
 * @param keys each stream has rows of one key alone; empty: of any
 * @param columns that Spark gets
 */
record ScanPlan(
    String table,
    List<OwnedPartition> partitions,
    Optional<Sample> sample,
    List<Expression> predicates,
    Optional<AggregationPlan> aggregation,
    RowSelection selection,
    Optional<PartitionKeys> keys,
    RowColumns columns,
    ReadSettings settings) {
  ScanPlan {
    partitions = List.copyOf(partitions);
    predicates = List.copyOf(predicates);
  }

  StructType readSchema() {
    return columns.schema();
  }

  /** The same with streams by other keys. */
  ScanPlan by(Optional<PartitionKeys> keys) {
    return new ScanPlan(
        table, partitions, sample, predicates, aggregation, selection, keys, columns, settings);
  }

  /** The streams to open, none if there is nothing to read. */
  List<PlannedStream> streams() {
    return streams(selection);
  }

  /** The streams that there would be with another selection. */
  List<PlannedStream> streams(RowSelection selection) {
    return aggregation.isPresent() || selection.isAtMost(settings.splitRows())
        ? StreamPlanner.oneForEachNode(partitions)
        : StreamPlanner.forRows(partitions, settings.splitRows(), this::keyOf);
  }

  private Object keyOf(Partition partition) {
    return keys.map(proved -> proved.of(partition.getId())).orElse(List.of());
  }

  /** No more rows than this come from all streams together; an ungrouped aggregation aside. */
  long mostRows() {
    long fromStreams =
        selection.limit().isPresent()
            ? (long) selection.limit().getAsInt() * streams().size()
            : Long.MAX_VALUE;
    return Math.min(rows(), fromStreams);
  }

  /** Rows of the partitions, before any filter. */
  long rows() {
    return partitions.stream().mapToLong(owned -> owned.partition().getRows()).sum();
  }
}
