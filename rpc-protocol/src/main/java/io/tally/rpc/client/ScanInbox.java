package io.tally.rpc.client;

import io.grpc.ClientCall;
import io.grpc.Metadata;
import io.grpc.Status;
import io.tally.rpc.TallyException;
import io.tally.rpc.arrow.ScanFrame;
import io.tally.rpc.v1.Batch;
import io.tally.rpc.v1.End;
import io.tally.rpc.v1.Opened;
import java.util.ArrayDeque;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.BooleanSupplier;

/**
 * Receives the frames of one scan on gRPC's threads, checks that they come as the protocol says,
 * and hands the batches to the consumer, which waits here.
 *
 * <p>Bounded twice: the node sends no more batches than it has credits, and gRPC is asked for a
 * further frame only while fewer bytes than the window are here, so that rows larger than a batch
 * do not add up. The first failure, from whichever side, is final: it frees what is queued and ends
 * the call.
 */
final class ScanInbox extends ClientCall.Listener<ScanFrame> {
  private final ScanCall call;
  private final ScanLabel label;
  private final long windowBytes;
  private final long silenceNanos;
  private final long startNanos = System.nanoTime();

  private final ReentrantLock lock = new ReentrantLock();
  private final Condition changed = lock.newCondition();

  // All below is guarded by the lock.
  private final ArrayDeque<ScanFrame> queue = new ArrayDeque<>();
  private Opened opened;
  private End end;
  private TallyException failure;
  private boolean callOver;
  private boolean complete;
  private Runnable afterCall = () -> {};
  private long grantedBatches;
  private long batches;
  private long rows;
  private long bodyBytes;

  /** Bytes of the frames that were received and not yet consumed. */
  private long heldBytes;

  /** Whether gRPC waits to be asked for the next frame. */
  private boolean paused;

  private long lastArrivalNanos = startNanos;
  private long firstBatchNanos;
  private long waitedNanos;

  ScanInbox(ScanCall call, ScanLabel label, ScanOptions options) {
    this.call = call;
    this.label = label;
    this.windowBytes = options.windowBytes();
    this.silenceNanos = TimeUnit.MILLISECONDS.toNanos(options.silenceMillis());
    this.grantedBatches = options.credits();
  }

  // ---- gRPC's side: never blocks

  @Override
  public void onMessage(ScanFrame frame) {
    boolean queued = false;
    boolean wantsMore = false;
    lock.lock();
    try {
      lastArrivalNanos = System.nanoTime();
      if (failure == null) {
        queued = accept(frame);
        wantsMore = heldBytes < windowBytes;
        paused = !wantsMore;
        changed.signalAll();
      }
    } catch (TallyException e) {
      settle(e);
    } finally {
      unlockAndCancelIfFailed();
      if (!queued) {
        frame.close();
      }
    }
    if (wantsMore) {
      call.request();
    }
  }

  @Override
  public void onClose(Status status, Metadata trailers) {
    Runnable last;
    lock.lock();
    try {
      callOver = true;
      if (!status.isOk()) {
        settle(label.failure(status, trailers, opened != null));
      } else if (end == null) {
        settle(
            label.violation(
                "The call ended without totals, so the %d batches that arrived may not be all"
                    .formatted(batches)));
      }
      changed.signalAll();
      last = afterCall;
    } finally {
      unlockAndCancelIfFailed();
    }
    last.run();
  }

  /** Returns whether the frame is now in the queue. */
  private boolean accept(ScanFrame frame) {
    if (end != null) {
      throw label.violation("Something came after the end");
    }
    switch (frame.message().getEventCase()) {
      case OPENED -> acceptOpened(frame.message().getOpened());
      case BATCH -> {
        acceptBatch(frame);
        return true;
      }
      case END -> acceptEnd(frame.message().getEnd());
      case PROGRESS -> {}
      case EVENT_NOT_SET -> throw label.violation("A message is empty, or of an unknown kind");
    }
    return false;
  }

  private void acceptOpened(Opened message) {
    if (opened != null) {
      throw label.violation("The scan was opened twice");
    }
    opened = message;
    label.opened(message.getNodeId());
  }

  private void acceptBatch(ScanFrame frame) {
    Batch batch = frame.message().getBatch();
    if (opened == null) {
      throw label.violation("A batch came before the scan was opened");
    }
    if (batch.getSequence() != batches) {
      throw label.violation(
          "Batch %d came where batch %d was due".formatted(batch.getSequence(), batches));
    }
    if (batches == grantedBatches) {
      throw label.violation(
          "More batches came than the %d that were asked for".formatted(grantedBatches));
    }
    if (batch.getRows() < 0) {
      throw label.violation("A batch has " + batch.getRows() + " rows");
    }
    batches++;
    rows += batch.getRows();
    bodyBytes += frame.bodyBytes();
    heldBytes += heldBytes(frame);
    if (firstBatchNanos == 0) {
      firstBatchNanos = sinceStart();
    }
    queue.add(frame);
  }

