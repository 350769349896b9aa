package io.tally.rpc.client;

import com.google.common.util.concurrent.FutureCallback;
import com.google.common.util.concurrent.Futures;
import com.google.common.util.concurrent.ListenableFuture;
import com.google.common.util.concurrent.MoreExecutors;
import io.grpc.CallOptions;
import io.grpc.Channel;
import io.grpc.ConnectivityState;
import io.grpc.ManagedChannel;
import io.grpc.MethodDescriptor;
import io.grpc.Status;
import io.tally.rpc.v1.DescribeNodeRequest;
import io.tally.rpc.v1.DescribeNodeResponse;
import io.tally.rpc.v1.PartitionServiceGrpc;
import java.util.HashSet;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;

/**
 * Receives calls for one node and hands them to a channel of gRPC: to a new one after each failure
 * to reach the node. Safe for any thread.
 *
 * <p>A channel answers calls with its last failure to connect until its back-off is over, up to two
 * minutes, and calls that wait for a connection are failed before the channel's state tells of it.
 * A caller that calls again wants to know how things are now. So both are looked at: how calls end,
 * and the state, which also tells of a failure that no call has waited for, being cancelled.
 *
 * <p>A connection whose other end is gone without a word looks alive. So a call that runs into its
 * deadline gets others another connection, and one on which nothing comes can have it probed: by an
 * ordinary call, which nobody in between takes for an attack, as HTTP/2's pings may be.
 */
final class NodeChannel extends Channel {
  private final Supplier<ManagedChannel> connect;

  /** All that may still have calls. */
  private final Set<ManagedChannel> channels = new HashSet<>();

  private ManagedChannel current;

  /**
   * A channel that does not connect yet.
   *
   * @param connect makes a channel to the node
   */
  NodeChannel(Supplier<ManagedChannel> connect) {
    this.connect = connect;
    this.current = connect.get();
    channels.add(current);
  }

  @Override
  public <A, B> NodeCall<A, B> newCall(MethodDescriptor<A, B> method, CallOptions options) {
    ManagedChannel channel = usable();
    return new NodeCall<>(this, channel, channel.newCall(method, options));
  }

  @Override
  public String authority() {
    return current().authority();
  }

  /** Ends all connections at once; calls in flight fail, and calls to come. */
  synchronized void shutdownNow() {
    channels.forEach(ManagedChannel::shutdownNow);
  }

  private ManagedChannel usable() {
    ManagedChannel channel = current();
    if (channel.getState(false) == ConnectivityState.TRANSIENT_FAILURE) {
      replace(channel);
    }
    return current();
  }

  private synchronized ManagedChannel current() {
    return current;
  }

  /** Ends the connection of a channel at once, unless the node answers on it within a time. */
  void probe(ManagedChannel doubted, long answerMillis) {
    if (doubted != current()) {
      // It takes no calls any more, because there was trouble before.
      doubted.shutdownNow();
      return;
    }
    ListenableFuture<DescribeNodeResponse> answer =
        PartitionServiceGrpc.newFutureStub(doubted)
            .withDeadlineAfter(answerMillis, TimeUnit.MILLISECONDS)
            .describeNode(DescribeNodeRequest.getDefaultInstance());
    Futures.addCallback(
        answer,
        new FutureCallback<>() {
          @Override
          public void onSuccess(DescribeNodeResponse ignored) {
            // It is alive.
          }

          @Override
          public void onFailure(Throwable error) {
            // Another error is an answer, or ends the connection by itself.
            if (Status.fromThrowable(error).getCode() == Status.Code.DEADLINE_EXCEEDED) {
              replace(doubted);
              doubted.shutdownNow();
            }
          }
        },
        MoreExecutors.directExecutor());
  }

  /** Further calls are to have another channel than this one. */
  void replace(ManagedChannel failed) {
    synchronized (this) {
      if (failed != current || failed.isShutdown()) {
        return;
      }
      channels.removeIf(ManagedChannel::isTerminated);
      current = connect.get();
      channels.add(current);
    }
    // Calls that are still open there go on. Without the lock, because gRPC may use this thread to
    // tell others of their end.
    failed.shutdown();
  }
}
