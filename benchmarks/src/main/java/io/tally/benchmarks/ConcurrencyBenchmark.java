package io.tally.benchmarks;

import io.tally.rpc.v1.Open;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;

/**
 * Whether a node stands many scans at once: 200 scans of all columns, eight at a time and all at
 * once, over one connection; on a node that runs as many at once, and on one that runs eight and
 * lets the others wait. The first node's peak of resident memory against what it may have.
 */
final class ConcurrencyBenchmark implements Benchmark {
  private static final int SCANS = 200;
  private static final int FEW = 8;
  private static final long ROWS = 200_000;
  private static final int WARM_UPS = 1;
  private static final int PAIRS = 7;
  private static final String ALL_RUN = "memory: 512MiB, concurrent-scans: " + SCANS;
  private static final String MOST_WAIT = "memory: 512MiB, queued-scans: " + SCANS;

  /** The launcher's heap and direct memory, and what the engine is given above. */
  private static final long PROCESS_LIMIT_KIB = (512 + 1024 + 512) << 10;

  private static final double THROUGHPUT_TARGET = 1.0;
  private static final double MEMORY_TARGET = 1.0;

  @Override
  public String name() {
    return "concurrency";
  }

  @Override
  public Result run(Effort effort) throws Exception {
    long rows = effort.slowRows(ROWS);
    Map<String, Object> figures = new TreeMap<>(Map.of("rows_per_scan", rows));
    try (ScratchFolder scratch = new ScratchFolder()) {
      BenchmarkTable.writeDatabase(scratch.path().resolve("events.duckdb"), rows);
      List<Goal> goals = new ArrayList<>();
      try (NodeProcess node = start(scratch, ALL_RUN)) {
        double ratio = manyOverFew(node, rows, effort, "", figures);
        long peakKib = node.peakKib();
        figures.put("node_peak_kib", peakKib);
        goals.add(Goal.atLeast("concurrency.200-over-8", ratio, THROUGHPUT_TARGET));
        goals.add(
            Goal.atMost("concurrency.memory", (double) peakKib / PROCESS_LIMIT_KIB, MEMORY_TARGET));
      }
      if (effort == Effort.FULL) {
        try (NodeProcess node = start(scratch, MOST_WAIT)) {
          figures.put(
              "most_wait_200_over_8", manyOverFew(node, rows, effort, "most_wait_", figures));
        }
      }
      return new Result(goals, figures);
    }
  }

  private static NodeProcess start(ScratchFolder scratch, String limits) throws Exception {
    return NodeProcess.start(scratch.path(), limits, List.of(BenchmarkTable.PARTITION));
  }

  /** Throughput of all at once as a part of that of a few. */
  private static double manyOverFew(
      NodeProcess node, long rows, Effort effort, String prefix, Map<String, Object> figures)
      throws Exception {
    try (TableClient client = new TableClient(node.port())) {
      Open open = client.open().addAllColumns(client.columns()).build();
      double megabytes = client.scan(open).bodyBytes() * SCANS / 1e6;
      PairedRuns runs =
          PairedRuns.measure(
              effort.times(WARM_UPS),
              effort.times(PAIRS),
              () -> Benchmark.expect(rows * SCANS, scans(client, open, FEW)),
              () -> Benchmark.expect(rows * SCANS, scans(client, open, SCANS)));
      figures.put(prefix + "at_8_mb_per_s", megabytes / runs.aMedianMillis() * 1_000);
      figures.put(prefix + "at_200_mb_per_s", megabytes / runs.bMedianMillis() * 1_000);
      figures.put(prefix + "client_arrow_peak_bytes", client.allocator().getPeakMemoryAllocation());
      return runs.medianRatio(0);
    }
  }

  private static long scans(TableClient client, Open open, int atOnce) throws Exception {
    ExecutorService threads = Executors.newFixedThreadPool(atOnce);
    try {
      List<Future<Long>> scans = new ArrayList<>();
      for (int i = 0; i < SCANS; i++) {
        scans.add(threads.submit(() -> client.scan(open).rows()));
      }
      long rows = 0;
      for (Future<Long> scan : scans) {
        rows += scan.get();
      }
      return rows;
    } finally {
      threads.shutdownNow();
    }
  }
}
