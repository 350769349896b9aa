package io.tally.spark.read;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.tally.rpc.TallyException;
import io.tally.rpc.v1.ErrorCode;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
final class KillableWaitTest {
  private static boolean await(CountDownLatch latch) {
    try {
      return latch.await(30, TimeUnit.SECONDS);
    } catch (InterruptedException e) {
      throw new AssertionError(e);
    }
  }

  @Test
  void killingEndsTheWait() {
    AtomicBoolean killed = new AtomicBoolean();
    CountDownLatch answer = new CountDownLatch(1);
    try (KillableWait wait = new KillableWait(killed::get, answer::countDown)) {
      assertEquals("early", wait.during(() -> "early"));
      TallyException error =
          assertThrows(
              TallyException.class,
              () ->
                  wait.during(
                      () -> {
                        killed.set(true);
                        return await(answer);
                      }));
      assertEquals(ErrorCode.CANCELLED, error.code());
    }
  }

  @Test
  void aTaskAtWorkIsNotCutOff() {
    CountDownLatch lookedTwice = new CountDownLatch(2);
    CountDownLatch cancelled = new CountDownLatch(1);
    try (KillableWait working = new KillableWait(() -> true, cancelled::countDown);
        KillableWait clock =
            new KillableWait(
                () -> {
                  lookedTwice.countDown();
                  return false;
                },
                () -> {})) {
      // One thread looks at both with one period: two looks here are one there at least.
      assertTrue(clock.during(() -> await(lookedTwice)));
      assertEquals(1, cancelled.getCount());
      assertThrows(TallyException.class, () -> working.during(() -> await(cancelled)));
    }
  }
}
