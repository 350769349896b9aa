package io.tally.server.grpc;

import io.tally.rpc.TallyException;
import io.tally.rpc.arrow.ScanFrame;
import io.tally.rpc.v1.End;
import io.tally.rpc.v1.ErrorCode;
import io.tally.rpc.v1.Next;
import io.tally.rpc.v1.Opened;
import io.tally.rpc.v1.ScanResponse;
import java.util.Optional;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;

/**
 * Takes what one scan produces and tells its sender what to send next on the call that answers the
 * client at the moment. The client's messages bring credits; the sender takes one for each batch
 * and waits while there is none, or while gRPC has as much as it may of the scan, see {@link
 * #limit}. So credits beyond that have no effect at once, and are not lost: a client that gives
 * credits back in groups larger than the node's window does not wait for ever.
 *
 * <p>Whoever holds its lock may ask for that of the turns, never the other way round. One thread at
 * a time sends, see {@link #await}; all else is safe for any thread.
 */
final class ScanOutbox {
  private final boolean resumable;
  private final KeptBatches batches;
  private final ReentrantLock lock = new ReentrantLock();
  private final Condition changed = lock.newCondition();

  // All below is guarded by the lock.
  private ScanCall call;
  private Opened opened;
  private End end;
  private boolean closed;

  /** Whether a thread sends, or is about to. */
  private boolean hasSender = true;

  /** The most batches that were sent, on whichever call. */
  private long sent;

  /** Once gRPC has so many bytes that wait to be sent, nothing more is sent. */
  private long queueBytes = 1;

  // Of the call.
  private long next;
  private int credits;
  private boolean noMoreCredits;
  private boolean endSent;

  /** What the sender is to do. */
  sealed interface Step {
    /** Send a batch, which the sender owns. */
    record SendBatch(ScanCall call, ScanFrame frame) implements Step {}

    /** Send the totals. */
    record SendEnd(ScanCall call, End end) implements Step {}

    /** All was sent: produce more. */
    record Produce() implements Step {}

    /** Leave: there is nothing more to send, or not now. */
    record Leave() implements Step {}
  }

  /** What {@link #attach} found. */
  record Attached(Optional<ScanCall> replaced, boolean needsSender) {}

  /** An empty outbox whose sender exists already. */
  ScanOutbox(boolean resumable, KeptBatches batches) {
    this.resumable = resumable;
    this.batches = batches;
  }

  // ---- the client's side

  /**
   * Answers on {@code newCall} from now on, without credits at first.
   *
   * @param resumeAfter batches that the client has
   * @throws TallyException SCAN_LOST if the next ones are not here any more; INVALID_REQUEST
   */
  Attached attach(ScanCall newCall, long resumeAfter) {
    lock.lock();
    try {
      if (resumeAfter < 0 || resumeAfter > sent) {
        throw invalid("resume_after is %d, but %d batches were sent".formatted(resumeAfter, sent));
      }
      if (closed || resumeAfter < batches.first()) {
        throw lost(resumeAfter);
      }
      Optional<ScanCall> replaced = Optional.ofNullable(call);
      batches.forgetBelow(resumeAfter);
      call = newCall;
      newCall.limitQueue(queueBytes);
      next = resumeAfter;
      credits = 0;
      noMoreCredits = false;
      endSent = false;
      if (opened != null) {
        newCall.send(frame(opened));
      }
      boolean needsSender = !hasSender;
      hasSender = true;
      changed.signalAll();
      return new Attached(replaced, needsSender);
    } finally {
      lock.unlock();
    }
  }

  /** There is no call any more; false if that is not the current one. */
  boolean detach(ScanCall gone) {
    lock.lock();
    try {
      if (call != gone) {
        return false;
      }
      call = null;
      return true;
    } finally {
      lock.unlock();
    }
  }

  /** Whether this call answers the client. */
  boolean isCurrent(ScanCall asking) {
    lock.lock();
    try {
      return call == asking;
    } finally {
      lock.unlock();
    }
  }

  /** Whether there is a call. */
  boolean isAttached() {
    lock.lock();
    try {
      return call != null;
    } finally {
      lock.unlock();
    }
  }

  /**
   * Adds what the client grants on {@code from}, if that is the current call.
   *
   * @throws TallyException INVALID_REQUEST
   */
  void grant(ScanCall from, Next grant) {
    lock.lock();
    try {
      if (call != from) {
        return;
      }
      if (grant.getCredits() < 0) {
        throw invalid("Next has %d credits: they only add up".formatted(grant.getCredits()));
      }
      if (grant.getAcknowledged() < 0 || grant.getAcknowledged() > next) {
        throw invalid(
            "Next acknowledges batches below %d, but %d were sent"
                .formatted(grant.getAcknowledged(), next));
      }
      if (grant.getCredits() > Integer.MAX_VALUE - credits) {
        throw invalid("Next brings the credits to more than %d".formatted(Integer.MAX_VALUE));
      }
      credits += grant.getCredits();
      batches.forgetBelow(grant.getAcknowledged());
      changed.signalAll();
    } finally {
      lock.unlock();
    }
  }

