package io.tally.spark.read;

import io.tally.rpc.client.NodeAddress;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;

/**
 * Remembers which nodes did not answer a moment ago, so that not every task of a process finds out
 * by itself, and puts them behind the other owners of a task. Whoever has no other owner is asked
 * nevertheless. Safe for any thread.
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

  /** The same owners, those in trouble behind the others. */
  List<StreamOwner> last(List<StreamOwner> owners) {
    List<StreamOwner> ordered = new ArrayList<>(owners);
    ordered.sort(Comparator.comparing(owner -> isTroubled(owner.address())));
    return ordered;
  }

  private synchronized boolean isTroubled(NodeAddress node) {
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
