package io.tally.server.scan;

import io.tally.rpc.v1.Open;
import java.util.OptionalLong;

/**
 * Which of a scan's rows are sent: those behind the first {@code offset}, and at most {@code limit}
 * of them. Hands on the end of a statement, or the number of rows that are left.
 */
record RowWindow(long offset, OptionalLong limit) {

  static RowWindow of(Open open) {
    return new RowWindow(
        open.getOffset(),
        open.hasLimit() ? OptionalLong.of(open.getLimit()) : OptionalLong.empty());
  }

  /** How many of that many rows are sent. */
  long rowsOf(long rows) {
    return Math.min(Math.max(0, rows - offset), limit.orElse(Long.MAX_VALUE));
  }

  /**
   * Appends LIMIT and OFFSET, as constants: only then does the engine keep the first rows instead
   * of sorting all. It refuses very large constants, which have no effect anyway.
   *
   * @param mostRows no more rows than this can qualify
   */
  void append(Sql sql, long mostRows) {
    if (limit.isPresent() && limit.getAsLong() < mostRows) {
      sql.append(" LIMIT " + limit.getAsLong());
    }
    if (offset > 0) {
      sql.append(" OFFSET " + Math.min(offset, mostRows));
    }
  }
}
