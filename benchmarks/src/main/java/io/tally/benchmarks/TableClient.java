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
import java.util.List;
import org.apache.arrow.memory.BufferAllocator;
import org.apache.arrow.memory.RootAllocator;
import org.apache.arrow.vector.types.pojo.Field;

/**
 * Takes the port of a node that serves the table {@code events}, or of a link to it, and reads from
 * it through {@code ScanStream}, over connections of its own.
 */
final class TableClient implements AutoCloseable {
  static final String TABLE = "events";
  static final long TIMEOUT_MILLIS = 60_000;

  private final NodeChannels channels;
  private final RootAllocator allocator = new RootAllocator();
  private final NodeClient node;
  private final ClusterView view;

  TableClient(int port) {
    this(port, ScanOptions.defaults().windowBytes());
  }

  /**
   * @param windowBytes see {@link NodeChannels#NodeChannels}
   */
  TableClient(int port, long windowBytes) {
    NodeAddress address = new NodeAddress("127.0.0.1", port);
    channels = new NodeChannels(windowBytes);
    node = channels.node(address);
    view = ClusterView.discover(channels, List.of(address), TABLE, TIMEOUT_MILLIS);
  }

  BufferAllocator allocator() {
    return allocator;
  }

  NodeClient node() {
    return node;
  }

  /** A scan of the whole table, without what it asks for. */
  Open.Builder open() {
    return open(
        view.partitions().stream().map(it -> it.partition().getId()).toArray(String[]::new));
  }

  /** The same of some of its partitions. */
  Open.Builder open(String... partitions) {
    Open.Builder open =
        Open.newBuilder().setTable(TABLE).setLayoutVersion(view.nodes().get(0).layoutVersion());
    for (String partition : partitions) {
      open.addPartitions(ScanPartition.newBuilder().setId(partition));
    }
    return open;
  }

  /** What all columns are called. */
  List<String> columns() {
    return view.schema().getFields().stream().map(Field::getName).toList();
  }

  /** {@code COUNT(*)} for each value of a column. */
  static Aggregation countBy(String key) {
    return Aggregation.newBuilder()
        .addGroupBy(Expression.newBuilder().setColumn(key))
        .addAggregates(AggregateCall.newBuilder().setFunction("count_all"))
        .build();
  }

  /** Reads a scan to its end. */
  ScanStream.Received scan(Open open) {
    return scan(open, ScanOptions.defaults());
  }

  /** Reads a scan to its end. */
  ScanStream.Received scan(Open open, ScanOptions options) {
    try (ScanStream stream = node.scan(open, options, allocator)) {
      while (stream.next()) {
        // The batch is in Arrow memory, ready to be read; reading it is the consumer's own cost.
      }
      return stream.received();
    }
  }

  @Override
  public void close() {
    channels.close();
    allocator.close();
  }
}
