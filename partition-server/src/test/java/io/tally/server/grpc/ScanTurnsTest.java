package io.tally.server.grpc;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.tally.server.fixture.Await;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** So many scans work at a time, all get their turn, and none that has ended is waited for. */
@Timeout(120)
class ScanTurnsTest {
  private static final long LIMIT_SECONDS = 30;

  private final ExecutorService threads = Executors.newCachedThreadPool();

  @AfterEach
  void close() throws Exception {
    threads.shutdownNow();
    assertTrue(threads.awaitTermination(LIMIT_SECONDS, TimeUnit.SECONDS));
  }

  @Test
  void noMoreWorkAtATimeThanThereAreTurns() throws Exception {
    ScanTurns turns = new ScanTurns(3);
    AtomicInteger atWork = new AtomicInteger();
    AtomicInteger most = new AtomicInteger();
    List<Future<?>> scans = new ArrayList<>();
    for (int i = 0; i < 20; i++) {
      scans.add(
          threads.submit(
              () -> {
                ScanTurns.Turn turn = turns.forScan();
                for (int round = 0; round < 500; round++) {
                  assertTrue(turn.take());
                  most.accumulateAndGet(atWork.incrementAndGet(), Math::max);
                  assertTrue(turn.isHeld());
                  Thread.onSpinWait();
                  atWork.decrementAndGet();
                  turn.leave();
                  assertFalse(turn.isHeld());
                  turn.leave();
                }
                return null;
              }));
    }
    for (Future<?> scan : scans) {
      scan.get(LIMIT_SECONDS, TimeUnit.SECONDS);
    }
    assertTrue(most.get() <= 3, () -> most + " at once");
    assertEquals(0, turns.waiting());
  }

  @Test
  void turnsComeInTheOrderInWhichTheyAreAskedFor() throws Exception {
    ScanTurns turns = new ScanTurns(1);
    ScanTurns.Turn first = turns.forScan();
    assertTrue(first.take());
    List<ScanTurns.Turn> others = new ArrayList<>();
    List<Future<Boolean>> taken = new ArrayList<>();
    for (int i = 0; i < 5; i++) {
      ScanTurns.Turn turn = turns.forScan();
      others.add(turn);
      taken.add(threads.submit(turn::take));
      int waiting = i + 1;
      Await.until("it waits", () -> turns.waiting() == waiting);
    }
    first.leave();
    for (int i = 0; i < 5; i++) {
      assertTrue(taken.get(i).get(LIMIT_SECONDS, TimeUnit.SECONDS));
      assertEquals(4 - i, turns.waiting());
      others.get(i).leave();
    }
    assertTrue(first.take());
  }

  @Test
  void whoLeftForItsClientComesBeforeThoseThatHaveNotBegun() throws Exception {
    ScanTurns turns = new ScanTurns(1);
    ScanTurns.Turn begun = turns.forScan();
    assertTrue(begun.take());
    begun.leave();
    ScanTurns.Turn working = turns.forScan();
    assertTrue(working.take());
    ScanTurns.Turn fresh = turns.forScan();
    Future<Boolean> begins = threads.submit(fresh::take);
    Await.until("it waits", () -> turns.waiting() == 1);
    Future<Boolean> returns = threads.submit(begun::take);
    Await.until("both wait", () -> turns.waiting() == 2);

    working.leave();

    assertTrue(returns.get(LIMIT_SECONDS, TimeUnit.SECONDS));
    assertEquals(1, turns.waiting());
    begun.leave();
    assertTrue(begins.get(LIMIT_SECONDS, TimeUnit.SECONDS));
  }

  @Test
  void aScanThatHasEndedIsNotWaitedFor() throws Exception {
    ScanTurns turns = new ScanTurns(1);
    ScanTurns.Turn working = turns.forScan();
    assertTrue(working.take());
    ScanTurns.Turn cancelled = turns.forScan();
    Future<Boolean> taken = threads.submit(cancelled::take);
    Await.until("it waits", () -> turns.waiting() == 1);

    cancelled.abandon();

    assertFalse(taken.get(LIMIT_SECONDS, TimeUnit.SECONDS));
    assertEquals(0, turns.waiting());
    working.leave();
    assertFalse(cancelled.take());
    assertTrue(turns.forScan().take());
  }

  @Test
  void whoCouldGoOnForEverPassesItsTurnOn() throws Exception {
    ScanTurns turns = new ScanTurns(1);
    ScanTurns.Turn busy = turns.forScan();
    ScanTurns.Turn other = turns.forScan();
    assertTrue(busy.take());
    CompletableFuture<Void> over = new CompletableFuture<>();
    Future<?> working =
        threads.submit(
            () -> {
              while (!over.isDone() && busy.take()) {
                Thread.onSpinWait();
              }
              return null;
            });

    assertTrue(threads.submit(other::take).get(LIMIT_SECONDS, TimeUnit.SECONDS));

    Await.until("the other waits", () -> turns.waiting() == 1);
    assertFalse(busy.isHeld());
    other.leave();
    Await.until("it goes on", busy::isHeld);
    over.complete(null);
    working.get(LIMIT_SECONDS, TimeUnit.SECONDS);
  }
}
