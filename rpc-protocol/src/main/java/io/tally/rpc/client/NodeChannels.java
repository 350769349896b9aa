package io.tally.rpc.client;

import io.grpc.ManagedChannel;
import io.grpc.netty.NettyChannelBuilder;
import io.tally.rpc.WindowBudget;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/**
 * One channel per node address, opened at first use and shared by all scans of the process to that
 * node. Safe for any thread. Channels without a call drop their connection after half a minute and
 * take it up again when needed: before proxies, load balancers and firewalls forget it, which often
 * tell nobody.
 *
 * <p>No pings are sent. Servers and proxies permit few, one in five minutes by gRPC's default, and
 * end connections on which more come; and what pings are for is done by other means: a node that
 * works gives signs of life, see {@code Open.progress_interval_millis}, and where none come, the
 * connection is probed by a call.
 */
public final class NodeChannels implements AutoCloseable {
  /**
   * HTTP/2's windows are opened again when half of them is used up; twice as large, they never hold
   * back what credits allow.
   */
  private static final int WINDOWS = 2;

  /** Below this, HTTP/2 would hold back even single batches of ordinary size. */
  private static final int MIN_FLOW_CONTROL_WINDOW_BYTES = 1 << 20;

  private static final long IDLE_MILLIS = 30_000;

  private final int flowControlWindowBytes;
  private final WindowBudget windows;
  private final long idleMillis;
  private final Map<NodeAddress, NodeClient> clients = new HashMap<>();
  private final Map<NodeAddress, NodeChannel> channels = new HashMap<>();
  private boolean closed;

  /**
   * Channels whose streams share a budget of their own.
   *
   * @param windowBytes of each stream, see {@link ScanOptions#windowBytes}; HTTP/2's flow-control
   *     windows are twice as large, and at least 1 MiB
   */
  public NodeChannels(long windowBytes) {
    this(windowBytes, new WindowBudget());
  }

  /**
   * Channels whose streams share a budget with others.
   *
   * @param windowBytes as above
   * @param windows gives each stream its window
   */
  public NodeChannels(long windowBytes, WindowBudget windows) {
    this(windowBytes, windows, IDLE_MILLIS);
  }

  /**
   * Channels whose connections are dropped otherwise than by default.
   *
   * @param idleMillis how long a connection is kept without a call on it; at least a second is used
   */
  public NodeChannels(long windowBytes, WindowBudget windows, long idleMillis) {
    this.flowControlWindowBytes =
        (int)
            Math.max(
                MIN_FLOW_CONTROL_WINDOW_BYTES,
                WINDOWS * Math.min(Integer.MAX_VALUE / WINDOWS, windowBytes));
    this.windows = windows;
    this.idleMillis = idleMillis;
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
    return new NodeClient(address, channel, windows);
  }

  private ManagedChannel build(NodeAddress address) {
    return NettyChannelBuilder.forAddress(address.host(), address.port())
        .usePlaintext()
        .flowControlWindow(flowControlWindowBytes)
        .idleTimeout(idleMillis, TimeUnit.MILLISECONDS)
        // Callbacks copy a frame and put it into a queue, and never wait; handing them to
        // another thread would only cost.
        .directExecutor()
        .build();
  }
}