  /**
   * No more grants will come on {@code from}.
   *
   * @return whether the scan is over with that, see {@link #isDelivered}
   */
  boolean noMoreCredits(ScanCall from) {
    lock.lock();
    try {
      if (call != from) {
        return false;
      }
      noMoreCredits = true;
      changed.signalAll();
      return endSent;
    } finally {
      lock.unlock();
    }
  }

  /** Looks again whether the transport is ready. */
  void signal() {
    lock.lock();
    try {
      changed.signalAll();
    } finally {
      lock.unlock();
    }
  }

  /** The current call, if its client waits for the node and not the other way round. */
  Optional<ScanCall> waitingClient() {
    lock.lock();
    try {
      return Optional.ofNullable(call).filter(it -> !closed && credits > 0 && it.isReady());
    } finally {
      lock.unlock();
    }
  }

  // ---- the scan's side

  /** From now on, nothing is sent while gRPC has so many bytes that wait to be sent. */
  void limit(long bytes) {
    lock.lock();
    try {
      queueBytes = Math.max(1, bytes);
      if (call != null) {
        call.limitQueue(queueBytes);
      }
    } finally {
      lock.unlock();
    }
  }

  /** Sends the first answer, and repeats it on each call to come. */
  void open(Opened message) {
    lock.lock();
    try {
      opened = message;
      if (call != null) {
        call.send(frame(message));
      }
    } finally {
      lock.unlock();
    }
  }

  /** Owns the frame. */
  void add(ScanFrame frame) {
    lock.lock();
    try {
      if (closed) {
        frame.close();
      } else {
        batches.add(frame);
        batches.trim(next);
      }
    } finally {
      lock.unlock();
    }
  }

  /** There are no more batches. */
  void end(End totals) {
    lock.lock();
    try {
      end = totals;
    } finally {
      lock.unlock();
    }
  }

  /**
   * What to do next, waiting for it: for as long as the client takes to read, or to come back. A
   * sender that is told to leave does so; {@link #attach} tells when a new one is needed.
   *
   * @param turn left to others if the client takes more than a moment
   * @throws TallyException INVALID_REQUEST if the client has no credits and will give none
   */
  Step await(ScanTurns.Turn turn) throws InterruptedException {
    long lingerNanos = ScanTurns.LINGER_NANOS;
    lock.lock();
    try {
      while (true) {
        boolean allSent = next == batches.end();
        if (allSent && end == null && !closed) {
          return new Step.Produce();
        }
        if (closed || (end != null && (call == null || endSent))) {
          hasSender = false;
          return new Step.Leave();
        }
        if (allSent) {
          return new Step.SendEnd(call, end);
        }
        if (call != null && credits > 0 && call.isReady()) {
          return takeBatch();
        }
        if (call != null && noMoreCredits && credits == 0) {
          throw invalid(
              "The client closed its side with %d batches sent and more to come, and has no credits left"
                  .formatted(next));
        }
        if (lingerNanos > 0 && turn.isHeld()) {
          lingerNanos = changed.awaitNanos(lingerNanos);
        } else {
          turn.leave();
          changed.await();
        }
      }
    } finally {
      lock.unlock();
    }
  }

  private Step takeBatch() {
    ScanFrame frame = batches.share(next);
    credits--;
    next++;
    sent = Math.max(sent, next);
    if (!resumable) {
      batches.forgetBelow(next);
    }
    return new Step.SendBatch(call, frame);
  }

  /** The totals were sent on {@code on}. */
  void endSent(ScanCall on) {
    lock.lock();
    try {
      endSent |= call == on;
    } finally {
      lock.unlock();
    }
  }

  /** Whether all was sent, and the client has said that it needs no more, or cannot come back. */
  boolean isDelivered() {
    lock.lock();
    try {
      return endSent && (noMoreCredits || !resumable);
    } finally {
      lock.unlock();
    }
  }

  /** Whether all was sent on the current call. */
  boolean isEndSent() {
    lock.lock();
    try {
      return endSent;
    } finally {
      lock.unlock();
    }
  }

  /**
   * Nothing will be sent any more: frees what is kept, lets the sender leave, and gives the call.
   */
  Optional<ScanCall> close() {
    lock.lock();
    try {
      closed = true;
      batches.clear();
      changed.signalAll();
      Optional<ScanCall> last = Optional.ofNullable(call);
      call = null;
      return last;
    } finally {
      lock.unlock();
    }
  }

  private static ScanFrame frame(Opened message) {
    return ScanFrame.of(ScanResponse.newBuilder().setOpened(message).build());
  }

  private static TallyException lost(long resumeAfter) {
    return new TallyException(
        ErrorCode.SCAN_LOST,
        "Batch %d of the scan was asked for again and is not kept any more. Run the scan again; if that happens often, raise window-bytes or resume-bytes of the node."
            .formatted(resumeAfter));
  }

  private static TallyException invalid(String what) {
    return new TallyException(ErrorCode.INVALID_REQUEST, what + ".");
  }
}
