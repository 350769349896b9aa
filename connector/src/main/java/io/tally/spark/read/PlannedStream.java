package io.tally.spark.read;

import io.tally.rpc.client.ClusterView.Node;
import io.tally.rpc.v1.ScanPartition;
import java.util.List;

/**
 * One stream to be opened, and so one task.
 *
 * @param node who answers
 * @param partitions what it answers for; at least one
 */
record PlannedStream(Node node, List<ScanPartition> partitions) {
  PlannedStream {
    partitions = List.copyOf(partitions);
  }
}
