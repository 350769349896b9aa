package io.tally.server.grpc;

import io.grpc.ManagedChannel;
import io.grpc.netty.NettyChannelBuilder;
import io.tally.rpc.client.NodeAddress;
import io.tally.rpc.client.NodeChannels;
import io.tally.rpc.client.NodeClient;
import io.tally.server.fixture.Await;
import io.tally.server.fixture.MemoryCatalog;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.concurrent.TimeUnit;
import org.apache.arrow.memory.BufferAllocator;
import org.apache.arrow.memory.RootAllocator;

/** A node on loopback with clients; fails at closing if anything is left on either side. */
final class TestNode implements AutoCloseable {
  static final int WINDOW_BYTES = 4 << 20;
  static final int CLIENT_WINDOW_BYTES = 1 << 20;

  final MemoryCatalog catalog = new MemoryCatalog();
  final BufferAllocator allocator = new RootAllocator();
  final NodeServer server;
  final ManagedChannel channel;
  private final NodeChannels channels = new NodeChannels(CLIENT_WINDOW_BYTES);

  TestNode(int concurrentScans, int queuedScans, long queueTimeoutMillis) {
    this(concurrentScans, queuedScans, queueTimeoutMillis, 30_000, 64 << 20);
  }

  TestNode(
      int concurrentScans,
      int queuedScans,
      long queueTimeoutMillis,
      long resumeGraceMillis,
      long resumeBytes) {
    this(
        new NodeSettings(
            "node-a",
            "127.0.0.1",
            0,
            concurrentScans,
            queuedScans,
            queueTimeoutMillis,
            WINDOW_BYTES,
            resumeGraceMillis,
            resumeBytes,
            64,
            200_000));
  }

  TestNode(NodeSettings settings) {
    try {
      server = NodeServer.start(settings, catalog);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    channel =
        NettyChannelBuilder.forAddress("127.0.0.1", server.port())
            .usePlaintext()
            .flowControlWindow(CLIENT_WINDOW_BYTES)
            .build();
  }

  NodeClient client() {
    return channels.node(new NodeAddress("127.0.0.1", server.port()));
  }

  /** Opens a call whose messages the test asks for one by one. */
  HandDrivenCall call() {
    return HandDrivenCall.start(channel, allocator);
  }

  void awaitIdle() {
    Await.until(
        "no scans and no memory, but " + server.stats(),
        () -> {
          NodeStats stats = server.stats();
          return stats.openScans() == 0
              && stats.runningScans() == 0
              && stats.queuedScans() == 0
              && stats.allocatedBytes() == 0
              && stats.sendBytes() == 0;
        });
  }

  @Override
  public void close() {
    awaitIdle();
    channels.close();
    channel.shutdownNow();
    try {
      channel.awaitTermination(10, TimeUnit.SECONDS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
    server.close();
    catalog.close();
    allocator.close();
  }
}
