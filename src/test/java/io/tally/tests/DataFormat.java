package io.tally.tests;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Locale;

/** A kind of file that a node serves: writes one, damages one, names one in a configuration. */
enum DataFormat {
  PARQUET,
  CSV,
  JSON,
  DUCKDB;

  /** A file of the rows of {@code query}, in DuckDB's SQL. */
  Path write(SampleFiles files, String query) {
    return switch (this) {
      case PARQUET -> files.parquet(query);
      case CSV -> files.csv(query);
      case JSON -> files.json(query);
      case DUCKDB -> files.duckdb("CREATE TABLE t AS " + query);
    };
  }

  /** Adds a partition of one file to a table. */
  TableConfig addTo(TableConfig table, String id, Path file) {
    return switch (this) {
      case PARQUET -> table.parquet(id, file);
      case CSV -> table.csv(id, file);
      case JSON -> table.json(id, file);
      case DUCKDB -> table.duckdb(id, file, "t");
    };
  }

  /**
   * Takes away the second half of a file. Where that is text, it ends in the middle of a row,
   * behind its first value: a text that happens to end with a row cannot be told from a whole one.
   */
  void cut(Path file) {
    try {
      byte[] content = Files.readAllBytes(file);
      int end = content.length / 2;
      if (this == CSV || this == JSON) {
        String text = new String(content, StandardCharsets.UTF_8);
        end = text.indexOf(',', text.indexOf('\n', end));
      }
      Files.write(file, Arrays.copyOf(content, end));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  @Override
  public String toString() {
    return name().toLowerCase(Locale.ROOT);
  }
}
