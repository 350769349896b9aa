package io.tally.benchmarks;

import io.tally.rpc.client.ScanOptions;
import io.tally.rpc.client.ScanStream;
import java.util.Arrays;
import java.util.concurrent.locks.LockSupport;

/**
 * A client process that reads all columns of partitions, one after the other and slower than the
 * node could send: {@code SlowConsumer PORT PAUSE_MICROS PARTITION…}. Prints the rows that it read,
 * then waits for the end of its input, so that its peak memory can be read while it lives.
 */
final class SlowConsumer {
  private SlowConsumer() {}

  public static void main(String[] args) throws Exception {
    int port = Integer.parseInt(args[0]);
    long pauseNanos = Long.parseLong(args[1]) * 1_000;
    long rows = 0;
    for (String partition : Arrays.asList(args).subList(2, args.length)) {
      rows += read(port, partition, pauseNanos);
    }
    System.out.println(rows);
    while (System.in.read() >= 0) {
      // Until the parent, which reads this process's peak memory, closes the pipe.
    }
  }

  private static long read(int port, String partition, long pauseNanos) {
    try (TableClient client = new TableClient(port);
        ScanStream stream =
            client
                .node()
                .scan(
                    client.open(partition).addAllColumns(client.columns()).build(),
                    ScanOptions.defaults(),
                    client.allocator())) {
      long rows = 0;
      while (stream.next()) {
        rows += stream.batch().getRowCount();
        LockSupport.parkNanos(pauseNanos);
      }
      return rows;
    }
  }
}
