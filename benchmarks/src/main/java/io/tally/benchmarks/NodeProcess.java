package io.tally.benchmarks;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;

/**
 * Takes the partitions of the table {@code events} and runs a node that serves them, as a process
 * of its own from the distribution, until it is closed. Everything that it writes is in one folder.
 */
final class NodeProcess implements AutoCloseable {
  private static final String CONFIG =
      """
      node: benchmark
      port: 0
      limits: {%s}
      tables:
        - name: events
          column-statistics: false
          partitions: [%s]
      """;

  private static final long READY_TIMEOUT_SECONDS = 60;
  private static final long READY_CHECK_MILLIS = 20;
  private static final long STOP_TIMEOUT_SECONDS = 60;

  private final Process process;
  private final int port;

  private NodeProcess(Process process, int port) {
    this.process = process;
    this.port = port;
  }

  /**
   * Returns when the node listens.
   *
   * @param folder has the data, and gets what the node writes
   * @param limits as in the configuration of nodes, like the partitions
   */
  static NodeProcess start(Path folder, String limits, List<String> partitions) throws Exception {
    Path file =
        Files.writeString(
            folder.resolve("node.yaml"), CONFIG.formatted(limits, String.join(", ", partitions)));
    Path ready = folder.resolve("node.ready");
    Path log = folder.resolve("node.log");
    Files.deleteIfExists(ready);
    Process process =
        new ProcessBuilder(
                Path.of(System.getProperty("tally.server.home"), "bin", "tally-server").toString(),
                "--config",
                file.toString(),
                "--ready-file",
                ready.toString())
            .redirectError(log.toFile())
            .start();
    try {
      String address = awaitFile(ready, process, log);
      int port = Integer.parseInt(address.substring(address.lastIndexOf(':') + 1));
      return new NodeProcess(process, port);
    } catch (Exception | Error e) {
      process.destroyForcibly();
      throw e;
    }
  }

  private static String awaitFile(Path file, Process process, Path log) throws Exception {
    long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(READY_TIMEOUT_SECONDS);
    while (!Files.exists(file)) {
      if (process.waitFor(READY_CHECK_MILLIS, TimeUnit.MILLISECONDS)
          || System.nanoTime() > deadline) {
        throw new IllegalStateException("the node did not start:\n" + Files.readString(log));
      }
    }
    return Files.readString(file).strip();
  }

  /** Where it listens, on loopback. */
  int port() {
    return port;
  }

  /** The most resident memory that it has had. */
  long peakKib() throws IOException {
    return peakKib(process);
  }

  /** The high-water mark of a process's resident memory, as Linux counts it. */
  static long peakKib(Process process) throws IOException {
    for (String line : Files.readAllLines(Path.of("/proc", process.pid() + "", "status"))) {
      if (line.startsWith("VmHWM:")) {
        return Long.parseLong(line.replaceAll("\\D", ""));
      }
    }
    throw new IOException("no VmHWM in /proc/" + process.pid() + "/status; this needs Linux");
  }

  @Override
  public void close() {
    process.destroy();
    try {
      if (!process.waitFor(STOP_TIMEOUT_SECONDS, TimeUnit.SECONDS)) {
        process.destroyForcibly();
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IllegalStateException("interrupted while the node stops", e);
    }
  }
}
