package io.tally.server.grpc;

import java.util.concurrent.Future;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;

/** Runs an action whenever nothing was sent for an interval. Costs nothing per message sent. */
final class ProgressTimer implements AutoCloseable {
  private final ScheduledExecutorService scheduler;
  private final long intervalNanos;
  private final LongSupplier nanosSinceSent;
  private final Runnable action;
  private Future<?> next;
  private boolean closed;

  private ProgressTimer(
      ScheduledExecutorService scheduler,
      long intervalNanos,
      LongSupplier nanosSinceSent,
      Runnable action) {
    this.scheduler = scheduler;
    this.intervalNanos = intervalNanos;
    this.nanosSinceSent = nanosSinceSent;
    this.action = action;
  }

  /** A timer that runs until it is closed; {@code action} must be short. */
  static ProgressTimer start(
      ScheduledExecutorService scheduler,
      long intervalNanos,
      LongSupplier nanosSinceSent,
      Runnable action) {
    ProgressTimer timer = new ProgressTimer(scheduler, intervalNanos, nanosSinceSent, action);
    timer.schedule(intervalNanos);
    return timer;
  }

  @Override
  public synchronized void close() {
    closed = true;
    next.cancel(false);
  }

  private void tick() {
    long restNanos = intervalNanos - nanosSinceSent.getAsLong();
    if (restNanos <= 0) {
      action.run();
      restNanos = intervalNanos;
    }
    schedule(restNanos);
  }

  private synchronized void schedule(long nanos) {
    if (!closed) {
      next = scheduler.schedule(this::tick, nanos, TimeUnit.NANOSECONDS);
    }
  }
}
