package io.tally.server.grpc;

import io.grpc.Metadata;
import io.grpc.ServerCall;
import io.grpc.Status;
import io.tally.rpc.ShownText;
import io.tally.rpc.TallyException;
import io.tally.rpc.arrow.ScanFrame;
import io.tally.rpc.v1.End;
import io.tally.rpc.v1.ErrorCode;
import io.tally.rpc.v1.Open;
import io.tally.rpc.v1.ScanRequest;
import java.util.Optional;

/**
 * One call of Scan: brings the client's messages to the {@link ScanSession} that they ask for, and
 * sends what that has to say. The call is closed once, by whichever thread first finds a reason.
 */
final class ScanCall extends ServerCall.Listener<ReceivedRequest> {
  private final ServerCall<ReceivedRequest, ScanFrame> call;
  private final ScanService service;
  private final TransportEnd transport = TransportEnd.ofCurrentCall();
  private final long startedNanos = System.nanoTime();

  // Of gRPC's threads, one at a time.
  private Open open = Open.getDefaultInstance();
  private Optional<ScanSession> session = Optional.empty();

  /** Guards what is said on the call, which is not safe for concurrent use. */
  private final Object sending = new Object();

  private boolean answered;
  private boolean closed;
  private long lastSentNanos;

  /** Whether gRPC has sent or dropped all. */
  private boolean over;

  private Runnable afterwards = () -> {};

  /** To be made inside of {@code startCall}. */
  ScanCall(ServerCall<ReceivedRequest, ScanFrame> call, ScanService service) {
    this.call = call;
    this.service = service;
    call.request(1);
  }

  // ---- gRPC's threads, one at a time

  @Override
  public void onMessage(ReceivedRequest received) {
    try {
      if (received instanceof ReceivedRequest.Parsed parsed) {
        accept(parsed.request());
      } else if (received instanceof ReceivedRequest.Unreadable unreadable) {
        throw unreadable.error();
      }
    } catch (RuntimeException | Error e) {
      fail(e);
    }
    call.request(1);
  }

  @Override
  public void onHalfClose() {
    if (session.isEmpty()) {
      fail(invalid("The client closed its side before it sent Open."));
    }
    session.ifPresent(it -> it.noMoreCredits(this));
  }

  @Override
  public void onReady() {
    session.ifPresent(ScanSession::signal);
  }

  @Override
  public void onCancel() {
    if (session.isEmpty()) {
      fail(new TallyException(ErrorCode.CANCELLED, "The client cancelled the scan or is gone."));
    } else if (transport.byClient()) {
      session.get().cancelled(this);
    } else {
      session.get().disconnected(this);
    }
    over();
  }

  @Override
  public void onComplete() {
    over();
  }

  private void over() {
    Runnable last;
    synchronized (sending) {
      closed = true;
      over = true;
      last = afterwards;
    }
    last.run();
  }

  private void accept(ScanRequest request) {
    switch (request.getEventCase()) {
      case OPEN -> {
        if (session.isPresent()) {
          throw invalid("Open was sent twice.");
        }
        open = request.getOpen();
        session = Optional.of(service.open(open, this));
      }
      case NEXT -> {
        if (session.isEmpty()) {
          throw invalid("Next was sent before Open.");
        }
        session.get().grant(this, request.getNext());
      }
      case EVENT_NOT_SET ->
          throw new TallyException(
              ErrorCode.UNSUPPORTED_FEATURE,
              "A message of the scan holds no event, or one that this node does not know.");
    }
  }

  private void fail(Throwable error) {
    if (session.isPresent()) {
      session.get().fail(this, error);
      return;
    }
    TallyException typed =
        Errors.typed(
            service.settings().nodeId(), "Scan " + ShownText.name(open.getScanId()), error);
    if (close(typed)) {
      ScanLog.ended(
          open, "not scanned", End.getDefaultInstance(), startedNanos, Optional.of(typed));
    }
  }

  // ---- any thread

  /** Runs {@code action} when gRPC has sent or dropped all that it has of the call. */
  void whenOver(Runnable action) {
    boolean now;
    synchronized (sending) {
      now = over;
      afterwards = action;
    }
    if (now) {
      action.run();
    }
  }

  /** Makes it ready while gRPC has less than that waiting to be sent. */
  void limitQueue(long bytes) {
    call.setOnReadyThreshold((int) Math.min(Integer.MAX_VALUE, bytes));
  }

  /** Whether less than the limit is waiting to be sent. */
  boolean isReady() {
    return call.isReady();
  }

  /** Sends a frame, which gRPC owns then; false, and the frame is the caller's, if it is closed. */
  boolean send(ScanFrame frame) {
    synchronized (sending) {
      if (closed) {
        return false;
      }
      if (!answered) {
        answered = true;
        call.sendHeaders(new Metadata());
      }
      call.sendMessage(frame);
      lastSentNanos = System.nanoTime();
      return true;
    }
  }

  long nanosSinceSent() {
    synchronized (sending) {
      return System.nanoTime() - lastSentNanos;
    }
  }

  /** All was sent. */
  void complete() {
    synchronized (sending) {
      if (!closed) {
        closed = true;
        call.close(Status.OK, new Metadata());
      }
    }
  }

  /** Ends the call with an error; false if it has ended. */
  boolean close(TallyException error) {
    synchronized (sending) {
      if (closed) {
        return false;
      }
      closed = true;
      if (!call.isCancelled()) {
        Errors.close(call, error);
      }
      return true;
    }
  }

  private static TallyException invalid(String message) {
    return new TallyException(ErrorCode.INVALID_REQUEST, message);
  }
}
