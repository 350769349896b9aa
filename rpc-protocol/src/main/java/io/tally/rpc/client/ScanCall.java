package io.tally.rpc.client;

import io.grpc.ClientCall;
import io.grpc.Metadata;
import io.grpc.Status;
import io.tally.rpc.arrow.ScanFrame;
import io.tally.rpc.v1.Next;
import io.tally.rpc.v1.Open;
import io.tally.rpc.v1.ScanRequest;

/**
 * One call of a scan. Takes what the client has to say to the node, from any thread, and hands it
 * to gRPC, whose calls allow only one sender and none after a cancel; brings what the node answers
 * to the inbox, and word of the call's end to the connection. A call on a channel that is not a
 * {@link NodeChannel}'s cannot be doubted.
 */
final class ScanCall extends ClientCall.Listener<ScanFrame> {
  private final ClientCall<ScanRequest, ScanFrame> call;
  private final ScanInbox inbox;
  private final ScanConnection connection;
  private boolean silent;

  ScanCall(ClientCall<ScanRequest, ScanFrame> call, ScanInbox inbox, ScanConnection connection) {
    this.call = call;
    this.inbox = inbox;
    this.connection = connection;
  }

  /** Sends Open with the first credits right behind, so that no round trip is lost. */
  synchronized void start(Open open, int credits, long acknowledged) {
    call.start(this, new Metadata());
    call.request(1);
    // A transport without a network may have failed the scan by now.
    if (!silent) {
      call.sendMessage(ScanRequest.newBuilder().setOpen(open).build());
    }
    grant(credits, acknowledged);
  }

  /** Sends Next. */
  synchronized void grant(int credits, long acknowledged) {
    if (!silent) {
      Next next = Next.newBuilder().setCredits(credits).setAcknowledged(acknowledged).build();
      call.sendMessage(ScanRequest.newBuilder().setNext(next).build());
    }
  }

  /** Lets gRPC deliver one more frame. Does not block; safe inside of callbacks. */
  void request() {
    call.request(1);
  }

  /** Tells the node that its answer has arrived. */
  private synchronized void finish() {
    if (!silent) {
      silent = true;
      call.halfClose();
    }
  }

  /** Ends the call, if it has not ended yet. */
  synchronized void cancel(String reason) {
    silent = true;
    call.cancel(reason, null);
  }

  /** See {@link NodeCall#doubt}. To be called without a lock. */
  void doubt(long answerMillis) {
    if (call instanceof NodeCall<?, ?> toNode) {
      toNode.doubt(answerMillis);
    }
  }

  /** See {@link NodeCall#distrust}. To be called without a lock. */
  void distrust() {
    if (call instanceof NodeCall<?, ?> toNode) {
      toNode.distrust();
    }
  }

  // ---- gRPC's side: never blocks

  @Override
  public void onMessage(ScanFrame frame) {
    boolean wantsMore = inbox.receive(frame);
    if (inbox.isFinished()) {
      finish();
    }
    if (wantsMore) {
      request();
    }
  }

  @Override
  public void onClose(Status status, Metadata trailers) {
    connection.callOver(status, trailers);
  }
}
