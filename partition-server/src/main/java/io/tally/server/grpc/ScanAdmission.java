package io.tally.server.grpc;

import io.tally.rpc.TallyException;
import io.tally.rpc.v1.ErrorCode;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;

/**
 * Receives scans and runs a limited number of them at once, each on a thread of its own, in the
 * order in which they came; a limited number more wait for a limited time. Safe for any thread.
 */
final class ScanAdmission {
  /** The engine plans by recursion over the statement. Memory is taken as far as it is used. */
  private static final long STACK_BYTES = 16L << 20;

  private final NodeSettings settings;
  private final ScheduledExecutorService scheduler;
  private final ExecutorService threads;

  private final ReentrantLock lock = new ReentrantLock();
  private final Condition idle = lock.newCondition();
  private final Deque<Ticket> queue = new ArrayDeque<>();
  private int running;
  private int withoutPlace;
  private boolean stopping;

  ScanAdmission(NodeSettings settings, ScheduledExecutorService scheduler) {
    this.settings = settings;
    this.scheduler = scheduler;
    AtomicInteger number = new AtomicInteger();
    this.threads =
        Executors.newCachedThreadPool(
            task -> {
              String name = "tally-scan-" + number.incrementAndGet();
              Thread thread = new Thread(null, task, name, STACK_BYTES);
              thread.setDaemon(true);
              return thread;
            });
  }

  /** A scan's place. */
  final class Ticket {
    private final Runnable work;
    private final Consumer<TallyException> refused;
    private Future<?> timeout;

    private Ticket(Runnable work, Consumer<TallyException> refused) {
      this.work = work;
      this.refused = refused;
    }

    /**
     * Gives up a place in the queue. False if the scan was not in it (any more): it runs, has run,
     * or was refused.
     */
    boolean leaveQueue() {
      lock.lock();
      try {
        boolean left = queue.remove(this);
        if (left && timeout != null) {
          timeout.cancel(false);
        }
        return left;
      } finally {
        lock.unlock();
      }
    }

    private void timedOut() {
      if (leaveQueue()) {
        refused.accept(
            new TallyException(
                ErrorCode.TOO_MANY_SCANS,
                "The scan waited %d ms on node \"%s\" for one of %d running scans to end. Try again, or raise concurrent-scans."
                    .formatted(
                        settings.queueTimeoutMillis(),
                        settings.nodeId(),
                        settings.concurrentScans())));
      }
    }
  }

  /**
   * Runs {@code work} on a thread of its own, now or later.
   *
   * @param work does not throw; runs once, unless the scan is refused or leaves the queue
   * @param refused receives the error of a scan that had to wait in vain; any thread
   * @throws TallyException TOO_MANY_SCANS, SHUTTING_DOWN
   */
  Ticket submit(Runnable work, Consumer<TallyException> refused) {
    Ticket ticket = new Ticket(work, refused);
    lock.lock();
    try {
      if (stopping) {
        throw shuttingDown();
      }
      if (running < settings.concurrentScans()) {
        start(ticket);
      } else if (queue.size() < settings.queuedScans()) {
        queue.add(ticket);
        ticket.timeout =
            scheduler.schedule(
                ticket::timedOut, settings.queueTimeoutMillis(), TimeUnit.MILLISECONDS);
      } else {
        throw new TallyException(
            ErrorCode.TOO_MANY_SCANS,
            "Node \"%s\" runs %d scans and %d more wait; it takes no more for now. Try again, or raise concurrent-scans or queued-scans."
                .formatted(settings.nodeId(), settings.concurrentScans(), settings.queuedScans()));
      }
      return ticket;
    } finally {
      lock.unlock();
    }
  }

  /** Runs what needs a thread for a moment, and no place. */
  void execute(Runnable work) {
    countWithoutPlace(1);
    try {
      threads.execute(
          () -> {
            try {
              work.run();
            } finally {
              countWithoutPlace(-1);
            }
          });
    } catch (RuntimeException | Error e) {
      countWithoutPlace(-1);
      throw e;
    }
  }

  private void countWithoutPlace(int more) {
    lock.lock();
    try {
      withoutPlace += more;
      idle.signalAll();
    } finally {
      lock.unlock();
    }
  }

  /** Refuses what waits and what comes from now on: SHUTTING_DOWN. Running scans go on. */
  void stop() {
    Deque<Ticket> waiting;
    lock.lock();
    try {
      stopping = true;
      waiting = new ArrayDeque<>(queue);
    } finally {
      lock.unlock();
    }
    for (Ticket ticket : waiting) {
      if (ticket.leaveQueue()) {
        ticket.refused.accept(shuttingDown());
      }
    }
  }

  /** Waits until no scan runs; false if one still does after {@code millis}. */
  boolean awaitIdle(long millis) throws InterruptedException {
    long nanos = TimeUnit.MILLISECONDS.toNanos(millis);
    lock.lock();
    try {
      while (running > 0 || withoutPlace > 0) {
        if (nanos <= 0) {
          return false;
        }
        nanos = idle.awaitNanos(nanos);
      }
      return true;
    } finally {
      lock.unlock();
    }
  }

  /** Ends the idle threads, once {@link #stop} was called. */
  void close() {
    threads.shutdown();
  }

  int running() {
    lock.lock();
    try {
      return running;
    } finally {
      lock.unlock();
    }
  }

  int queued() {
    lock.lock();
    try {
      return queue.size();
    } finally {
      lock.unlock();
    }
  }

  private TallyException shuttingDown() {
    return new TallyException(
        ErrorCode.SHUTTING_DOWN,
        "Node \"" + settings.nodeId() + "\" is stopping and takes no more scans.");
  }

  private void start(Ticket ticket) {
    running++;
    try {
      threads.execute(() -> run(ticket));
    } catch (RuntimeException | Error e) {
      running--;
      throw e;
    }
  }

  private void run(Ticket ticket) {
    try {
      ticket.work.run();
    } finally {
      lock.lock();
      try {
        running--;
        Ticket next = queue.poll();
        if (next != null) {
          next.timeout.cancel(false);
          start(next);
        } else if (running == 0) {
          idle.signalAll();
        }
      } finally {
        lock.unlock();
      }
    }
  }
}
