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
  /** So long a node is asked last; then the next task asks it as planned. */
  static final long AVOID_MILLIS = 30_000;

  private final LongSupplier nanos;
  private final Map<NodeAddress, Long> failedAtNanos = new HashMap<>();

  /**
   * @param nanos a clock as {@link System#nanoTime}
   */
  TroubledNodes(LongSupplier nanos) {
    this.nanos = nanos;
  }

  synchronized void failed(NodeAddress node) {
    failedAtNanos.put(node, nanos.getAsLong());
  }

  synchronized void answered(NodeAddress node) {
    failedAtNanos.remove(node);
  }

  /** Whether it did not answer a moment ago. */
  synchronized boolean isTroubled(NodeAddress node) {
    Long failedAt = failedAtNanos.get(node);
    if (failedAt == null) {
      return false;
    }
    if (nanos.getAsLong() - failedAt < TimeUnit.MILLISECONDS.toNanos(AVOID_MILLIS)) {
      return true;
    }
    failedAtNanos.remove(node);
    return false;
  }
}
