package io.tally.tests;

import io.tally.rpc.client.Endpoints;
import io.tally.rpc.client.NodeChannels;
import io.tally.rpc.client.NodeClient;
import io.tally.rpc.client.ScanOptions;
import io.tally.rpc.client.ScanStream;
import io.tally.rpc.v1.DescribeTableResponse;
import io.tally.rpc.v1.Open;
import io.tally.rpc.v1.Partition;
import io.tally.rpc.v1.ScanPartition;
import java.util.function.UnaryOperator;
import org.apache.arrow.memory.BufferAllocator;
import org.apache.arrow.memory.RootAllocator;

/**
 * A client that is not Spark: sends a node scans that Spark would never ask for. Closing fails if a
 * scan has left Arrow memory behind.
 */
final class WireClient implements AutoCloseable {
  private static final long DESCRIBE_LIMIT_MILLIS = 30_000;

  private final NodeChannels channels = new NodeChannels(ScanOptions.defaults().windowBytes());
  private final BufferAllocator allocator = new RootAllocator();

  /**
   * Scans a table and reads the answer to its end.
   *
   * @param change what is to differ from a scan of all rows of all partitions, without columns
   * @return how many rows there were
   */
  long scan(String address, String table, UnaryOperator<Open.Builder> change) {
    NodeClient node = channels.node(Endpoints.resolve(address).get(0));
    DescribeTableResponse described = node.describeTable(table, DESCRIBE_LIMIT_MILLIS);
    Open.Builder open =
        Open.newBuilder().setTable(table).setLayoutVersion(described.getLayoutVersion());
    for (Partition partition : described.getPartitionsList()) {
      open.addPartitions(ScanPartition.newBuilder().setId(partition.getId()));
    }
    try (ScanStream stream =
        node.scan(change.apply(open).build(), ScanOptions.defaults(), allocator)) {
      long rows = 0;
      while (stream.next()) {
        rows += stream.batch().getRowCount();
      }
      return rows;
    }
  }

  /**
   * For a JVM of its own: prints how many rows there are.
   *
   * @param arguments address, table, column
   */
  public static void main(String[] arguments) {
    try (WireClient client = new WireClient()) {
      System.out.println(
          client.scan(arguments[0], arguments[1], open -> open.addColumns(arguments[2])));
    }
  }

  @Override
  public void close() {
    channels.close();
    allocator.close();
  }
}
