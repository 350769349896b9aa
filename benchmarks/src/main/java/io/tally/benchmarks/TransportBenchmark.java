package io.tally.benchmarks;

import io.tally.rpc.client.ScanStream;
import io.tally.rpc.v1.Open;
import io.tally.server.table.DuckDbCatalog;
import java.nio.file.Path;
import java.sql.ResultSet;
import java.sql.Statement;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.duckdb.DuckDBConnection;

/**
 * What the transport costs, without Spark, on one partition of 5.5 M rows: a pushed aggregate
 * against the same SQL through DuckDB's JDBC driver, and all rows against Arrow Flight. Node,
 * client and peers share one process and one database.
 */
final class TransportBenchmark implements Benchmark {
  private static final long ROWS = 5_500_000;
  private static final int GROUPS = 50;
  private static final String KEY = "scope";
  private static final int GROUP_BY_WARM_UPS = 60;
  private static final int ROW_WARM_UPS = 5;
  private static final int GROUP_BY_PAIRS = 31;
  private static final int ROW_PAIRS = 9;
  private static final int ROUND_TRIPS = 101;

  /**
   * A pushed aggregate may take this many times as long as the database alone, plus one round trip.
   */
  private static final double GROUP_BY_TARGET = 1.5;

  private static final double ROWS_TARGET = 1.0;

  @Override
  public String name() {
    return "transport";
  }

  @Override
  public Result run(Effort effort) throws Exception {
    try (ScratchFolder scratch = new ScratchFolder()) {
      Path file = scratch.path().resolve("events.duckdb");
      BenchmarkTable.writeDatabase(file, effort.rows(ROWS));
      try (EmbeddedNode node = new EmbeddedNode(file)) {
        return measure(node, effort);
      }
    }
  }

  private static Result measure(EmbeddedNode node, Effort effort) throws Exception {
    TableClient client = node.client();
    double roundTripMillis =
        PairedRuns.medianMillis(
            effort.times(ROUND_TRIPS),
            effort.times(ROUND_TRIPS),
            () -> client.node().describeNode(TableClient.TIMEOUT_MILLIS));
    long allRows = effort.rows(ROWS);
    String source =
        node.catalog().table(TableClient.TABLE).partitions().get(0).rowsSql(Optional.empty());

    Open groupBy = client.open().setAggregation(TableClient.countBy(KEY)).build();
    String groupBySql = "SELECT " + KEY + ", count(*) FROM (" + source + ") GROUP BY " + KEY;
    PairedRuns grouped =
        PairedRuns.measure(
            effort.times(GROUP_BY_WARM_UPS),
            effort.times(GROUP_BY_PAIRS),
            () -> Benchmark.expect(GROUPS, client.scan(groupBy).rows()),
            () -> Benchmark.expect(GROUPS, query(node.catalog(), groupBySql)));

    Open all = client.open().addAllColumns(client.columns()).build();
    ScanStream.Received shape = client.scan(all);
    int rowsPerBatch = (int) (shape.rows() / shape.batches());
    try (FlightYardstick flight =
        new FlightYardstick(client.allocator(), node.catalog(), rowsPerBatch)) {
      PairedRuns rows =
          PairedRuns.measure(
              effort.times(ROW_WARM_UPS),
              effort.times(ROW_PAIRS),
              () -> Benchmark.expect(allRows, flight.rows(source)),
              () -> Benchmark.expect(allRows, client.scan(all).rows()));
      double megabytes = shape.bodyBytes() / 1e6;
      return new Result(
          List.of(
              Goal.atMost(
                  "transport.group-by-over-jdbc",
                  grouped.medianRatio(roundTripMillis),
                  GROUP_BY_TARGET),
              Goal.atLeast("transport.rows-over-flight", rows.medianRatio(0), ROWS_TARGET)),
          Map.of(
              "rows",
              allRows,
              "round_trip_ms",
              roundTripMillis,
              "group_by_tally_ms",
              grouped.aMedianMillis(),
              "group_by_jdbc_ms",
              grouped.bMedianMillis(),
              "rows_tally_mb_per_s",
              megabytes / rows.bMedianMillis() * 1_000,
              "rows_flight_mb_per_s",
              megabytes / rows.aMedianMillis() * 1_000,
              "rows_body_mb",
              megabytes,
              "rows_per_batch",
              rowsPerBatch));
    }
  }

  private static long query(DuckDbCatalog catalog, String sql) throws Exception {
    long rows = 0;
    try (DuckDBConnection connection = catalog.connect();
        Statement statement = connection.createStatement();
        ResultSet result = statement.executeQuery(sql)) {
      while (result.next()) {
        rows++;
      }
    }
    return rows;
  }
}
