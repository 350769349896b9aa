package io.tally.server.grpc;

import java.util.concurrent.atomic.AtomicLong;

/** Counts what all scans of a node keep for clients that may come back. Safe for any thread. */
final class KeptBytes {
  private final long limit;
  private final AtomicLong bytes = new AtomicLong();

  KeptBytes(long limit) {
    this.limit = limit;
  }

  void add(long more) {
    bytes.addAndGet(more);
  }

  void remove(long less) {
    bytes.addAndGet(-less);
  }

  /** Whether whoever added something has to give something up. */
  boolean tooMany() {
    return bytes.get() > limit;
  }
}
