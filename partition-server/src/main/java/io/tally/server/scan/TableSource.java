package io.tally.server.scan;

import io.tally.rpc.NearestName;
import io.tally.rpc.ShownText;
import io.tally.rpc.TallyException;
import io.tally.rpc.v1.ErrorCode;
import io.tally.rpc.v1.Open;
import io.tally.rpc.v1.RowRange;
import io.tally.rpc.v1.ScanPartition;
import io.tally.server.table.ServedColumn;
import io.tally.server.table.ServedPartition;
import io.tally.server.table.ServedTable;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.stream.Collectors;

/**
 * Checks the partitions of a scan against the table, and hands on one SQL source that yields their
 * rows: the needed columns under their wire names, partitions side by side.
 */
final class TableSource {
  private static final int MAX_NAMED_PARTITIONS = 5;

  /** Each range is a part of the statement, and there may be as many as rows. */
  static final int MAX_RANGES = 1_000;

  private record Part(ServedPartition partition, Optional<RowRange> range) {
    long first() {
      return range.map(RowRange::getFirst).orElse(0L);
    }

    long end() {
      return range.map(RowRange::getEnd).orElse(partition.rows());
    }
  }

  private final List<Part> parts;
  private final Optional<SampleSql> sample;
  private final boolean withIds;

  /** Names that no column of the table has. */
  private final String position;

  private final String id;

  private TableSource(ServedTable table, List<Part> parts, Open open) {
    this.parts = parts;
    this.sample =
        open.hasSample() ? Optional.of(new SampleSql(open.getSample())) : Optional.empty();
    this.withIds = !open.getPartitionColumn().isEmpty();
    this.position = freeName(table, "position");
    this.id = freeName(table, "partition");
  }

  static TableSource of(ServedTable table, Open open) {
    List<ScanPartition> requested = open.getPartitionsList();
    if (requested.isEmpty()) {
      throw new TallyException(
          ErrorCode.INVALID_REQUEST,
          "The scan of table \"" + table.name() + "\" names no partition; name at least one.");
    }
    if (requested.stream().filter(ScanPartition::hasRange).count() > MAX_RANGES) {
      throw new TallyException(
          ErrorCode.INVALID_REQUEST,
          "The scan of table \"%s\" names more than %d ranges of rows: ask for them in several scans."
              .formatted(table.name(), MAX_RANGES));
    }
    List<Part> parts = requested.stream().map(part -> part(table, part)).toList();
    requireDisjoint(table, parts);
    if (open.hasSample()) {
      parts.forEach(part -> requirePositions(table, part.partition));
    }
    return new TableSource(table, parts, open);
  }

  /** Appends a FROM item; rows without columns get a constant one. */
  void append(Sql sql, Collection<ServedColumn> columns) {
    String select =
        columns.isEmpty()
            ? "SELECT 1 AS \"one\""
            : columns.stream()
                .map(column -> column.valueSql() + " AS " + Sql.quote(column.name()))
                .collect(Collectors.joining(", ", "SELECT ", ""));
    sql.append("(");
    String separator = "";
    for (Part part : parts) {
      sql.append(separator).append(select);
      if (withIds) {
        sql.append(", CAST(")
            .append(new SqlParameter.Scalar(part.partition.id()))
            .append(" AS VARCHAR) AS ")
            .append(Sql.quote(id));
      }
      sql.append(" FROM (");
      if (sample.isPresent()) {
        sql.append(part.partition.numberedRowsSql(part.range, position))
            .append(") AS \"rows\" WHERE ");
        sql.append(sample.get().condition(part.partition.id(), Sql.quote(position)));
      } else {
        sql.append(part.partition.rowsSql(part.range)).append(") AS \"rows\"");
      }
      separator = " UNION ALL ";
    }
    sql.append(") AS \"source\"");
  }

  /** Name of the column that holds the ids of partitions, if the scan asks for them. */
  String idColumn() {
    return id;
  }

