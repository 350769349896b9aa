package io.tally.server.scan;

import io.tally.rpc.BodyCodec;
import io.tally.rpc.v1.Applied;
import io.tally.server.table.ServedTable;
import java.util.Optional;
import org.apache.arrow.vector.types.pojo.Schema;

/**
 * A checked request: the statement that answers it and everything that is known before it runs.
 * Immutable.
 */
public final class ScanPlan {
  final ServedTable table;
  final Sql sql;
  final Optional<RowByRow> rowByRow;
  final BodyCodec bodyCodec;
  final boolean countOnly;
  final RowWindow window;
  final boolean computes;
  final long storedBytesPerRow;
  final long maxBatchBytes;
  final long maxRowBytes;
  private final Schema schema;
  private final Applied applied;
  private final String partitions;
  private final long rowsScanned;

  ScanPlan(
      ServedTable table,
      Sql sql,
      Optional<RowByRow> rowByRow,
      Schema schema,
      Applied applied,
      BodyCodec bodyCodec,
      boolean countOnly,
      RowWindow window,
      boolean computes,
      TableSource source,
      long maxBatchBytes,
      long maxRowBytes) {
    this.table = table;
    this.sql = sql;
    this.rowByRow = rowByRow;
    this.schema = schema;
    this.applied = applied;
    this.bodyCodec = bodyCodec;
    this.countOnly = countOnly;
    this.window = window;
    this.computes = computes;
    this.partitions = source.describe();
    this.rowsScanned = source.rows();
    this.storedBytesPerRow = source.storedBytesPerRow();
    this.maxBatchBytes = maxBatchBytes;
    this.maxRowBytes = maxRowBytes;
  }

  /** The schema of the batches. */
  public Schema schema() {
    return schema;
  }

  /** Which parts of the request take effect. */
  public Applied applied() {
    return applied;
  }

  /** The ids of the partitions for people, cut short. */
  public String partitions() {
    return partitions;
  }

  /** Rows of the covered partitions and ranges, before predicate, aggregation and limit. */
  public long rowsScanned() {
    return rowsScanned;
  }

  /** "table x, partitions y", for messages. */
  String where() {
    return "table \"" + table.name() + "\", partitions " + partitions;
  }
}
