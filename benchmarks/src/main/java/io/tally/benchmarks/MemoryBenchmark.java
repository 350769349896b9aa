package io.tally.benchmarks;

import java.io.BufferedReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/**
 * Peak memory of node and client while a consumer that is slower than the node reads all columns of
 * 1 M and of 10 M rows; each in processes of their own, after a first pass over 1 M rows that warms
 * them up. Neither may grow with the number of rows.
 */
final class MemoryBenchmark implements Benchmark {
  private static final long SMALL_ROWS = 1_000_000;
  private static final long LARGE_ROWS = 10_000_000;
  private static final String WARM_UP = "small";
  private static final long PAUSE_PER_BATCH_MICROS = 2_000;
  private static final long READ_TIMEOUT_SECONDS = 300;

  private static final String LIMITS = "memory: 512MiB, threads: 2";
  private static final List<String> PARTITIONS =
      List.of("{id: small, parquet: small.parquet}", "{id: large, parquet: large.parquet}");

  /** Peaks of equal runs differ by this much: pages touched by the JVM's own work, not by rows. */
  private static final double SAME = 1.15;

  @Override
  public String name() {
    return "memory";
  }

  @Override
  public Result run(Effort effort) throws Exception {
    long smallRows = effort.rows(SMALL_ROWS);
    long largeRows = effort.rows(LARGE_ROWS);
    try (ScratchFolder scratch = new ScratchFolder()) {
      BenchmarkTable.writeParquet(scratch.path().resolve("small.parquet"), smallRows);
      BenchmarkTable.writeParquet(scratch.path().resolve("large.parquet"), largeRows);
      Peak small = peak(scratch.path(), "small", smallRows, smallRows);
      Peak large = peak(scratch.path(), "large", smallRows, largeRows);
      return new Result(
          List.of(
              Goal.atMost("memory.node", (double) large.nodeKib / small.nodeKib, SAME),
              Goal.atMost("memory.client", (double) large.clientKib / small.clientKib, SAME)),
          Map.of(
              "small_rows", smallRows,
              "large_rows", largeRows,
              "small_node_peak_kib", small.nodeKib,
              "large_node_peak_kib", large.nodeKib,
              "small_client_peak_kib", small.clientKib,
              "large_client_peak_kib", large.clientKib));
    }
  }

  private record Peak(long nodeKib, long clientKib) {}

  private static Peak peak(Path folder, String partition, long warmUpRows, long rows)
      throws Exception {
    try (NodeProcess node = NodeProcess.start(folder, LIMITS, PARTITIONS)) {
      Path log = folder.resolve("client.log");
      Process client =
          new ProcessBuilder(clientCommand(node.port(), partition))
              .redirectError(log.toFile())
              .start();
      try (BufferedReader out = client.inputReader(StandardCharsets.UTF_8)) {
        String read = out.readLine();
        if (!Long.toString(warmUpRows + rows).equals(read)) {
          throw new IllegalStateException(
              "the client read "
                  + read
                  + " rows of "
                  + (warmUpRows + rows)
                  + "; its log:\n"
                  + Files.readString(log));
        }
        Peak peak = new Peak(node.peakKib(), NodeProcess.peakKib(client));
        client.getOutputStream().close();
        client.waitFor(READ_TIMEOUT_SECONDS, TimeUnit.SECONDS);
        return peak;
      } finally {
        client.destroyForcibly();
      }
    }
  }

  private static List<String> clientCommand(int port, String partition) {
    return List.of(
        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
        "-Xmx128m",
        "--add-opens=java.base/java.nio=ALL-UNNAMED",
        "-cp",
        System.getProperty("java.class.path"),
        SlowConsumer.class.getName(),
        Integer.toString(port),
        Long.toString(PAUSE_PER_BATCH_MICROS),
        WARM_UP,
        partition);
  }
}
