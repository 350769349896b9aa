package io.tally.rpc.client;

import io.tally.rpc.v1.DescribeNodeResponse;
import io.tally.rpc.v1.DescribeTableResponse;
import io.tally.rpc.v1.Open;
import org.apache.arrow.memory.BufferAllocator;

/**
 * Calls one node. Safe for any thread. Every method throws {@link io.tally.rpc.TallyException}: the
 * node's own error, or NODE_UNREACHABLE, NOT_A_TALLY_NODE, NODE_SILENT.
 */
public final class NodeClient {
  NodeClient() {}

  /** Where the node listens. */
  public NodeAddress address() {
    throw new UnsupportedOperationException("skeleton");
  }

  /** Waits at most {@code timeoutMillis}. */
  public DescribeNodeResponse describeNode(long timeoutMillis) {
    throw new UnsupportedOperationException("skeleton");
  }

  /** Waits at most {@code timeoutMillis}. */
  public DescribeTableResponse describeTable(String table, long timeoutMillis) {
    throw new UnsupportedOperationException("skeleton");
  }

  /**
   * Opens a scan; returns at once, before the node has answered.
   *
   * @param open everything but {@code scan_id} and the limits, which are filled in from {@code
   *     options}; a scan_id that is set is kept
   * @param allocator parent of the stream's own allocator; must outlive the stream
   */
  public ScanStream scan(Open open, ScanOptions options, BufferAllocator allocator) {
    throw new UnsupportedOperationException("skeleton");
  }
}
