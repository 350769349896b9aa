package io.tally.tests.faults;

import io.tally.server.fixture.Await;
import io.tally.server.fixture.LinkProxy;
import io.tally.server.fixture.LinkSpeed;
import io.tally.tests.TallyNode;
import io.tally.tests.faults.Fault.Stroke;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Consumer;

/**
 * Makes the faults of one schedule happen to one node and the link to it, and undoes them. Closing
 * leaves the node as it was found, and no link.
 */
final class Troubles implements AutoCloseable {
  /** Of three faults, each may wait for another thread, and something may be undone meanwhile. */
  private static final int THREADS = 8;

  private final TallyNode node;
  private final TallyNode other;
  private final LinkProxy link;
  private final ScheduledExecutorService later = Executors.newScheduledThreadPool(THREADS);
  private final List<Future<?>> ahead = new ArrayList<>();

  /**
   * @param other has the same rows
   */
  Troubles(TallyNode node, TallyNode other) {
    this.node = node;
    this.other = other;
    this.link = new LinkProxy(node.port());
  }

  /** Where clients reach the node. */
  LinkProxy link() {
    return link;
  }

  /** What happens to connections that are made from now on. */
  void expect(List<Fault> faults) {
    for (Fault fault : faults) {
      if (fault instanceof Fault.Breaks breaks) {
        link.breakNext(breaks.how());
      }
    }
  }

  /**
   * Lets happen what a number of batches brings with it, on the reader's thread.
   *
   * @param asker does what only the asker can do
   */
  void atMoment(List<Fault> faults, int moment, Consumer<Stroke> asker) {
    for (Fault fault : faults) {
      if (fault instanceof Fault.Hinders hinders && hinders.moment() == moment) {
        link.setSpeed(hinders.speed());
      } else if (fault instanceof Fault.Strikes strikes && strikes.moment() == moment) {
        strike(strikes, asker);
      }
    }
  }

  /** Lets it happen by the clock, from now on. */
  void byTheClock(List<Fault> faults, Consumer<Stroke> asker) {
    for (Fault fault : faults) {
      if (fault instanceof Fault.Hinders hinders) {
        after(hinders.moment(), () -> link.setSpeed(hinders.speed()));
      } else if (fault instanceof Fault.Strikes strikes) {
        after(strikes.moment(), () -> strike(strikes, asker));
      }
    }
  }

  private void strike(Fault.Strikes strikes, Consumer<Stroke> asker) {
    int millis = strikes.undoneAfterMillis();
    Thread reader = Thread.currentThread();
    switch (strikes.stroke()) {
      case CUT -> link.cutNow();
      case SWALLOW -> {
        link.swallow();
        undo(millis, link::restore);
      }
      case KILL -> {
        undisturbed(() -> endProcess(TallyNode::kill));
        undo(millis, this::revive);
      }
      case TERMINATE -> {
        undisturbed(() -> endProcess(TallyNode::stop));
        undo(millis, this::revive);
      }
      case SUSPEND -> {
        undisturbed(this::suspend);
        undo(millis, this::wake);
      }
      case REPLACE -> {
        link.lead(other.port());
        link.cutNow();
      }
      case PAUSE -> LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(millis));
      case CLOSE, CANCEL_JOBS, LOSE_EXECUTOR -> after(millis, () -> asker.accept(strikes.stroke()));
      case INTERRUPT -> after(millis, reader::interrupt);
    }
  }

  /** Does it now, on a thread that nobody interrupts. */
  private void undisturbed(Runnable action) {
    Future<?> happening = later.submit(action);
    synchronized (ahead) {
      ahead.add(happening);
    }
    Await.until("it has happened", happening::isDone);
  }

  private void undo(int millis, Runnable action) {
    if (millis > 0) {
      after(millis, action);
    }
  }

  private void after(int millis, Runnable action) {
    synchronized (ahead) {
      ahead.add(later.schedule(action, millis, TimeUnit.MILLISECONDS));
    }
  }

  // What concerns the process happens one after the other: also a start takes its time.

  private synchronized void endProcess(Consumer<TallyNode> way) {
    if (node.isAlive()) {
      node.resume();
      way.accept(node);
    }
  }

  private synchronized void suspend() {
    if (node.isAlive()) {
      node.pause();
    }
  }

  private synchronized void wake() {
    if (node.isAlive()) {
      node.resume();
    }
  }

  private synchronized void revive() {
    if (!node.isAlive()) {
      node.start();
    }
  }

  /** Waits for what is still to happen, and undoes it. */
  void end() throws InterruptedException, ExecutionException {
    Await.until("all has happened", () -> ahead().stream().allMatch(Future::isDone));
    // Of a reader that was to be interrupted, and has perhaps ended before.
    Thread.interrupted();
    for (Future<?> done : ahead()) {
      done.get();
    }
    wake();
    revive();
    link.setSpeed(LinkSpeed.UNHINDERED);
    link.restore();
  }

  private List<Future<?>> ahead() {
    synchronized (ahead) {
      return List.copyOf(ahead);
    }
  }

  @Override
  public void close() {
    later.shutdownNow();
    link.close();
  }
}
