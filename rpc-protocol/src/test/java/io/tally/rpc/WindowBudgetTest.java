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
  void aShareHoldsSeveralBatches() {
    assertEquals(MIB, WindowBudget.batchBytes(MIB, 16 * MIB));
    assertEquals(64 << 10, WindowBudget.batchBytes(MIB, WindowBudget.LEAST_BYTES));
    assertEquals(1, WindowBudget.batchBytes(MIB, 1));
  }
}
