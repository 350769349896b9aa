package io.tally.rpc.client;

import io.grpc.Status;
import io.tally.rpc.TallyException;
import io.tally.rpc.arrow.ScanFrame;
import io.tally.rpc.v1.End;
import io.tally.rpc.v1.Opened;
import java.util.ArrayDeque;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.BooleanSupplier;

/**
 * Receives the frames of one scan on gRPC's threads, over all its calls, lets them be checked, and
 * hands the batches to the consumer, which waits here.
 *
 * <p>Bounded twice: the node sends no more batches than it has credits, and gRPC is asked for a
 * further frame only while fewer bytes than the window are here, so that rows larger than a batch
 * do not add up. The first failure, from whichever side, is final: it frees what is queued and ends
 * the connection.
 */
final class ScanInbox {
  /** Two signs of life are missing then, and there is time left to ask on another connection. */
  private static final int DOUBT_PART_OF_SILENCE = 2;

  private final ScanConnection connection;
  private final ScanLabel label;
  private final long silenceNanos;
  private final long doubtNanos;
  private final long startNanos = System.nanoTime();

  private final ReentrantLock lock = new ReentrantLock();
  private final Condition changed = lock.newCondition();

  // All below is guarded by the lock.
  private final AnswerCheck answer;
  private final ArrayDeque<ScanFrame> queue = new ArrayDeque<>();
  private TallyException failure;

  /** Nothing more will come, and nothing is missing. */
  private boolean finished;

  /** The consumer has seen that. */
  private boolean complete;

  /** Whether the consumer has had a batch: then the scan cannot start anew. */
  private boolean handedOut;

  /** Batches and signs of life that have arrived, those before a new start included. */
  private long arrivals;

  /** What may be here before gRPC is not asked for more. */
  private long windowBytes;

  /** Bytes of the frames that were received and not yet consumed. */
  private long heldBytes;

  /** Whether gRPC waits to be asked for the next frame. */
  private boolean paused;

  private long lastArrivalNanos = startNanos;
  private long firstBatchNanos;
  private long waitedNanos;

  ScanInbox(ScanConnection connection, ScanLabel label, ScanOptions options) {
    this.connection = connection;
    this.label = label;
    this.windowBytes = options.windowBytes();
    this.silenceNanos = TimeUnit.MILLISECONDS.toNanos(options.silenceMillis());
    this.doubtNanos = silenceNanos / DOUBT_PART_OF_SILENCE;
    this.answer = new AnswerCheck(label, options.credits());
  }

  // ---- the connection's side: never blocks

  /** A call begins that asks for the next batches; how many may come. */
  int beginCall() {
    lock.lock();
    try {
      answer.beginCall();
      paused = false;
      return answer.credits();
    } finally {
      lock.unlock();
    }
  }

  /** Takes a frame, which it owns then; whether gRPC may deliver another. */
  boolean receive(ScanFrame frame) {
    boolean queued = false;
    boolean wantsMore = false;
    lock.lock();
    try {
      lastArrivalNanos = System.nanoTime();
      if (failure == null) {
        answer.accept(frame);
        queued = frame.message().hasBatch();
        if (queued || frame.message().hasProgress()) {
          arrivals++;
        }
        if (queued) {
          heldBytes += heldBytes(frame);
          queue.add(frame);
        }
        if (firstBatchNanos == 0 && (queued || answer.isEnded())) {
          firstBatchNanos = sinceStart();
        }
        finished = answer.isEnded() && answer.isKept();
        wantsMore = heldBytes < windowBytes;
        paused = !wantsMore;
        changed.signalAll();
      }
    } catch (TallyException e) {
      settle(e);
    } finally {
      unlockAndStopIfFailed();
      if (!queued) {
        frame.close();
      }
    }
    return wantsMore;
  }

  /**
   * The call is over. False if that leaves the scan without its end, and the status says why.
   *
   * <p>Where the node waits for the client's last word, it does not matter what comes behind the
   * totals.
   */
  boolean finish(Status status) {
    lock.lock();
    try {
      if (status.isOk() && !answer.isEnded()) {
        settle(
            label.violation(
                "The call ended without totals, so the %d batches that arrived may not be all"
                    .formatted(answer.batches())));
        return true;
      }
      finished |= status.isOk();
      changed.signalAll();
      return finished || failure != null;
    } finally {
      unlockAndStopIfFailed();
    }
  }

  /** Forgets what has arrived, for a new start; false if that is too late. */
  boolean restart() {
    lock.lock();
    try {
      if (handedOut || failure != null) {
        return false;
      }
      queue.forEach(ScanFrame::close);
      queue.clear();
      heldBytes = 0;
      answer.restart();
      return true;
    } finally {
      lock.unlock();
    }
  }

