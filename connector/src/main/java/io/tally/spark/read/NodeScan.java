package io.tally.spark.read;

import com.google.protobuf.ByteString;
import io.tally.rpc.client.NodeAddress;
import java.util.List;
import org.apache.spark.sql.connector.read.InputPartition;

/**
 * One task: one stream from one node, or what other owners of its partitions answer if that node
 * does not. Small, and may be read any number of times.
 *
 * @param owners the node that is planned to answer, which holds all partitions of the task; behind
 *     it all others that hold some
 * @param open a serialised {@code Open} for all partitions, without scan id and limits, and without
 *     what differs from owner to owner, see {@link StreamOwner#ask}
 */
record NodeScan(List<StreamOwner> owners, ByteString open) implements InputPartition {
  NodeScan {
    owners = List.copyOf(owners);
  }

  /** Of the planned node. */
  NodeAddress address() {
    return owners.get(0).address();
  }

  /** Of the planned node. */
  String nodeId() {
    return owners.get(0).nodeId();
  }

  /** The planned node's own host, where an executor may run, too. */
  @Override
  public String[] preferredLocations() {
    return new String[] {address().host()};
  }
}
