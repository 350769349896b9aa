package io.tally.server.table;

import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;

/**
 * A table as its operator describes it; {@link DuckDbCatalog} turns it into a {@link ServedTable}.
 *
 * @param name unique on the node
 * @param clusterPartitions ids of every partition of the table in the cluster, or empty if the node
 *     is not told
 * @param partitionedBy the column that the declarations of the partitions speak of
 * @param columnStatistics whether to compute the bounds of every column when the node starts, which
 *     reads all data once; without, only those of the declared column are known
 * @param columnTypes SQL types for columns of CSV and JSON files, instead of what their values look
 *     like
 * @param partitions those that this node owns
 */
public record TableDefinition(
    String name,
    List<String> clusterPartitions,
    Optional<String> partitionedBy,
    boolean columnStatistics,
    Map<String, String> columnTypes,
    List<PartitionDefinition> partitions) {
  public TableDefinition {
    Objects.requireNonNull(name);
    clusterPartitions = List.copyOf(clusterPartitions);
    Objects.requireNonNull(partitionedBy);
    columnTypes = Map.copyOf(columnTypes);
    partitions = List.copyOf(partitions);
  }
}
