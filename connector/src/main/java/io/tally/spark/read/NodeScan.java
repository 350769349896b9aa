package io.tally.spark.read;

import com.google.protobuf.ByteString;
import io.tally.rpc.client.NodeAddress;
import org.apache.spark.sql.connector.read.InputPartition;

/**
 * One task: one stream from one node. Small, and may be read any number of times.
 *
 * @param nodeId for messages
 * @param open a serialised {@code Open} without scan id and limits
 */
record NodeScan(NodeAddress address, String nodeId, ByteString open) implements InputPartition {

  /** The node's own host, where an executor may run, too. */
  @Override
  public String[] preferredLocations() {
    return new String[] {address.host()};
  }
}
