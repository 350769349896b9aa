package io.tally.server.grpc;

import io.grpc.CallOptions;
import io.grpc.Channel;
import io.grpc.ClientCall;
import io.grpc.Metadata;
import io.grpc.Status;
import io.tally.rpc.TallyException;
import io.tally.rpc.TallyStatus;
import io.tally.rpc.arrow.ScanFrame;
import io.tally.rpc.arrow.ScanMethod;
import io.tally.rpc.v1.Next;
import io.tally.rpc.v1.Open;
import io.tally.rpc.v1.ScanRequest;
import io.tally.rpc.v1.ScanResponse;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.apache.arrow.memory.BufferAllocator;

/** A call of Scan in which the test says every word. Received bodies are dropped. */
final class HandDrivenCall extends ClientCall.Listener<ScanFrame> {
  private static final long LIMIT_SECONDS = 30;

  private final ClientCall<ScanRequest, ScanFrame> call;
  private final BlockingQueue<ScanResponse> messages = new LinkedBlockingQueue<>();
  private final BlockingQueue<TallyException> failures = new LinkedBlockingQueue<>();
  private final BlockingQueue<Status> ends = new LinkedBlockingQueue<>();

  private HandDrivenCall(ClientCall<ScanRequest, ScanFrame> call) {
    this.call = call;
  }

  static HandDrivenCall start(Channel channel, BufferAllocator allocator) {
    HandDrivenCall driven =
        new HandDrivenCall(
            channel.newCall(
                ScanMethod.descriptor(allocator),
                CallOptions.DEFAULT.withMaxInboundMessageSize(Integer.MAX_VALUE)));
    driven.call.start(driven, new Metadata());
    return driven;
  }

  HandDrivenCall send(Open.Builder open) {
    return send(ScanRequest.newBuilder().setOpen(open).build());
  }

  HandDrivenCall grant(int credits) {
    return send(Next.newBuilder().setCredits(credits));
  }

  HandDrivenCall send(Next.Builder next) {
    return send(ScanRequest.newBuilder().setNext(next).build());
  }

  HandDrivenCall send(ScanRequest request) {
    call.sendMessage(request);
    return this;
  }

  HandDrivenCall halfClose() {
    call.halfClose();
    return this;
  }

  void cancel() {
    call.cancel("the test cancels", null);
  }

  /** Asks for one message and waits for it. */
  ScanResponse next() {
    call.request(1);
    return poll(messages, "a message");
  }

  /** Asks for messages without waiting. */
  HandDrivenCall request(int count) {
    call.request(count);
    return this;
  }

  /** Waits for the error that ends the call. */
  TallyException failure() {
    call.request(1000);
    return poll(failures, "an error");
  }

  /** Waits for the end of the call, which must be a good one. */
  void awaitOk() {
    call.request(1);
    Status status = poll(ends, "the end");
    if (!status.isOk()) {
      throw new AssertionError(status);
    }
  }

  @Override
  public void onMessage(ScanFrame frame) {
    ScanResponse message = frame.message();
    frame.close();
    messages.add(message);
  }

  @Override
  public void onClose(Status status, Metadata trailers) {
    if (!status.isOk()) {
      failures.add(TallyStatus.fromStatus("the node", status, trailers));
    }
    ends.add(status);
  }

  private static <T> T poll(BlockingQueue<T> queue, String what) {
    try {
      T polled = queue.poll(LIMIT_SECONDS, TimeUnit.SECONDS);
      if (polled == null) {
        throw new AssertionError("still without " + what);
      }
      return polled;
    } catch (InterruptedException e) {
      throw new AssertionError(e);
    }
  }
}
