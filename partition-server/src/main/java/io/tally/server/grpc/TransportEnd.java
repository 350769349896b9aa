package io.tally.server.grpc;

import io.grpc.Context;
import io.grpc.Metadata;
import io.grpc.ServerStreamTracer;
import io.grpc.Status;

/**
 * Hears from the transport why a call is over, which gRPC does not tell the call itself: whether
 * the client reset the stream, or the connection is gone.
 */
final class TransportEnd extends ServerStreamTracer {
  private static final Context.Key<TransportEnd> KEY = Context.key("tally-transport-end");

  private volatile Status.Code code = Status.Code.OK;

  private TransportEnd() {}

  /** Makes one for each call. */
  static ServerStreamTracer.Factory factory() {
    return new ServerStreamTracer.Factory() {
      @Override
      public ServerStreamTracer newServerStreamTracer(String fullMethodName, Metadata headers) {
        return new TransportEnd();
      }
    };
  }

  /** That of the call that is being started on this thread. */
  static TransportEnd ofCurrentCall() {
    return KEY.get();
  }

  @Override
  public Context filterContext(Context context) {
    return context.withValue(KEY, this);
  }

  @Override
  public void streamClosed(Status status) {
    code = status.getCode();
  }

  /**
   * Once the call was cancelled: whether by the client, who then does not come back. A connection
   * that breaks has another status.
   */
  boolean byClient() {
    return code == Status.Code.CANCELLED;
  }
}
