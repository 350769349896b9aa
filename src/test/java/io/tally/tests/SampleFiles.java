package io.tally.tests;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.sql.Statement;

/** Writes the rows of a DuckDB query into a file, in a folder that closing deletes. */
public final class SampleFiles implements AutoCloseable {
  private final ScratchFolder folder = new ScratchFolder("samples");
  private int files;

  /** A Parquet file of the rows of {@code query}, in DuckDB's SQL. */
  public Path parquet(String query) {
    return copy(query, "parquet");
  }

  /** A CSV file, with a header, of the rows of {@code query}. */
  Path csv(String query) {
    return copy(query, "csv");
  }

  /** A JSON file, one record a line, of the rows of {@code query}. */
  Path json(String query) {
    return copy(query, "json");
  }

  /** A DuckDB database with these statements run in it. */
  public Path duckdb(String... statements) {
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

  /** A path in the folder at which there is nothing. */
  public Path newFile(String extension) {
    return folder.path().resolve("sample-" + files++ + "." + extension);
  }

  @Override
  public void close() {
    folder.close();
  }

  private Path copy(String query, String format) {
    Path file = newFile(format);
    run("jdbc:duckdb:", "COPY (" + query + ") TO '" + file + "' (FORMAT " + format + ")");
    return file;
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
