package io.tally.tests.differential;

/** How near the cells of an output column have to be in the three answers. */
enum Closeness {
  /** The same, down to the sign of zero. */
  EXACT,
  /** The same, but which of 0.0 and -0.0 comes out depends on the order of the rows. */
  UP_TO_SIGN_OF_ZERO,
  /** A sum or an average of FLOAT or DOUBLE: the order of addition may show. */
  SUM,
  /** Made of several such sums, which may cancel out. */
  STATISTIC;

  /** Whether values may differ at all by more than a sign. */
  boolean isRounded() {
    return this == SUM || this == STATISTIC;
  }
}
