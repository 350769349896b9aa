package io.tally.benchmarks;

import io.tally.rpc.client.ClusterView;
import io.tally.rpc.client.NodeAddress;
import io.tally.rpc.client.NodeChannels;
import io.tally.rpc.client.ScanOptions;
import io.tally.rpc.client.ScanStream;
import io.tally.rpc.v1.Open;
import io.tally.rpc.v1.ScanPartition;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.locks.LockSupport;
import org.apache.arrow.memory.RootAllocator;
import org.apache.arrow.vector.types.pojo.Field;

/**
 * A client process that reads all columns of partitions, one after the other and slower than the
 * node could send: {@code SlowConsumer PORT TABLE PAUSE_MICROS PARTITION…}. Prints the rows that it
 * read, then waits for the end of its input, so that its peak memory can be read while it lives.
 */
final class SlowConsumer {
  private static final long DESCRIBE_TIMEOUT_MILLIS = 10_000;

  private SlowConsumer() {}

  public static void main(String[] args) throws Exception {
    NodeAddress node = new NodeAddress("127.0.0.1", Integer.parseInt(args[0]));
    String table = args[1];
    long pauseNanos = Long.parseLong(args[2]) * 1_000;
    long rows = 0;
    for (String partition : Arrays.asList(args).subList(3, args.length)) {
      rows += read(node, table, partition, pauseNanos);
    }
    System.out.println(rows);
    while (System.in.read() >= 0) {
      // Until the parent, which reads this process's peak memory, closes the pipe.
    }
  }

  private static long read(NodeAddress node, String table, String partition, long pauseNanos) {
    ScanOptions options = ScanOptions.defaults();
    try (RootAllocator allocator = new RootAllocator();
        NodeChannels channels = new NodeChannels(options.windowBytes())) {
      ClusterView view =
          ClusterView.discover(channels, List.of(node), table, DESCRIBE_TIMEOUT_MILLIS);
      Open open =
          Open.newBuilder()
              .setTable(table)
              .setLayoutVersion(view.nodes().get(0).layoutVersion())
              .addPartitions(ScanPartition.newBuilder().setId(partition))
              .addAllColumns(view.schema().getFields().stream().map(Field::getName).toList())
              .build();
      long rows = 0;
      try (ScanStream stream = channels.node(node).scan(open, options, allocator)) {
        while (stream.next()) {
          rows += stream.batch().getRowCount();
          LockSupport.parkNanos(pauseNanos);
        }
      }
      return rows;
    }
  }
}
