package io.tally.rpc.client;

/**
 * One gRPC channel per node address, opened at first use and shared by all scans of the process to
 * that node. Safe for any thread. Idle channels drop their connection after five minutes and take
 * it up again when needed.
 */
public final class NodeChannels implements AutoCloseable {
  /**
   * @param windowBytes the HTTP/2 flow-control window of each stream, see {@link
   *     ScanOptions#windowBytes}
   */
  public NodeChannels(long windowBytes) {
    throw new UnsupportedOperationException("skeleton");
  }

  /**
   * The client of the node at {@code address}. Does not connect yet; the client lives as long as
   * these channels.
   */
  public NodeClient node(NodeAddress address) {
    throw new UnsupportedOperationException("skeleton");
  }

  /** Ends all connections at once; calls in flight fail. */
  @Override
  public void close() {
    throw new UnsupportedOperationException("skeleton");
  }
}
