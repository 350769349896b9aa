package io.tally.spark.read;

import io.tally.rpc.client.NodeAddress;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;

/**
 * Is told how nodes fare and remembers which of them did not answer a moment ago, so that not every
 * task of a process finds out by itself, where others could answer. Safe for any thread.
 */
final class TroubledNodes {
  /** At least so long others are asked instead. */
  static final long MIN_AVOID_MILLIS = 30_000;

  /** At most so long. */
  static final long MAX_AVOID_MILLIS = 600_000;

  /** A node that is waited for in vain is not to cost more than this part of the time. */
  private static final int AVOIDED_PER_WAITED = 5;

  private final LongSupplier nanos;
  private final Map<NodeAddress, Trouble> troubles = new HashMap<>();

  private record Trouble(long sinceNanos, long avoidNanos) {}

  /**
   * @param nanos a clock as {@link System#nanoTime}
   */
  TroubledNodes(LongSupplier nanos) {
    this.nanos = nanos;
  }

  /**
   * The node did not answer.
   *
   * @param waitedNanos how long it took to find out
   */
  synchronized void failed(NodeAddress node, long waitedNanos) {
    long least = TimeUnit.MILLISECONDS.toNanos(MIN_AVOID_MILLIS);
    long most = TimeUnit.MILLISECONDS.toNanos(MAX_AVOID_MILLIS);
    // Without overflow, however long a silence is allowed to be.
    long avoid = Math.min(waitedNanos, most) * AVOIDED_PER_WAITED;
    troubles.put(node, new Trouble(nanos.getAsLong(), Math.max(least, Math.min(avoid, most))));
  }

  synchronized void answered(NodeAddress node) {
    troubles.remove(node);
  }

  /** Whether it did not answer a moment ago. */
  synchronized boolean isTroubled(NodeAddress node) {
    Trouble trouble = troubles.get(node);
    if (trouble == null) {
      return false;
    }
    if (nanos.getAsLong() - trouble.sinceNanos() < trouble.avoidNanos()) {
      return true;
    }
    troubles.remove(node);
    return false;
  }
}
