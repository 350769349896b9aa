package io.tally.tests;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;

/** Has Spark write rows into Parquet files, in a folder that closing deletes. */
final class SparkFiles implements AutoCloseable {
  private final ScratchFolder folder = new ScratchFolder("spark");
  private int files;

  /** A file of these rows, with what Spark notes of their schema. */
  Path parquet(Dataset<Row> rows) {
    Path target = folder.path().resolve("rows-" + files++);
    rows.coalesce(1).write().parquet(target.toString());
    try (Stream<Path> written = Files.list(target)) {
      List<Path> parts = written.filter(file -> file.toString().endsWith(".parquet")).toList();
      if (parts.size() != 1) {
        throw new IllegalStateException("Spark wrote " + parts);
      }
      return parts.get(0);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  @Override
  public void close() {
    folder.close();
  }
}
