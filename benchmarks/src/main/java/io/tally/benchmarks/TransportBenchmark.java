package io.tally.benchmarks;

import io.tally.rpc.client.ClusterView;
import io.tally.rpc.client.NodeAddress;
import io.tally.rpc.client.NodeChannels;
import io.tally.rpc.client.NodeClient;
import io.tally.rpc.client.ScanOptions;
import io.tally.rpc.client.ScanStream;
import io.tally.rpc.v1.AggregateCall;
import io.tally.rpc.v1.Aggregation;
import io.tally.rpc.v1.Expression;
import io.tally.rpc.v1.Open;
import io.tally.rpc.v1.ScanPartition;
import io.tally.server.grpc.NodeServer;
import io.tally.server.grpc.NodeSettings;
import io.tally.server.table.DatabaseSettings;
import io.tally.server.table.DuckDbCatalog;
import io.tally.server.table.PartitionDefinition;
import io.tally.server.table.PartitionSource;
import io.tally.server.table.TableDefinition;
import java.nio.file.Path;
import java.sql.ResultSet;
import java.sql.Statement;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.apache.arrow.memory.RootAllocator;
import org.apache.arrow.vector.types.pojo.Field;
import org.duckdb.DuckDBConnection;

/**
 * What the transport costs, without Spark, on one partition of 5.5 M rows: a pushed aggregate
 * against the same SQL through DuckDB's JDBC driver, and all rows against Arrow Flight. Node,
 * client and peers share one process and one database.
 */
final class TransportBenchmark implements Benchmark {
  private static final long ROWS = 5_500_000;
  private static final int GROUPS = 50;
  private static final String TABLE = "events";
  private static final String PARTITION = "all";
  private static final String KEY = "scope";
  private static final long TIMEOUT_MILLIS = 60_000;
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
  public Result run() throws Exception {
    try (ScratchFolder scratch = new ScratchFolder()) {
      Path file = scratch.path().resolve("events.duckdb");
      BenchmarkTable.writeDatabase(file, ROWS);
      try (DuckDbCatalog catalog = DuckDbCatalog.open(DatabaseSettings.defaults(), table(file));
          NodeServer server = NodeServer.start(settings(), catalog);
          NodeChannels channels = new NodeChannels(ScanOptions.defaults().windowBytes());
          RootAllocator allocator = new RootAllocator()) {
        NodeAddress address = new NodeAddress("127.0.0.1", server.port());
        ClusterView view = ClusterView.discover(channels, List.of(address), TABLE, TIMEOUT_MILLIS);
        return measure(new Peers(catalog, channels.node(address), view, allocator));
      }
    }
  }

  private record Peers(
      DuckDbCatalog catalog, NodeClient node, ClusterView view, RootAllocator allocator) {}

  private static Result measure(Peers peers) throws Exception {
    double roundTripMillis =
        PairedRuns.medianMillis(
            ROUND_TRIPS, ROUND_TRIPS, () -> peers.node.describeNode(TIMEOUT_MILLIS));
    String source = peers.catalog.table(TABLE).partitions().get(0).rowsSql(Optional.empty());

    Open groupBy = groupBy(peers.view);
    String groupBySql = "SELECT " + KEY + ", count(*) FROM (" + source + ") GROUP BY " + KEY;
    PairedRuns grouped =
        PairedRuns.measure(
            GROUP_BY_WARM_UPS,
            GROUP_BY_PAIRS,
            () -> expect(GROUPS, scan(peers, groupBy).rows()),
            () -> expect(GROUPS, query(peers.catalog, groupBySql)));

    Open all = allColumns(peers.view);
    ScanStream.Received shape = scan(peers, all);
    int rowsPerBatch = (int) (shape.rows() / shape.batches());
    try (FlightYardstick flight =
        new FlightYardstick(peers.allocator, peers.catalog, rowsPerBatch)) {
      PairedRuns rows =
          PairedRuns.measure(
              ROW_WARM_UPS,
              ROW_PAIRS,
              () -> expect(ROWS, flight.rows(source)),
              () -> expect(ROWS, scan(peers, all).rows()));
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
              ROWS,
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

  private static List<TableDefinition> table(Path database) {
    PartitionDefinition partition =
        new PartitionDefinition(
            PARTITION, new PartitionSource.Database(database, "main", TABLE), Optional.empty());
    return List.of(
        new TableDefinition(
            TABLE, List.of(), Optional.empty(), false, Map.of(), List.of(partition)));
  }

  private static NodeSettings settings() {
    return new NodeSettings(
        "benchmark", "127.0.0.1", 0, 8, 8, TIMEOUT_MILLIS, 64 << 20, 30_000, 256 << 20, 64, 10_000);
  }

  private static Open.Builder open(ClusterView view) {
    return Open.newBuilder()
        .setTable(TABLE)
        .setLayoutVersion(view.nodes().get(0).layoutVersion())
        .addPartitions(ScanPartition.newBuilder().setId(PARTITION));
  }

  private static Open groupBy(ClusterView view) {
    return open(view)
        .setAggregation(
            Aggregation.newBuilder()
                .addGroupBy(Expression.newBuilder().setColumn(KEY))
                .addAggregates(AggregateCall.newBuilder().setFunction("count_all")))
        .build();
  }

  private static Open allColumns(ClusterView view) {
    return open(view)
        .addAllColumns(view.schema().getFields().stream().map(Field::getName).toList())
        .build();
  }

  private static ScanStream.Received scan(Peers peers, Open open) {
    try (ScanStream stream = peers.node.scan(open, ScanOptions.defaults(), peers.allocator)) {
      while (stream.next()) {
        // The batch is in Arrow memory, ready to be read; reading it is the consumer's own cost.
      }
      return stream.received();
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

  private static long expect(long expected, long rows) {
    if (rows != expected) {
      throw new IllegalStateException(rows + " rows instead of " + expected);
    }
    return rows;
  }
}
