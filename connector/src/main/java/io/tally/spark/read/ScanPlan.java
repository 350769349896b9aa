package io.tally.spark.read;

import io.tally.rpc.client.ClusterView.OwnedPartition;
import io.tally.rpc.v1.Expression;
import io.tally.spark.pushdown.AggregationPlan;
import java.util.List;
import java.util.Optional;
import org.apache.spark.sql.types.StructType;

/**
 * Everything that decides which rows a scan yields: two scans with equal plans read the same, which
 * is how Spark finds that an exchange can be used twice. Immutable.
 *
 * @param partitions those that remain after pruning
 * @param predicates all of them must be TRUE
 * @param aggregation empty: rows
 * @param readSchema columns that Spark gets
 */
record ScanPlan(
    String table,
    List<OwnedPartition> partitions,
    List<Expression> predicates,
    Optional<AggregationPlan> aggregation,
    StructType readSchema,
    ReadSettings settings) {
  ScanPlan {
    partitions = List.copyOf(partitions);
    predicates = List.copyOf(predicates);
  }

  /** The streams to open, none if there is nothing to read. */
  List<PlannedStream> streams() {
    return aggregation.isPresent()
        ? StreamPlanner.forAggregation(partitions)
        : StreamPlanner.forRows(partitions, settings.splitRows());
  }

  /** Rows of the partitions, before any filter. */
  long rows() {
    return partitions.stream().mapToLong(owned -> owned.partition().getRows()).sum();
  }
}
