package io.tally.rpc.client;

import com.google.common.util.concurrent.ListenableFuture;
import io.grpc.Channel;
import io.grpc.Status;
import io.tally.rpc.TallyException;
import io.tally.rpc.TallyStatus;
import io.tally.rpc.WindowBudget;
import io.tally.rpc.v1.DescribeNodeRequest;
import io.tally.rpc.v1.DescribeNodeResponse;
import io.tally.rpc.v1.DescribeTableRequest;
import io.tally.rpc.v1.DescribeTableResponse;
import io.tally.rpc.v1.ErrorCode;
import io.tally.rpc.v1.Open;
import io.tally.rpc.v1.PartitionServiceGrpc;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import org.apache.arrow.memory.BufferAllocator;

/**
 * Calls one node. Safe for any thread. Every method throws {@link TallyException}: the node's own
 * error, or NODE_UNREACHABLE, NOT_A_TALLY_NODE, NODE_SILENT.
 */
public final class NodeClient {
  /** A table may have very many partitions, each with its statistics. */
  private static final int MAX_DESCRIPTION_BYTES = 64 << 20;

  private final NodeAddress address;
  private final Channel channel;
  private final WindowBudget windows;

  NodeClient(NodeAddress address, Channel channel, WindowBudget windows) {
    this.address = address;
    this.channel = channel;
    this.windows = windows;
  }

  /** Where the node listens. */
  public NodeAddress address() {
    return address;
  }

  /** Waits at most {@code timeoutMillis}. */
  public DescribeNodeResponse describeNode(long timeoutMillis) {
    return await(startDescribeNode(timeoutMillis));
  }

  /** Waits at most {@code timeoutMillis}. */
  public DescribeTableResponse describeTable(String table, long timeoutMillis) {
    return await(startDescribeTable(table, timeoutMillis));
  }

  /**
   * Opens a scan; returns at once, before the node has answered.
   *
   * @param open everything but {@code scan_id} and the limits, which are filled in from {@code
   *     options}; a scan_id that is set is kept. With {@code resume_after} 0, for a node that has
   *     the feature {@code scan.resume}, the scan survives a broken connection
   * @param options its window is used as far as the process has room for it
   * @param allocator parent of the stream's own allocator; must outlive the stream
   */
  public ScanStream scan(Open open, ScanOptions options, BufferAllocator allocator) {
    return ScanStream.open(channel, address, open, options, windows, allocator);
  }

  /** Ends by itself after {@code timeoutMillis} at the latest. */
  ListenableFuture<DescribeNodeResponse> startDescribeNode(long timeoutMillis) {
    return stub(timeoutMillis).describeNode(DescribeNodeRequest.getDefaultInstance());
  }

  /** Ends by itself after {@code timeoutMillis} at the latest. */
  ListenableFuture<DescribeTableResponse> startDescribeTable(String table, long timeoutMillis) {
    return stub(timeoutMillis)
        .describeTable(DescribeTableRequest.newBuilder().setTable(table).build());
  }

  /** The outcome of a call that was started here. */
  <T> T await(ListenableFuture<T> answer) {
    try {
      return answer.get();
    } catch (ExecutionException e) {
      throw TallyStatus.fromStatus(
          "node " + address, Status.fromThrowable(e), Status.trailersFromThrowable(e));
    } catch (InterruptedException e) {
      answer.cancel(true);
      Thread.currentThread().interrupt();
      throw new TallyException(
          ErrorCode.CANCELLED, "Interrupted while waiting for node " + address + ".", e);
    }
  }

  private PartitionServiceGrpc.PartitionServiceFutureStub stub(long timeoutMillis) {
    return PartitionServiceGrpc.newFutureStub(channel)
        .withMaxInboundMessageSize(MAX_DESCRIPTION_BYTES)
        .withDeadlineAfter(timeoutMillis, TimeUnit.MILLISECONDS);
  }
}
