package io.tally.server.table;

import io.tally.rpc.v1.RowRange;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;

/** The rows of one partition in files of one format, ready to be selected from. Immutable. */
interface PartitionStorage {
  /** Name of the format, and of the table if a file holds several. */
  String format();

  /** All columns, in stored order. */
  List<StoredColumn> columns();

  /** The files that hold the rows, in the order in which row positions count. */
  List<StoredFile> files();

  /** Exact number of rows if it is known without reading all data. */
  OptionalLong knownRows();

  /** Whether rows have positions. */
  boolean splittable();

  /**
   * A SELECT over the rows.
   *
   * @param selectList what to select of {@link #columns}
   * @param range within [0, rows]; only if {@link #splittable}
   */
  String rowsSql(String selectList, Optional<RowRange> range);

  /**
   * As {@link #rowsSql}, with the position of each row as a last column; only if {@link
   * #splittable}.
   *
   * @param position quoted name of that column
   */
  default String numberedRowsSql(String selectList, Optional<RowRange> range, String position) {
    throw new UnsupportedOperationException(format() + " has no positions");
  }
}
