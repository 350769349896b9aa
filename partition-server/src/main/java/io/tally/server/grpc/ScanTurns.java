package io.tally.server.grpc;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;

/**
 * Receives scans that have something to compute, and lets a limited number of them do so at a time,
 * in the order in which they ask. Each scan in work has its part of the engine's memory and of the
 * processor's caches, so that many at once are slower than a few after another. For the same reason
 * a scan that had to wait for its client comes before those that have not begun, as long as it has
 * not had its slice.
 *
 * <p>Nobody holds a turn for ever: a scan whose client does not take its batches gives it up after
 * {@link #LINGER_NANOS}, so that scans may wait for each other's clients, and one that could go on
 * and on passes it on after {@link #SLICE_NANOS} if others wait. Only a single step of the engine,
 * such as an aggregation, is not interrupted. Safe for any thread.
 */
final class ScanTurns {
  /** The client's next credits are most often under way. */
  static final long LINGER_NANOS = TimeUnit.MILLISECONDS.toNanos(20);

  private static final long SLICE_NANOS = TimeUnit.MILLISECONDS.toNanos(250);

  private final ReentrantLock lock = new ReentrantLock();

  // Guarded by the lock.
  private final Deque<Turn> waiting = new ArrayDeque<>();

  /** Those that left a turn for their clients before it was over. They come first. */
  private final Deque<Turn> returning = new ArrayDeque<>();

  private int free;

  /**
   * @param turns how many scans work at a time
   */
  ScanTurns(int turns) {
    this.free = turns;
  }

  /** The turns of one scan, which has none at first. */
  Turn forScan() {
    return new Turn();
  }

  /** How many scans wait for their turn. */
  int waiting() {
    lock.lock();
    try {
      return waiting.size() + returning.size();
    } finally {
      lock.unlock();
    }
  }

  /** What one scan has to have to work. One thread takes and leaves it; any may abandon it. */
  final class Turn {
    private final Condition changed = lock.newCondition();

    // Guarded by the lock.
    private boolean held;
    private boolean abandoned;
    private long sinceNanos;

    /** How much of its slice it has had, if it left before it was over. */
    private long hadNanos;

    private Turn() {}

    /** Waits for a turn, unless it is held; false if the scan has ended and is to have none. */
    boolean take() throws InterruptedException {
      lock.lock();
      try {
        if (held && waiting() > 0 && isOver()) {
          waiting.add(this);
          pass();
        } else if (!held && !abandoned) {
          (hadNanos > 0 ? returning : waiting).add(this);
          giveFree();
        }
        while (!held && !abandoned) {
          changed.await();
        }
        return !abandoned;
      } finally {
        // If it does not wait any more without having got one.
        waiting.remove(this);
        returning.remove(this);
        lock.unlock();
      }
    }

    /** Whether the scan may work. */
    boolean isHeld() {
      lock.lock();
      try {
        return held;
      } finally {
        lock.unlock();
      }
    }

    /** Lets another scan work; may be called again. */
    void leave() {
      lock.lock();
      try {
        if (held) {
          pass();
        }
      } finally {
        lock.unlock();
      }
    }

    /** The scan has ended: whoever waits for its turn does not any more. */
    void abandon() {
      lock.lock();
      try {
        abandoned = true;
        changed.signalAll();
      } finally {
        lock.unlock();
      }
    }

    private boolean isOver() {
      return hadNanos + System.nanoTime() - sinceNanos >= SLICE_NANOS;
    }

    private void pass() {
      hadNanos = isOver() ? 0 : hadNanos + System.nanoTime() - sinceNanos;
      held = false;
      free++;
      giveFree();
    }
  }

  private void giveFree() {
    while (free > 0 && waiting() > 0) {
      Turn next = returning.isEmpty() ? waiting.poll() : returning.poll();
      free--;
      next.held = true;
      next.sinceNanos = System.nanoTime();
      next.changed.signalAll();
    }
  }
}
