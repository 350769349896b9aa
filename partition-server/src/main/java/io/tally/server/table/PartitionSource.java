package io.tally.server.table;

import java.nio.file.Path;
import java.util.List;
import java.util.Objects;

/** Where the rows of a partition are stored. Paths are absolute; globs are already resolved. */
public sealed interface PartitionSource {
  /** Parquet files; row positions count through them in this order. */
  record Parquet(List<Path> files) implements PartitionSource {
    public Parquet {
      files = atLeastOne(files);
    }
  }

  /** CSV files, which may differ in delimiter and quoting. */
  record Csv(List<Path> files) implements PartitionSource {
    public Csv {
      files = atLeastOne(files);
    }
  }

  /** JSON files: records one a line, one after the other, or in an array. */
  record Json(List<Path> files) implements PartitionSource {
    public Json {
      files = atLeastOne(files);
    }
  }

  /** A table in a DuckDB database file. */
  record Database(Path file, String schema, String table) implements PartitionSource {
    public Database {
      Objects.requireNonNull(file);
      Objects.requireNonNull(schema);
      Objects.requireNonNull(table);
    }
  }

  private static List<Path> atLeastOne(List<Path> files) {
    if (files.isEmpty()) {
      throw new IllegalArgumentException("a partition needs at least one file");
    }
    return List.copyOf(files);
  }
}
