package io.tally.rpc.client;

import io.grpc.CallOptions;
import io.grpc.Channel;
import io.grpc.ClientCall;
import io.grpc.ConnectivityState;
import io.grpc.ForwardingClientCall.SimpleForwardingClientCall;
import io.grpc.ForwardingClientCallListener.SimpleForwardingClientCallListener;
import io.grpc.ManagedChannel;
import io.grpc.Metadata;
import io.grpc.MethodDescriptor;
import io.grpc.Status;
import java.util.HashSet;
import java.util.Set;
import java.util.function.Supplier;

/**
 * Receives calls for one node and hands them to a channel of gRPC: to a new one after each failure
 * to reach the node. Safe for any thread.
 *
 * <p>A channel answers calls with its last failure to connect until its back-off is over, up to two
 * minutes, and calls that wait for a connection are failed before the channel's state tells of it.
 * A caller that calls again wants to know how things are now. So both are looked at: how calls end,
 * and the state, which also tells of a failure that no call has waited for, being cancelled.
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
  public <A, B> ClientCall<A, B> newCall(MethodDescriptor<A, B> method, CallOptions options) {
    ManagedChannel channel = usable();
    return new SimpleForwardingClientCall<>(channel.newCall(method, options)) {
      @Override
      public void start(Listener<B> listener, Metadata headers) {
        super.start(
            new SimpleForwardingClientCallListener<>(listener) {
              @Override
              public void onClose(Status status, Metadata trailers) {
                if (status.getCode() == Status.Code.UNAVAILABLE) {
                  replace(channel);
                }
                super.onClose(status, trailers);
              }
            },
            headers);
      }
    };
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

  private void replace(ManagedChannel failed) {
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