  /** Rows covered, before any filter. */
  long rows() {
    return parts.stream().mapToLong(part -> part.end() - part.first()).sum();
  }

  /** Stored size of a row on average; 0 if unknown. */
  long storedBytesPerRow() {
    long rows = 0;
    long bytes = 0;
    for (Part part : parts) {
      rows += part.partition.rows();
      bytes += part.partition.storedBytes();
    }
    return rows == 0 ? 0 : bytes / rows;
  }

  boolean hasRanges() {
    return parts.stream().anyMatch(part -> part.range.isPresent());
  }

  /** The ids for messages and logs, cut short. */
  String describe() {
    List<String> ids = parts.stream().map(part -> part.partition.id()).distinct().toList();
    String named =
        ids.stream().limit(MAX_NAMED_PARTITIONS).collect(Collectors.joining("\", \"", "\"", "\""));
    return ids.size() <= MAX_NAMED_PARTITIONS
        ? named
        : named + " and " + (ids.size() - MAX_NAMED_PARTITIONS) + " more";
  }

  private static Part part(ServedTable table, ScanPartition requested) {
    ServedPartition partition =
        table.partitions().stream()
            .filter(candidate -> candidate.id().equals(requested.getId()))
            .findFirst()
            .orElseThrow(() -> notFound(table, requested.getId()));
    if (!requested.hasRange()) {
      return new Part(partition, Optional.empty());
    }
    RowRange range = requested.getRange();
    if (range.getFirst() < 0
        || range.getFirst() > range.getEnd()
        || range.getEnd() > partition.rows()) {
      throw new TallyException(
          ErrorCode.INVALID_REQUEST,
          "Rows %d to %d are not within partition \"%s\" of table \"%s\", which has %d rows."
              .formatted(
                  range.getFirst(),
                  range.getEnd(),
                  partition.id(),
                  table.name(),
                  partition.rows()));
    }
    requirePositions(table, partition);
    return new Part(partition, Optional.of(range));
  }

  private static void requirePositions(ServedTable table, ServedPartition partition) {
    if (!partition.splittable()) {
      throw new TallyException(
          ErrorCode.INVALID_REQUEST,
          "Partition \"%s\" of table \"%s\" has no stable row positions: scan it without a range or sample."
              .formatted(partition.id(), table.name()));
    }
  }

  /** No column has this name, in whatever case. */
  private static String freeName(ServedTable table, String wanted) {
    String name = wanted;
    while (isColumn(table, name)) {
      name += "_";
    }
    return name;
  }

  private static boolean isColumn(ServedTable table, String name) {
    return table.columns().stream().anyMatch(column -> column.name().equalsIgnoreCase(name));
  }

  private static void requireDisjoint(ServedTable table, List<Part> parts) {
    List<Part> sorted = new ArrayList<>(parts);
    sorted.sort(
        Comparator.comparing((Part part) -> part.partition.id()).thenComparingLong(Part::first));
    for (int i = 1; i < sorted.size(); i++) {
      Part before = sorted.get(i - 1);
      Part part = sorted.get(i);
      boolean whole = before.range.isEmpty() || part.range.isEmpty();
      if (before.partition.id().equals(part.partition.id())
          && (whole || part.first() < before.end())) {
        throw new TallyException(
            ErrorCode.INVALID_REQUEST,
            "The scan of table \"%s\" names rows of partition \"%s\" twice."
                .formatted(table.name(), part.partition.id()));
      }
    }
  }

  private static TallyException notFound(ServedTable table, String id) {
    List<String> known = table.partitions().stream().map(ServedPartition::id).toList();
    return new TallyException(
        ErrorCode.PARTITION_NOT_FOUND,
        "This node does not own partition \"%s\" of table \"%s\"%s."
            .formatted(
                ShownText.name(id),
                table.name(),
                NearestName.of(id, known)
                    .map(nearest -> "; the nearest that it owns is \"" + nearest + "\"")
                    .orElse("")));
  }
}
