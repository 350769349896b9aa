package io.tally.server.scan;

/**
 * The other way to answer a partial aggregation: each row as the group that it is by itself. It
 * pays where nearly every row is a group of its own; a look at some of the groups tells.
 *
 * @param rows the statement that yields a partial result for each row
 * @param look a statement that yields two BIGINTs: rows, and groups among these rows. It takes one
 *     key in {@value #LOOKED_AT}, with all its rows, so that the share is neither too large nor too
 *     small by itself
 */
record RowByRow(Sql rows, Sql look, GroupShares shares) {
  /** Rows that a scan has to cover before a look pays. */
  static final long LEAST_ROWS = 100_000;

  /** So many groups for each row, and grouping is given up; see docs/performance.md. */
  static final double GIVE_UP_SHARE = 0.75;

  /** One key in so many is looked at. */
  static final int LOOKED_AT = 64;
}
