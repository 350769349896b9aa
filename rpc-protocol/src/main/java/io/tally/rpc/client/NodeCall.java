package io.tally.rpc.client;

import io.grpc.ClientCall;
import io.grpc.ForwardingClientCall.SimpleForwardingClientCall;
import io.grpc.ForwardingClientCallListener.SimpleForwardingClientCallListener;
import io.grpc.ManagedChannel;
import io.grpc.Metadata;
import io.grpc.Status;

/**
 * A call to a node, which tells the node's {@link NodeChannel} how it ends, and can be told that
 * nothing comes.
 */
final class NodeCall<A, B> extends SimpleForwardingClientCall<A, B> {
  private final NodeChannel node;
  private final ManagedChannel channel;

  NodeCall(NodeChannel node, ManagedChannel channel, ClientCall<A, B> call) {
    super(call);
    this.node = node;
    this.channel = channel;
  }

  @Override
  public void start(Listener<B> listener, Metadata headers) {
    super.start(
        new SimpleForwardingClientCallListener<>(listener) {
          @Override
          public void onClose(Status status, Metadata trailers) {
            if (status.getCode() == Status.Code.UNAVAILABLE
                || status.getCode() == Status.Code.DEADLINE_EXCEEDED) {
              node.replace(channel);
            }
            super.onClose(status, trailers);
          }
        },
        headers);
  }

  /**
   * Nothing comes, though it should: ends the connection, with all calls on it, unless the node
   * answers on it within {@code answerMillis}. Returns at once; calls may end inside of it, so it
   * is to be called without a lock.
   */
  void doubt(long answerMillis) {
    node.probe(channel, answerMillis);
  }

  /** Nothing has come for too long: further calls are to have another connection. */
  void distrust() {
    node.replace(channel);
  }
}
