package io.tally.rpc.client;

import io.grpc.ManagedChannel;
import io.grpc.netty.NettyChannelBuilder;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/**
 * One channel per node address, opened at first use and shared by all scans of the process to that
 * node. Safe for any thread. Idle channels drop their connection after five minutes and take it up
 * again when needed.
 *
 * <p>While calls are open on a connection that has gone quiet, it is probed every 30 s, and given
 * up when a probe is not answered for 20 s; so a node must permit that (gRPC's own servers by
 * default permit one ping in five minutes).
 */
public final class NodeChannels implements AutoCloseable {
  /** Below this, HTTP/2 would hold back even single batches of ordinary size. */
  private static final int MIN_FLOW_CONTROL_WINDOW_BYTES = 1 << 20;

  private static final int KEEP_ALIVE_SECONDS = 30;
  private static final int KEEP_ALIVE_TIMEOUT_SECONDS = 20;
  private static final int IDLE_MINUTES = 5;

  private final int flowControlWindowBytes;
  private final Map<NodeAddress, NodeClient> clients = new HashMap<>();
  private final Map<NodeAddress, NodeChannel> channels = new HashMap<>();
  private boolean closed;

  /**
   * @param windowBytes the HTTP/2 flow-control window of each stream, see {@link
   *     ScanOptions#windowBytes}; at least 1 MiB is used
   */
  public NodeChannels(long windowBytes) {
    this.flowControlWindowBytes =
        (int) Math.max(MIN_FLOW_CONTROL_WINDOW_BYTES, Math.min(Integer.MAX_VALUE, windowBytes));
  }

  /**
   * The client of the node at {@code address}. Does not connect yet; the client lives as long as
   * these channels.
   *
   * @throws IllegalStateException if these channels are closed
   */
  public synchronized NodeClient node(NodeAddress address) {
    if (closed) {
      throw new IllegalStateException("the channels are closed");
    }
    return clients.computeIfAbsent(address, this::connect);
  }

  /** Ends all connections at once; calls in flight fail. */
  @Override
  public synchronized void close() {
    closed = true;
    channels.values().forEach(NodeChannel::shutdownNow);
  }

  private NodeClient connect(NodeAddress address) {
    NodeChannel channel = new NodeChannel(() -> build(address));
    channels.put(address, channel);
    return new NodeClient(address, channel);
  }

  private ManagedChannel build(NodeAddress address) {
    return NettyChannelBuilder.forAddress(address.host(), address.port())
        .usePlaintext()
        .flowControlWindow(flowControlWindowBytes)
        .keepAliveTime(KEEP_ALIVE_SECONDS, TimeUnit.SECONDS)
        .keepAliveTimeout(KEEP_ALIVE_TIMEOUT_SECONDS, TimeUnit.SECONDS)
        .keepAliveWithoutCalls(false)
        .idleTimeout(IDLE_MINUTES, TimeUnit.MINUTES)
        // Callbacks copy a frame and put it into a queue, and never wait; handing them to
        // another thread would only cost.
        .directExecutor()
        .build();
  }
}
