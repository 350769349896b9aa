package io.tally.rpc.client;

import io.grpc.ClientCall;
import io.grpc.Metadata;
import io.tally.rpc.arrow.ScanFrame;
import io.tally.rpc.v1.Next;
import io.tally.rpc.v1.Open;
import io.tally.rpc.v1.ScanRequest;

/**
 * Takes what the client has to say to the node, from any thread, and hands it to gRPC, whose calls
 * allow only one sender and none after a cancel.
 */
final class ScanCall {
  private final ClientCall<ScanRequest, ScanFrame> call;
  private boolean started;
  private boolean cancelled;

  ScanCall(ClientCall<ScanRequest, ScanFrame> call) {
    this.call = call;
  }

  /** Sends Open with the first credits right behind, so that no round trip is lost. */
  synchronized void start(ClientCall.Listener<ScanFrame> listener, Open open, int credits) {
    started = true;
    call.start(listener, new Metadata());
    call.request(1);
    // A transport without a network may have failed the scan by now.
    if (!cancelled) {
      call.sendMessage(ScanRequest.newBuilder().setOpen(open).build());
    }
    grant(credits, 0);
  }

  /** Whether the listener will hear of the end of the call. */
  synchronized boolean started() {
    return started;
  }

  /** Sends Next. */
  synchronized void grant(int credits, long acknowledged) {
    if (!cancelled) {
      Next next = Next.newBuilder().setCredits(credits).setAcknowledged(acknowledged).build();
      call.sendMessage(ScanRequest.newBuilder().setNext(next).build());
    }
  }

  /** Lets gRPC deliver one more frame. Does not block; safe inside of callbacks. */
  void request() {
    call.request(1);
  }

  /** Ends the call, if it has not ended yet. */
  synchronized void cancel(String reason) {
    if (!cancelled) {
      cancelled = true;
      call.cancel(reason, null);
    }
  }
}