  /** Batches of the scan that have arrived. */
  long batches() {
    lock.lock();
    try {
      return answer.batches();
    } finally {
      lock.unlock();
    }
  }

  /** Grows with all that shows the node at work: batches, and signs of life between them. */
  long arrivals() {
    lock.lock();
    try {
      return arrivals;
    } finally {
      lock.unlock();
    }
  }

  /** Whether Opened has come. */
  boolean isOpened() {
    lock.lock();
    try {
      return answer.isOpened();
    } finally {
      lock.unlock();
    }
  }

  /** Whether the node keeps the scan when the connection breaks. */
  boolean isKept() {
    lock.lock();
    try {
      return answer.isKept();
    } finally {
      lock.unlock();
    }
  }

  /** Whether the consumer has had a batch. */
  boolean isHandedOut() {
    lock.lock();
    try {
      return handedOut;
    } finally {
      lock.unlock();
    }
  }

  /** Whether End has come, and the node waits to hear so. */
  boolean isFinished() {
    lock.lock();
    try {
      return finished;
    } finally {
      lock.unlock();
    }
  }

  // ---- the consumer's side

  /** Waits for Opened. */
  Opened awaitOpened() {
    lock.lock();
    try {
      await(answer::isOpened);
      return answer.opened();
    } finally {
      unlockAndStopIfFailed();
    }
  }

  /**
   * Waits for the next batch, which the caller owns then; empty once the scan is complete and
   * proved.
   */
  Optional<ScanFrame> awaitBatch() {
    lock.lock();
    try {
      await(() -> !queue.isEmpty() || finished);
      complete = queue.isEmpty();
      handedOut |= !complete;
      return Optional.ofNullable(queue.poll());
    } finally {
      unlockAndStopIfFailed();
    }
  }

  /**
   * Tells that a batch was consumed.
   *
   * @param bytes see {@link #heldBytes(ScanFrame)}
   * @param newWindowBytes how much may be here from now on
   */
  void consumed(long bytes, long newWindowBytes) {
    boolean resume;
    lock.lock();
    try {
      heldBytes -= bytes;
      windowBytes = newWindowBytes;
      resume = paused && failure == null && heldBytes < windowBytes;
      paused &= !resume;
    } finally {
      lock.unlock();
    }
    if (resume) {
      connection.request();
    }
  }

  /** Allows that many more batches; to be called before the node hears of it. */
  void grant(int credits) {
    lock.lock();
    try {
      answer.grant(credits);
    } finally {
      lock.unlock();
    }
  }

  /** Whether the node may still send batches. */
  boolean expectsBatches() {
    lock.lock();
    try {
      return !answer.isEnded() && failure == null;
    } finally {
      lock.unlock();
    }
  }

  /** The totals, once the consumer has seen the end. */
  Optional<End> totals() {
    lock.lock();
    try {
      return complete ? Optional.of(answer.end()) : Optional.empty();
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
      unlockAndStopIfFailed();
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

  /** Without the lock, which gRPC might want at that moment from another thread. */
  private void unlockAndStopIfFailed() {
    TallyException error = failure;
    lock.unlock();
    if (error != null) {
      connection.stop(error);
    }
  }

  /** Waits with the lock held, for as long as the node gives signs of life. */
  private void await(BooleanSupplier ready) {
    long waitStart = System.nanoTime();
    long doubtedSign = 0;
    boolean doubted = false;
    try {
      while (failure == null && !ready.getAsBoolean()) {
        long lastSign = waitStart + Math.max(0, lastArrivalNanos - waitStart);
        long silent = System.nanoTime() - lastSign;
        doubted &= doubtedSign == lastSign;
        if (silent >= silenceNanos) {
          settle(label.silent(TimeUnit.NANOSECONDS.toMillis(silenceNanos)));
        } else if (silent >= doubtNanos && !doubted) {
          doubted = true;
          doubtedSign = lastSign;
          doubtConnection();
        } else {
          changed.awaitNanos((doubted ? silenceNanos : doubtNanos) - silent);
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

  /** Without the lock for a moment, because calls may end meanwhile. */
  private void doubtConnection() {
    lock.unlock();
    try {
      connection.doubt(TimeUnit.NANOSECONDS.toMillis(silenceNanos - doubtNanos) / 2);
    } finally {
      lock.lock();
    }
  }

  private long sinceStart() {
    return Math.max(1, System.nanoTime() - startNanos);
  }
}
