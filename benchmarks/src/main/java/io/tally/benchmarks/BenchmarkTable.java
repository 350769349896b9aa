package io.tally.benchmarks;

import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Collectors;

/** The table that is measured: five columns, one of them a string of 50 values of one length. */
final class BenchmarkTable {
  /** The database that {@link #writeDatabase} writes, for the configuration of a node. */
  static final String PARTITION = "{id: all, duckdb: {file: events.duckdb, table: events}}";

  private static final String ROWS =
      """
      SELECT i AS id,
             'scope-' || (10 + hash(i) %% 50) AS scope,
             (i * 7919) %% 100000 / 100.0::DOUBLE AS amount,
             (hash(i * 31) %% 1000)::INTEGER AS quantity,
             TIMESTAMP '2001-01-01 00:00:00' + to_seconds(i) AS at
      FROM range(%d) t(i)""";

  /** A column for each share of groups among the rows, in percent. */
  private static final String KEYS =
      """
      SELECT %s, (hash(i * 31) %% 1000)::INTEGER AS quantity FROM range(%d) t(i)""";

  private BenchmarkTable() {}

  static void writeParquet(Path file, long rows) throws SQLException {
    execute(
        "jdbc:duckdb:", "COPY (" + ROWS.formatted(rows) + ") TO '" + file + "' (FORMAT parquet)");
  }

  /** Writes a DuckDB database with one table {@code events}. */
  static void writeDatabase(Path file, long rows) throws SQLException {
    execute("jdbc:duckdb:" + file, "CREATE TABLE events AS " + ROWS.formatted(rows));
  }

  /** Writes a DuckDB database with a table for each partition, {@code events_0} and so on. */
  static void writePartitions(Path file, List<Long> rowsOfPartitions) throws SQLException {
    for (int i = 0; i < rowsOfPartitions.size(); i++) {
      execute(
          "jdbc:duckdb:" + file,
          "CREATE TABLE events_%d AS ".formatted(i) + ROWS.formatted(rowsOfPartitions.get(i)));
    }
  }

  /**
   * Writes a DuckDB database with one table {@code events}, whose column {@code kN} has N values
   * for each 100 rows, equal ones far apart, and whose column {@code quantity} is a number.
   */
  static void writeKeys(Path file, long rows, int[] percents) throws SQLException {
    String keys =
        Arrays.stream(percents)
            .mapToObj(
                // A prime, so that all rows of a table of other sizes get different values.
                percent ->
                    "((i * 15485863) %% %d) %% %d AS k%d"
                        .formatted(rows, rows * percent / 100, percent))
            .collect(Collectors.joining(", "));
    execute("jdbc:duckdb:" + file, "CREATE TABLE events AS " + KEYS.formatted(keys, rows));
  }

  private static void execute(String url, String sql) throws SQLException {
    try (Connection connection = DriverManager.getConnection(url);
        Statement statement = connection.createStatement()) {
      statement.execute(sql);
    }
  }
}
