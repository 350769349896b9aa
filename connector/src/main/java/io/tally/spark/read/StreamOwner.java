package io.tally.spark.read;

import io.tally.rpc.Features;
import io.tally.rpc.client.ClusterView.Node;
import io.tally.rpc.client.NodeAddress;
import io.tally.rpc.v1.Open;
import java.io.Serializable;
import java.util.BitSet;

/**
 * A node that can answer for some of the partitions of a task, or for all. Immutable.
 *
 * @param layoutVersion of the table, as the node named it
 * @param resumes whether a scan survives a broken connection
 * @param holds positions in the task's list of partitions
 */
record StreamOwner(
    NodeAddress address, String nodeId, String layoutVersion, boolean resumes, BitSet holds)
    implements Serializable {
  StreamOwner {
    holds = copy(holds);
  }

  static StreamOwner of(Node node, BitSet holds) {
    return new StreamOwner(
        node.address(),
        node.nodeId(),
        node.layoutVersion(),
        node.features().contains(Features.RESUME),
        holds);
  }

  @Override
  public BitSet holds() {
    return copy(holds);
  }

  private static BitSet copy(BitSet bits) {
    return (BitSet) bits.clone();
  }

  /** Which of the partitions it can answer for. */
  BitSet among(BitSet partitions) {
    BitSet common = copy(holds);
    common.and(partitions);
    return common;
  }

  /**
   * What to ask of this node.
   *
   * @param task for all partitions of the task, without what differs from owner to owner
   * @param partitions positions of those that this node is to answer for
   */
  Open ask(Open task, BitSet partitions) {
    Open.Builder open = task.toBuilder().setLayoutVersion(layoutVersion).clearResumeAfter();
    if (partitions.cardinality() < task.getPartitionsCount()) {
      open.clearPartitions();
      partitions.stream().forEach(position -> open.addPartitions(task.getPartitions(position)));
    }
    if (resumes) {
      open.setResumeAfter(0);
    }
    return open.build();
  }

  @Override
  public String toString() {
    return "\"" + nodeId + "\" (" + address + ")";
  }
}
