package io.tally.rpc;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;

class WindowBudgetTest {
  private static final long MIB = 1 << 20;
  private static final long LIMIT = 256 * MIB;

  @Test
  void aFewStreamsGetWhatTheyWant() {
    WindowBudget budget = new WindowBudget();
    for (int i = 0; i < 5; i++) {
      assertEquals(16 * MIB, budget.take(16 * MIB, LIMIT).bytes());
    }
    assertEquals(80 * MIB, budget.takenBytes());
  }

  @Test
  void manyStreamsStayWithinTheLimitAndNoneIsLeftWithoutAShare() {
    WindowBudget budget = new WindowBudget();
    Random random = new Random(20_261_130);
    List<WindowBudget.Share> shares = new ArrayList<>();
    for (int i = 0; i < 10_000; i++) {
      if (shares.size() == 512 || (!shares.isEmpty() && random.nextInt(3) == 0)) {
        shares.remove(random.nextInt(shares.size())).close();
      }
      long wanted = 1 + random.nextLong(64 * MIB);
      WindowBudget.Share share = budget.take(wanted, LIMIT);
      shares.add(share);
      shares.get(random.nextInt(shares.size())).renew(random.nextLong(64 * MIB));
      assertTrue(share.bytes() <= wanted);
      assertTrue(share.bytes() >= Math.min(wanted, WindowBudget.LEAST_BYTES));
      assertTrue(budget.takenBytes() <= LIMIT, () -> budget.takenBytes() + " bytes");
      assertEquals(shares.stream().mapToLong(it -> it.bytes()).sum(), budget.takenBytes());
    }
    shares.forEach(WindowBudget.Share::close);
    shares.forEach(WindowBudget.Share::close);
    assertEquals(0, budget.takenBytes());
    assertEquals(16 * MIB, budget.take(16 * MIB, LIMIT).bytes());
  }

  @Test
  void sharesFollowTheNumberOfStreams() {
    WindowBudget budget = new WindowBudget();
    List<WindowBudget.Share> shares = new ArrayList<>();
    for (int i = 0; i < 8; i++) {
      shares.add(budget.take(32 * MIB, LIMIT));
    }
    assertEquals(32 * MIB, shares.get(0).bytes());
    assertTrue(shares.get(7).bytes() < 5 * MIB);

    for (int round = 0; round < 20; round++) {
      shares.forEach(share -> share.renew(0));
    }
    for (WindowBudget.Share share : shares) {
      // Of the half that is shared, as much for each as three further ones would find.
      assertEquals(128.0 / 11 + 0.25, (double) share.bytes() / MIB, 0.01);
    }

    shares.subList(1, 8).forEach(WindowBudget.Share::close);
    assertEquals(32 * MIB, shares.get(0).renew(0));
  }

  @Test
  void aShareKeepsWhatItsStreamMayUse() {
    WindowBudget budget = new WindowBudget();
    WindowBudget.Share first = budget.take(32 * MIB, LIMIT);
    for (int i = 0; i < 200; i++) {
      budget.take(32 * MIB, LIMIT);
    }
    assertEquals(32 * MIB, first.renew(40 * MIB));
    assertEquals(20 * MIB, first.renew(20 * MIB));
    assertTrue(first.renew(0) < 10 * MIB);
    // What was given back may be with others by now.
    assertEquals(first.bytes(), first.renew(20 * MIB));

    first.close();
    long taken = budget.takenBytes();
    first.renew(0);
    assertEquals(taken, budget.takenBytes());
    assertTrue(taken <= LIMIT);
  }

  @Test
  void moreStreamsThanTheLimitHasRoomForAddTheirLeast() {
    WindowBudget budget = new WindowBudget();
    long limit = 8 * MIB;
    int streams = 100;
    for (int i = 0; i < streams; i++) {
      budget.take(16 * MIB, limit);
    }
    assertTrue(budget.takenBytes() <= limit / 2 + streams * WindowBudget.LEAST_BYTES);
    assertEquals(WindowBudget.LEAST_BYTES, budget.take(16 * MIB, limit).bytes());
    // A stream that knows of more room takes of it.
    assertTrue(budget.take(16 * MIB, LIMIT).bytes() == 16 * MIB);
  }

  @Test
  void aShareHoldsSeveralBatchesUnlessTheyWouldBeSmall() {
    assertEquals(MIB, WindowBudget.batchBytes(MIB, 16 * MIB));
    assertEquals(256 << 10, WindowBudget.batchBytes(MIB, MIB));
    assertEquals(256 << 10, WindowBudget.batchBytes(MIB, WindowBudget.LEAST_BYTES));
    assertEquals(64 << 10, WindowBudget.batchBytes(MIB, 64 << 10));
    assertEquals(1000, WindowBudget.batchBytes(1000, WindowBudget.LEAST_BYTES));
    assertEquals(1, WindowBudget.batchBytes(MIB, 1));
  }
}
