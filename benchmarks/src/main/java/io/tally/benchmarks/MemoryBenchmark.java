package io.tally.benchmarks;

import java.io.BufferedReader;
import java.io.IOException;
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
  private static final long READY_TIMEOUT_SECONDS = 60;
  private static final long READ_TIMEOUT_SECONDS = 300;

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
      Path config =
          Files.writeString(
              scratch.path().resolve("node.yaml"),
              """
              node: memory
              port: 0
              limits: {memory: 512MiB, threads: 2}
              tables:
                - name: events
                  column-statistics: false
                  partitions:
                    - {id: small, parquet: small.parquet}
                    - {id: large, parquet: large.parquet}
              """);
      Peak small = peak(scratch.path(), config, "small", smallRows, smallRows);
      Peak large = peak(scratch.path(), config, "large", smallRows, largeRows);
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

  private static Peak peak(Path folder, Path config, String partition, long warmUpRows, long rows)
      throws Exception {
    Path ready = folder.resolve(partition + ".ready");
    Process node = start(folder.resolve("node.log"), nodeCommand(config, ready));
    try {
      String address = waitForFile(ready, node);
      String port = address.substring(address.lastIndexOf(':') + 1);
      Process client = start(folder.resolve("client.log"), clientCommand(port, partition));
      try (BufferedReader out = client.inputReader(StandardCharsets.UTF_8)) {
        String read = out.readLine();
        if (!Long.toString(warmUpRows + rows).equals(read)) {
          throw new IllegalStateException(
              "the client read "
                  + read
                  + " rows of "
                  + (warmUpRows + rows)
                  + "; see its log:\n"
                  + Files.readString(folder.resolve("client.log")));
        }
        Peak peak = new Peak(peakKib(node), peakKib(client));
        client.getOutputStream().close();
        client.waitFor(READ_TIMEOUT_SECONDS, TimeUnit.SECONDS);
        return peak;
      } finally {
        client.destroyForcibly();
      }
    } finally {
      node.destroy();
      if (!node.waitFor(READY_TIMEOUT_SECONDS, TimeUnit.SECONDS)) {
        node.destroyForcibly();
      }
    }
  }

  private static List<String> nodeCommand(Path config, Path ready) {
    return List.of(
        Path.of(System.getProperty("tally.server.home"), "bin", "tally-server").toString(),
        "--config",
        config.toString(),
        "--ready-file",
        ready.toString());
  }

  private static List<String> clientCommand(String port, String partition) {
    return List.of(
        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
        "-Xmx128m",
        "--add-opens=java.base/java.nio=ALL-UNNAMED",
        "-cp",
        System.getProperty("java.class.path"),
        SlowConsumer.class.getName(),
        port,
        "events",
        Long.toString(PAUSE_PER_BATCH_MICROS),
        WARM_UP,
        partition);
  }

  private static Process start(Path log, List<String> command) throws IOException {
    return new ProcessBuilder(command).redirectError(log.toFile()).start();
  }

  private static String waitForFile(Path file, Process process) throws Exception {
    long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(READY_TIMEOUT_SECONDS);
    while (!Files.exists(file)) {
      if (process.waitFor(20, TimeUnit.MILLISECONDS) || System.nanoTime() > deadline) {
        throw new IllegalStateException("the node did not start; see node.log");
      }
    }
    return Files.readString(file).strip();
  }

  /** The high-water mark of resident memory, as Linux counts it. */
  private static long peakKib(Process process) throws IOException {
    for (String line : Files.readAllLines(Path.of("/proc", process.pid() + "", "status"))) {
      if (line.startsWith("VmHWM:")) {
        return Long.parseLong(line.replaceAll("\\D", ""));
      }
    }
    throw new IOException("no VmHWM in /proc/" + process.pid() + "/status; this needs Linux");
  }
}