  private void acceptEnd(End message) {
    if (opened == null) {
      throw label.violation("The end came before the scan was opened");
    }
    if (message.getBatches() != batches
        || message.getRows() != rows
        || message.getBodyBytes() != bodyBytes) {
      throw label.violation(
          "The node sent %d batches, %d rows, %d bytes; %d batches, %d rows, %d bytes arrived"
              .formatted(
                  message.getBatches(),
                  message.getRows(),
                  message.getBodyBytes(),
                  batches,
                  rows,
                  bodyBytes));
    }
    end = message;
    if (firstBatchNanos == 0) {
      firstBatchNanos = sinceStart();
    }
  }

  // ---- the consumer's side

  /** Waits for Opened. */
  Opened awaitOpened() {
    lock.lock();
    try {
      await(() -> opened != null);
      return opened;
    } finally {
      unlockAndCancelIfFailed();
    }
  }

  /**
   * Waits for the next batch, which the caller owns then; empty once the scan is complete and
   * proved.
   */
  Optional<ScanFrame> awaitBatch() {
    lock.lock();
    try {
      await(() -> !queue.isEmpty() || callOver);
      complete = queue.isEmpty();
      return Optional.ofNullable(queue.poll());
    } finally {
      unlockAndCancelIfFailed();
    }
  }

  /** Tells that a batch of {@code bytes}, see {@link #heldBytes(ScanFrame)}, was consumed. */
  void consumed(long bytes) {
    boolean resume;
    lock.lock();
    try {
      heldBytes -= bytes;
      resume = paused && failure == null && heldBytes < windowBytes;
      paused &= !resume;
    } finally {
      lock.unlock();
    }
    if (resume) {
      call.request();
    }
  }

  /** Allows that many more batches; to be called before the node hears of it. */
  void grant(int credits) {
    lock.lock();
    try {
      grantedBatches += credits;
    } finally {
      lock.unlock();
    }
  }

  /** Whether the node may still send batches. */
  boolean expectsBatches() {
    lock.lock();
    try {
      return end == null && failure == null;
    } finally {
      lock.unlock();
    }
  }

  /** The totals, once the consumer has seen the end. */
  Optional<End> totals() {
    lock.lock();
    try {
      return complete ? Optional.of(end) : Optional.empty();
    } finally {
      lock.unlock();
    }
  }

  /** Time from the start to the first batch or the end; 0 before. */
  long firstBatchNanos() {
    lock.lock();
    try {
      return firstBatchNanos;
    } finally {
      lock.unlock();
    }
  }

  /** How long the consumer has waited in all. */
  long waitedNanos() {
    lock.lock();
    try {
      return waitedNanos;
    } finally {
      lock.unlock();
    }
  }

  /** What a frame counts in memory: its body and its header. */
  static long heldBytes(ScanFrame frame) {
    return frame.bodyBytes() + frame.message().getBatch().getHeader().size();
  }

  // ---- either side

  /** Ends the scan for good, unless the consumer has seen its end; wakes the consumer. */
  void fail(TallyException error) {
    lock.lock();
    try {
      settle(error);
    } finally {
      unlockAndCancelIfFailed();
    }
  }

  private void settle(TallyException error) {
    if (failure == null && !complete) {
      failure = error;
    }
    queue.forEach(ScanFrame::close);
    queue.clear();
    changed.signalAll();
  }

  /** Cancels without the lock, which gRPC might want at that moment from another thread. */
  private void unlockAndCancelIfFailed() {
    TallyException error = failure;
    lock.unlock();
    if (error != null) {
      call.cancel(error.getMessage());
    }
  }

  /** Runs {@code action} when gRPC delivers nothing more, at once if that is now. */
  void afterCall(Runnable action) {
    boolean now;
    lock.lock();
    try {
      now = callOver;
      afterCall = action;
    } finally {
      lock.unlock();
    }
    if (now) {
      action.run();
    }
  }

  /** Waits until gRPC delivers nothing more; false if that takes too long. */
  boolean awaitCallOver(long timeoutMillis) {
    long nanos = TimeUnit.MILLISECONDS.toNanos(timeoutMillis);
    boolean interrupted = false;
    lock.lock();
    try {
      while (!callOver && nanos > 0) {
        try {
          nanos = changed.awaitNanos(nanos);
        } catch (InterruptedException e) {
          // Closing has to come to its end; whoever interrupts is heard afterwards.
          interrupted = true;
        }
      }
      return callOver;
    } finally {
      lock.unlock();
      if (interrupted) {
        Thread.currentThread().interrupt();
      }
    }
  }

  /** Waits with the lock held, for as long as the node gives signs of life. */
  private void await(BooleanSupplier ready) {
    long waitStart = System.nanoTime();
    try {
      while (failure == null && !ready.getAsBoolean()) {
        long lastSign = waitStart + Math.max(0, lastArrivalNanos - waitStart);
        long nanos = silenceNanos - (System.nanoTime() - lastSign);
        if (nanos > 0) {
          changed.awaitNanos(nanos);
        } else {
          settle(label.silent(TimeUnit.NANOSECONDS.toMillis(silenceNanos)));
        }
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      settle(label.interrupted(e));
    } finally {
      waitedNanos += System.nanoTime() - waitStart;
    }
    if (failure != null) {
      throw failure;
    }
  }

  private long sinceStart() {
    return Math.max(1, System.nanoTime() - startNanos);
  }
}
