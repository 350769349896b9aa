package io.tally.benchmarks;

import io.tally.rpc.client.ClusterView;
import io.tally.rpc.client.NodeAddress;
import io.tally.rpc.client.NodeChannels;
import io.tally.rpc.client.NodeClient;
import io.tally.rpc.client.ScanOptions;
import io.tally.rpc.client.ScanStream;
import io.tally.rpc.v1.Open;
import io.tally.rpc.v1.ScanPartition;
import io.tally.server.grpc.NodeServer;
import io.tally.server.grpc.NodeSettings;
import io.tally.server.table.CatalogException;
import io.tally.server.table.DatabaseSettings;
import io.tally.server.table.DuckDbCatalog;
import io.tally.server.table.PartitionDefinition;
import io.tally.server.table.PartitionSource;
import io.tally.server.table.TableDefinition;
import java.io.IOException;
import java.nio.file.Path;
import java.sql.SQLException;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.apache.arrow.memory.BufferAllocator;
import org.apache.arrow.memory.RootAllocator;

/**
 * Takes a DuckDB file with the table {@code events}, and serves it from a node in this process to a
 * client in this process.
 */
final class EmbeddedNode implements AutoCloseable {
  static final String TABLE = "events";
  static final long TIMEOUT_MILLIS = 60_000;
  private static final String PARTITION = "all";

  private final DuckDbCatalog catalog;
  private final NodeServer server;
  private final NodeChannels channels = new NodeChannels(ScanOptions.defaults().windowBytes());
  private final RootAllocator allocator = new RootAllocator();
  private final NodeClient client;
  private final ClusterView view;

  EmbeddedNode(Path database) throws CatalogException, IOException, SQLException {
    catalog = DuckDbCatalog.open(DatabaseSettings.defaults(), table(database));
    server = NodeServer.start(settings(), catalog);
    NodeAddress address = new NodeAddress("127.0.0.1", server.port());
    view = ClusterView.discover(channels, List.of(address), TABLE, TIMEOUT_MILLIS);
    client = channels.node(address);
  }

  DuckDbCatalog catalog() {
    return catalog;
  }

  BufferAllocator allocator() {
    return allocator;
  }

  NodeClient client() {
    return client;
  }

  ClusterView view() {
    return view;
  }

  /** A scan of the whole table, without what it asks for. */
  Open.Builder open() {
    return Open.newBuilder()
        .setTable(TABLE)
        .setLayoutVersion(view.nodes().get(0).layoutVersion())
        .addPartitions(ScanPartition.newBuilder().setId(PARTITION));
  }

  /** Reads a scan to its end. */
  ScanStream.Received scan(Open open) {
    try (ScanStream stream = client.scan(open, ScanOptions.defaults(), allocator)) {
      while (stream.next()) {
        // The batch is in Arrow memory, ready to be read; reading it is the consumer's own cost.
      }
      return stream.received();
    }
  }

  @Override
  public void close() {
    channels.close();
    server.close();
    catalog.close();
    allocator.close();
  }

  private static List<TableDefinition> table(Path database) {
    PartitionDefinition partition =
        new PartitionDefinition(
            PARTITION, new PartitionSource.Database(database, "main", TABLE), Optional.empty());
    return List.of(
        new TableDefinition(
            TABLE, List.of(), Optional.empty(), false, Map.of(), List.of(partition)));
  }

  private static NodeSettings settings() {
    return new NodeSettings(
        "benchmark", "127.0.0.1", 0, 8, 8, TIMEOUT_MILLIS, 64 << 20, 30_000, 256 << 20, 64, 10_000);
  }
}
