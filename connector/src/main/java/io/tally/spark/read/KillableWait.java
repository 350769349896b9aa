package io.tally.spark.read;

import io.tally.rpc.TallyException;
import io.tally.rpc.v1.ErrorCode;
import java.util.concurrent.Future;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;

/**
 * Lets a task wait for a node, and ends the waiting when the task is killed. Spark marks a killed
 * task, but interrupts its thread only if the job asked for that ({@code
 * spark.job.interruptOnCancel}); otherwise it would sit there until the node is given up. Spark 4.0
 * tells nobody of the mark (a listener came later), so one daemon thread a JVM looks at the marks
 * of the tasks that read.
 *
 * <p>Only a task that waits is cut off, never one that is at work on a batch: cancelling frees the
 * batch's memory. A task at work looks at the mark itself, between batches.
 */
final class KillableWait implements AutoCloseable {
  /** How often it looks: a killed task waits at most this much longer. */
  private static final long PERIOD_MILLIS = 200;

  private static final ScheduledThreadPoolExecutor WATCHER = watcher();

  private final BooleanSupplier killed;
  private final Runnable cancel;
  private final Future<?> looking;
  private boolean waiting;
  private boolean cancelled;

  /**
   * @param killed whether the task was killed
   * @param cancel makes the waiting end; called once at most, from another thread
   */
  KillableWait(BooleanSupplier killed, Runnable cancel) {
    this.killed = killed;
    this.cancel = cancel;
    this.looking =
        WATCHER.scheduleWithFixedDelay(
            this::look, PERIOD_MILLIS, PERIOD_MILLIS, TimeUnit.MILLISECONDS);
  }

  private static ScheduledThreadPoolExecutor watcher() {
    ScheduledThreadPoolExecutor executor =
        new ScheduledThreadPoolExecutor(
            1,
            look -> {
              Thread thread = new Thread(look, "tally-killed-tasks");
              thread.setDaemon(true);
              return thread;
            });
    executor.setRemoveOnCancelPolicy(true);
    return executor;
  }

  /**
   * The result of something that waits.
   *
   * @throws TallyException CANCELLED if the task was killed meanwhile
   */
  <T> T during(Supplier<T> wait) {
    synchronized (this) {
      waiting = true;
    }
    T result;
    try {
      result = wait.get();
    } finally {
      synchronized (this) {
        waiting = false;
      }
    }
    if (isCancelled()) {
      throw new TallyException(
          ErrorCode.CANCELLED, "The task was killed while it waited for a node.");
    }
    return result;
  }

  private synchronized boolean isCancelled() {
    return cancelled;
  }

  private synchronized void look() {
    if (waiting && !cancelled && killed.getAsBoolean()) {
      cancelled = true;
      cancel.run();
    }
  }

  /** Looks no more. */
  @Override
  public void close() {
    looking.cancel(false);
  }
}
