package io.tally.benchmarks;

import io.tally.rpc.client.ScanOptions;
import io.tally.rpc.client.ScanStream;
import io.tally.rpc.v1.Open;
import io.tally.server.fixture.LinkProxy;
import io.tally.server.fixture.LinkSpeed;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.IntStream;

/**
 * The incident that Tally was built for, once more: {@code COUNT(*) … GROUP BY} over 6.4 M rows in
 * four partitions, behind a link with a round trip of 540 µs. Rows that are pulled one by one
 * request, as the scanner of that time did, against rows that are streamed, and against the pushed
 * aggregate; through {@code ScanStream}, and as queries of Spark in a process of its own.
 *
 * <p>The serial pull is a scan of Tally with a window of one batch and batches of 128 rows: the
 * consumer asks for 128 rows, waits for them, and asks again. It and the stream fetch the one
 * column that the query needs.
 */
final class IncidentBenchmark implements Benchmark {
  static final String KEY = "scope";
  static final int GROUPS = 50;

  private static final List<Long> PARTITION_ROWS =
      List.of(5_500_000L, 300_000L, 300_000L, 300_000L);
  private static final int ROUND_TRIP_MICROS = 540;
  private static final int ROWS_PER_REQUEST = 128;

  /** The last request for what the engine hands on at once may get fewer. */
  private static final double MOST_REQUESTS = 1.01;

  /**
   * More than 128 values of the key (texts of 8 bytes, offsets of 4 bytes, bits for NULL, and
   * padding), because what is left of the engine's chunks makes smaller batches.
   */
  private static final int SERIAL_BATCH_BYTES = 1_720;

  private static final int SERIAL_RUNS = 3;
  private static final int WARM_UPS = 20;
  private static final int STREAM_RUNS = 11;
  private static final int AGGREGATE_RUNS = 31;

  private static final double ROWS_TARGET = 50;
  private static final double AGGREGATE_TARGET = 1_000;
  private static final double SPARK_TARGET = 100;

  @Override
  public String name() {
    return "incident";
  }

  @Override
  public Result run(Effort effort) throws Exception {
    List<Long> rows = PARTITION_ROWS.stream().map(effort::slowRows).toList();
    try (ScratchFolder scratch = new ScratchFolder()) {
      BenchmarkTable.writePartitions(scratch.path().resolve("events.duckdb"), rows);
      try (NodeProcess node = NodeProcess.start(scratch.path(), "memory: 512MiB", partitions());
          LinkProxy link = new LinkProxy(node.port())) {
        link.setSpeed(LinkSpeed.UNHINDERED.withRoundTripMicros(ROUND_TRIP_MICROS));
        return measure(
            link.port(), rows.stream().mapToLong(it -> it).sum(), scratch.path(), effort);
      }
    }
  }

  private static List<String> partitions() {
    return IntStream.range(0, PARTITION_ROWS.size())
        .mapToObj("{id: p%1$d, duckdb: {file: events.duckdb, table: events_%1$d}}"::formatted)
        .toList();
  }

  private static Result measure(int port, long rows, Path scratch, Effort effort) throws Exception {
    Map<String, Object> figures = new TreeMap<>(Map.of("rows", rows));
    double serial;
    double stream;
    double aggregate;
    try (TableClient client = new TableClient(port)) {
      figures.put(
          "round_trip_ms",
          PairedRuns.medianMillis(
              WARM_UPS,
              AGGREGATE_RUNS,
              () -> client.node().describeNode(TableClient.TIMEOUT_MILLIS)));
      Open columns = client.open().addColumns(KEY).build();
      Open counts = client.open().setAggregation(TableClient.countBy(KEY)).build();
      AtomicReference<ScanStream.Received> pulled = new AtomicReference<>();
      serial =
          PairedRuns.medianMillis(
              0,
              effort.times(SERIAL_RUNS),
              () -> {
                pulled.set(client.scan(columns, serialOptions()));
                return Benchmark.expect(rows, pulled.get().rows());
              });
      checkRequests(pulled.get());
      stream =
          PairedRuns.medianMillis(
              effort.times(WARM_UPS),
              effort.times(STREAM_RUNS),
              () -> Benchmark.expect(rows, client.scan(columns).rows()));
      aggregate =
          PairedRuns.medianMillis(
              effort.times(WARM_UPS),
              effort.times(AGGREGATE_RUNS),
              () -> Benchmark.expect(GROUPS, client.scan(counts).rows()));
      figures.put("serial_ms", serial);
      figures.put("serial_requests", pulled.get().batches());
      figures.put("serial_ms_per_request", serial / pulled.get().batches());
      figures.put("rows_ms", stream);
      figures.put("aggregate_ms", aggregate);
    }
    Map<String, Double> spark = IncidentInSpark.start(port, SERIAL_BATCH_BYTES, rows, scratch);
    figures.putAll(spark);
    return new Result(
        List.of(
            Goal.atLeast("incident.rows-over-serial", serial / stream, ROWS_TARGET),
            Goal.atLeast("incident.aggregate-over-serial", serial / aggregate, AGGREGATE_TARGET),
            Goal.atLeast(
                "incident.spark-aggregate-over-serial",
                spark.get(IncidentInSpark.SERIAL) / spark.get(IncidentInSpark.AGGREGATE),
                SPARK_TARGET)),
        figures);
  }

  private static ScanOptions serialOptions() {
    ScanOptions usual = ScanOptions.defaults();
    return new ScanOptions(
        SERIAL_BATCH_BYTES, SERIAL_BATCH_BYTES, usual.maxRowBytes(), usual.silenceMillis());
  }

  /** With fewer rows a request than at the time, the serial pull would look worse than it was. */
  private static void checkRequests(ScanStream.Received serial) {
    if (serial.batches() * ROWS_PER_REQUEST > serial.rows() * MOST_REQUESTS) {
      throw new IllegalStateException(
          serial.rows() + " rows in " + serial.batches() + " requests: fewer than at the time");
    }
  }
}
