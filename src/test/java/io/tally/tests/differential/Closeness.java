package io.tally.tests.differential;

import io.tally.tests.Rows;

/** How near the cells of an output column have to be in the three answers. */
enum Closeness {
  /** The same, down to the sign of zero. */
  EXACT,
  /** The same, but which of 0.0 and -0.0 comes out depends on the order of the rows. */
  UP_TO_SIGN_OF_ZERO,
  /** The same but for upper and lower case: equal by the collation that nodes leave to Spark. */
  UP_TO_CASE,
  /**
   * A sum or an average of FLOAT or DOUBLE: within a few ulps for each row, see {@link
   * Rows#ulpsOfSum}.
   */
  SUM,
  /** Made of several such sums, which may cancel out. */
  STATISTIC;

  /** Of values that are no results of floating-point arithmetic. */
  static Closeness ofValue(Kind kind) {
    return kind == Kind.COLLATED ? UP_TO_CASE : EXACT;
  }

  /** Whether values may differ at all by more than a sign. */
  boolean isRounded() {
    return this == SUM || this == STATISTIC;
  }
}
