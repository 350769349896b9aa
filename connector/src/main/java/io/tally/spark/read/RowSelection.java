package io.tally.spark.read;

import io.tally.rpc.v1.Open;
import io.tally.rpc.v1.SortKey;
import java.util.List;
import java.util.OptionalInt;

/**
 * Which of the qualifying rows each stream yields: of those in the given order, the ones behind
 * {@code offset}, and at most {@code limit} of them. Immutable.
 *
 * @param orderBy empty: any order
 * @param limit empty: all
 * @param offset 0 unless there is one stream alone
 * @param partial whether Spark sorts and limits what comes from all streams once more
 */
record RowSelection(List<SortKey> orderBy, OptionalInt limit, int offset, boolean partial) {
  static final RowSelection ALL = new RowSelection(List.of(), OptionalInt.empty(), 0, false);

  RowSelection {
    orderBy = List.copyOf(orderBy);
  }

  static RowSelection first(int limit, List<SortKey> orderBy) {
    return new RowSelection(orderBy, OptionalInt.of(limit), 0, false);
  }

  RowSelection partial(boolean partial) {
    return new RowSelection(orderBy, limit, offset, partial);
  }

  /**
   * Whether every stream yields all rows, so that a later filter leaves what an earlier one does.
   */
  boolean isAll() {
    return equals(ALL);
  }

  /** Whether no more than this many rows come from any stream. */
  boolean isAtMost(long rows) {
    return limit.isPresent() && limit.getAsInt() <= rows;
  }

  /** The same without the first {@code rows}: a limit counts them, as it does in Spark. */
  RowSelection without(int rows) {
    OptionalInt left =
        limit.isPresent() ? OptionalInt.of(Math.max(0, limit.getAsInt() - rows)) : limit;
    return new RowSelection(orderBy, left, rows, partial);
  }

  void addTo(Open.Builder open) {
    open.addAllOrderBy(orderBy).setOffset(offset);
    limit.ifPresent(open::setLimit);
  }
}
