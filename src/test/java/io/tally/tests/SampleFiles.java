package io.tally.tests;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.Comparator;
import java.util.stream.Stream;

/** Writes the rows of a DuckDB query into a file, in a directory that closing deletes. */
final class SampleFiles implements AutoCloseable {
  private final Path directory;
  private int files;

  SampleFiles() {
    try {
      directory = Files.createTempDirectory("tally-samples-");
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** A Parquet file of the rows of {@code query}, in DuckDB's SQL. */
  Path parquet(String query) {
    Path file = newFile("parquet");
    run("jdbc:duckdb:", "COPY (" + query + ") TO '" + file + "' (FORMAT parquet)");
    return file;
  }

  /** A DuckDB database with these statements run in it. */
  Path duckdb(String... statements) {
    Path file = newFile("duckdb");
    run("jdbc:duckdb:" + file, statements);
    return file;
  }

  /** A file with exactly these bytes. */
  Path bytes(String extension, byte[] content) {
    try {
      return Files.write(newFile(extension), content);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** A path in the directory at which there is nothing. */
  Path newFile(String extension) {
    return directory.resolve("sample-" + files++ + "." + extension);
  }

  @Override
  public void close() {
    try (Stream<Path> paths = Files.walk(directory)) {
      for (Path path : paths.sorted(Comparator.reverseOrder()).toList()) {
        Files.delete(path);
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static void run(String url, String... statements) {
    try (Connection connection = DriverManager.getConnection(url);
        Statement statement = connection.createStatement()) {
      for (String sql : statements) {
        statement.execute(sql);
      }
    } catch (SQLException e) {
      throw new IllegalStateException("DuckDB refuses " + String.join("; ", statements), e);
    }
  }
}
