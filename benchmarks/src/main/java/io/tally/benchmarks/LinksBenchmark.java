package io.tally.benchmarks;

import io.tally.rpc.client.ScanOptions;
import io.tally.rpc.v1.Open;
import io.tally.server.fixture.LinkProxy;
import io.tally.server.fixture.LinkSpeed;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * Whether distance slows the row stream down: all columns of one partition through a link that adds
 * nothing, and through one whose round trip takes 20 ms; both of any bandwidth, both through a
 * proxy, so that both pay for that. With the window that clients have by default, and with half and
 * twice as much.
 */
final class LinksBenchmark implements Benchmark {
  private static final long ROWS = 20_000_000;
  private static final int ROUND_TRIP_MICROS = 20_000;
  private static final int WARM_UPS = 1;
  private static final int PAIRS = 7;
  private static final double TARGET = 0.9;

  @Override
  public String name() {
    return "links";
  }

  @Override
  public Result run(Effort effort) throws Exception {
    long rows = effort.slowRows(ROWS);
    Map<String, Object> figures = new TreeMap<>(Map.of("rows", rows));
    try (ScratchFolder scratch = new ScratchFolder()) {
      BenchmarkTable.writeDatabase(scratch.path().resolve("events.duckdb"), rows);
      try (NodeProcess node =
              NodeProcess.start(
                  scratch.path(), "memory: 512MiB", List.of(BenchmarkTable.PARTITION));
          LinkProxy near = new LinkProxy(node.port());
          LinkProxy far = new LinkProxy(node.port())) {
        far.setSpeed(LinkSpeed.UNHINDERED.withRoundTripMicros(ROUND_TRIP_MICROS));
        long usual = ScanOptions.defaults().windowBytes();
        double ratio = farOverNear(near, far, usual, rows, effort, figures);
        figures.put(
            "half_window_rows_at_20ms_over_0ms",
            farOverNear(near, far, usual / 2, rows, effort, figures));
        figures.put(
            "twice_window_rows_at_20ms_over_0ms",
            farOverNear(near, far, 2 * usual, rows, effort, figures));
        return new Result(
            List.of(Goal.atLeast("links.rows-at-20ms-over-0ms", ratio, TARGET)), figures);
      }
    }
  }

  /** Throughput far away as a part of that near by. */
  private static double farOverNear(
      LinkProxy nearLink,
      LinkProxy farLink,
      long windowBytes,
      long rows,
      Effort effort,
      Map<String, Object> figures)
      throws Exception {
    ScanOptions usual = ScanOptions.defaults();
    ScanOptions options =
        new ScanOptions(
            usual.maxBatchBytes(), windowBytes, usual.maxRowBytes(), usual.silenceMillis());
    try (TableClient near = new TableClient(nearLink.port(), windowBytes);
        TableClient far = new TableClient(farLink.port(), windowBytes)) {
      Open open = near.open().addAllColumns(near.columns()).build();
      double megabytes = near.scan(open, options).bodyBytes() / 1e6;
      PairedRuns runs =
          PairedRuns.measure(
              effort.times(WARM_UPS),
              effort.times(PAIRS),
              () -> Benchmark.expect(rows, near.scan(open, options).rows()),
              () -> Benchmark.expect(rows, far.scan(open, options).rows()));
      String window = "window_%d_mib_".formatted(windowBytes >> 20);
      figures.put("body_mb", megabytes);
      figures.put(window + "at_0_ms_mb_per_s", megabytes / runs.aMedianMillis() * 1_000);
      figures.put(window + "at_20_ms_mb_per_s", megabytes / runs.bMedianMillis() * 1_000);
      return runs.medianRatio(0);
    }
  }
}
