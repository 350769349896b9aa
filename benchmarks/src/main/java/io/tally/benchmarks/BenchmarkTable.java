package io.tally.benchmarks;

import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.sql.Statement;

/** The table that is measured: five columns, one of them a string of 50 values. */
final class BenchmarkTable {
  private static final String ROWS =
      """
      SELECT i AS id,
             'scope-' || (hash(i) %% 50) AS scope,
             (i * 7919) %% 100000 / 100.0::DOUBLE AS amount,
             (hash(i * 31) %% 1000)::INTEGER AS quantity,
             TIMESTAMP '2001-01-01 00:00:00' + to_seconds(i) AS at
      FROM range(%d) t(i)""";

  private BenchmarkTable() {}

  static void writeParquet(Path file, long rows) throws SQLException {
    execute(
        "jdbc:duckdb:", "COPY (" + ROWS.formatted(rows) + ") TO '" + file + "' (FORMAT parquet)");
  }

  /** Writes a DuckDB database with one table {@code events}. */
  static void writeDatabase(Path file, long rows) throws SQLException {
    execute("jdbc:duckdb:" + file, "CREATE TABLE events AS " + ROWS.formatted(rows));
  }

  private static void execute(String url, String sql) throws SQLException {
    try (Connection connection = DriverManager.getConnection(url);
        Statement statement = connection.createStatement()) {
      statement.execute(sql);
    }
  }
}
