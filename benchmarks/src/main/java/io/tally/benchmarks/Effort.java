package io.tally.benchmarks;

/**
 * How much a benchmark does: all that its figures need, or just enough to see that it works, as in
 * tests.
 */
enum Effort {
  FULL,
  QUICK;

  private static final int QUICK_DIVISOR = 10;
  private static final int QUICK_SLOW_DIVISOR = 200;

  /** Quick if {@code TALLY_BENCHMARKS_QUICK} is {@code true}. */
  static Effort ofEnvironment() {
    return "true".equals(System.getenv("TALLY_BENCHMARKS_QUICK")) ? QUICK : FULL;
  }

  /** How many rows to take. */
  long rows(long full) {
    return this == FULL ? full : full / QUICK_DIVISOR;
  }

  /** How many rows to take where each takes long, or all are read very often. */
  long slowRows(long full) {
    return this == FULL ? full : full / QUICK_SLOW_DIVISOR;
  }

  /** How often to repeat. */
  int times(int full) {
    return this == FULL ? full : Math.max(1, full / QUICK_DIVISOR);
  }
}
