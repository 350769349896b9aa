package io.tally.server.table;

import io.tally.rpc.TallyException;
import io.tally.rpc.v1.ColumnBounds;
import io.tally.rpc.v1.ErrorCode;
import io.tally.rpc.v1.RowRange;
import java.util.List;
import java.util.Optional;

/** A partition whose data was read and found to be as configured. Immutable. */
record LoadedPartition(
    String id,
    String fingerprint,
    long rows,
    PartitionStorage storage,
    String wireSelectList,
    List<ColumnBounds> bounds,
    List<String> partitioningColumns)
    implements ServedPartition {
  LoadedPartition {
    bounds = List.copyOf(bounds);
    partitioningColumns = List.copyOf(partitioningColumns);
  }

  @Override
  public long storedBytes() {
    return storage.files().stream().mapToLong(StoredFile::sizeBytes).sum();
  }

  @Override
  public boolean splittable() {
    return storage.splittable();
  }

  @Override
  public String rowsSql(Optional<RowRange> range) {
    range.ifPresent(this::check);
    return storage.rowsSql(wireSelectList, range);
  }

  @Override
  public String numberedRowsSql(Optional<RowRange> range, String position) {
    range.ifPresent(this::check);
    requireSplittable();
    return storage.numberedRowsSql(wireSelectList, range, SqlText.identifier(position));
  }

  private void requireSplittable() {
    if (!splittable()) {
      throw new TallyException(
          ErrorCode.INVALID_REQUEST,
          "Partition \"" + id + "\" is not splittable; scan it without a range or sample.");
    }
  }

  private void check(RowRange range) {
    requireSplittable();
    if (range.getFirst() < 0 || range.getFirst() > range.getEnd() || range.getEnd() > rows) {
      throw new TallyException(
          ErrorCode.INVALID_REQUEST,
          String.format(
              "The range [%d, %d) does not lie within the %d rows of partition \"%s\"; ask for"
                  + " 0 <= first <= end <= rows.",
              range.getFirst(), range.getEnd(), rows, id));
    }
  }
}
