package io.tally.server.table;

import io.tally.rpc.v1.ColumnBounds;
import io.tally.rpc.v1.RowRange;
import java.util.List;
import java.util.Optional;

/**
 * A part of a table's rows. The methods mirror the fields of the wire message {@code Partition}.
 */
public interface ServedPartition {
  /** Unique within the table, in the whole cluster. */
  String id();

  /** Identifies the content; equal on replicas. */
  String fingerprint();

  /** Exact number of rows. */
  long rows();

  /** Size as stored; 0 if unknown. */
  long storedBytes();

  /** Whether rows have stable positions, so that {@link #rowsSql} accepts a range. */
  boolean splittable();

  /** What is known of column values. */
  List<ColumnBounds> bounds();

  /** Names of the columns that the table is declared to be partitioned by. */
  List<String> partitioningColumns();

  /**
   * A complete SELECT that yields the rows with all {@linkplain ServedTable#columns served columns}
   * of the table under their own names. It contains nothing that came from a client but the numbers
   * of the range; it may be used as a subquery.
   *
   * @param range rows by position, see {@code RowRange}; empty: all rows
   * @throws io.tally.rpc.TallyException INVALID_REQUEST if there is a range and the partition is
   *     not splittable, or the range does not lie within [0, rows]
   */
  String rowsSql(Optional<RowRange> range);

  /**
   * As {@link #rowsSql}, with one more column: the position of the row, a BIGINT, never NULL.
   *
   * @param position name of that column, which no other has
   * @throws io.tally.rpc.TallyException INVALID_REQUEST if the partition is not splittable, or the
   *     range does not lie within [0, rows]
   */
  String numberedRowsSql(Optional<RowRange> range, String position);
}
