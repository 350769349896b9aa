package io.tally.server.table;

import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;

/**
 * Tells instants from local times in the columns of a Parquet file. Files in the old INT96 format,
 * which Spark still writes unless it is told otherwise, hold instants in UTC; DuckDB reads them as
 * TIMESTAMP, Spark as TIMESTAMP WITH TIME ZONE, and Spark is right.
 */
final class ParquetInstants {
  private static final DuckType LOCAL = new DuckType.Plain("TIMESTAMP");
  private static final DuckType INSTANT = new DuckType.Plain("TIMESTAMP WITH TIME ZONE");

  /** For each TIMESTAMP of the file, in order, whether it is an INT96. */
  private final Deque<Boolean> areInstants;

  private ParquetInstants(Deque<Boolean> areInstants) {
    this.areInstants = areInstants;
  }

  static List<StoredColumn> mark(DuckDb database, Path file, List<StoredColumn> columns)
      throws CatalogException {
    Deque<Boolean> areInstants = new ArrayDeque<>();
    database.query(
        "SELECT type = 'INT96' FROM parquet_schema("
            + SqlText.path(file)
            + ") WHERE duckdb_type = 'TIMESTAMP' AND type IS NOT NULL ORDER BY column_id",
        row -> areInstants.add(row.getBoolean(1)));
    if (!areInstants.contains(true)) {
      return columns;
    }
    ParquetInstants instants = new ParquetInstants(areInstants);
    List<StoredColumn> marked = new ArrayList<>();
    for (StoredColumn column : columns) {
      marked.add(new StoredColumn(column.name(), column.type(), instants.mark(column.type())));
    }
    if (!areInstants.isEmpty()) {
      throw CatalogException.data(
          file
              + " mixes INT96 timestamps with columns that cannot be looked into; write its"
              + " timestamps as INT64");
    }
    return marked;
  }

  private DuckType mark(DuckType type) {
    if (type.equals(LOCAL)) {
      return Boolean.TRUE.equals(areInstants.poll()) ? INSTANT : LOCAL;
    }
    List<DuckType> parts = new ArrayList<>();
    for (DuckType part : type.parts()) {
      parts.add(mark(part));
    }
    return type.withParts(parts);
  }
}
