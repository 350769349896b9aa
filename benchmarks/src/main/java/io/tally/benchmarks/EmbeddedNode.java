package io.tally.benchmarks;

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

/**
 * Takes a DuckDB file with the table {@code events}, and serves it from a node in this process to a
 * client in this process.
 */
final class EmbeddedNode implements AutoCloseable {
  private final DuckDbCatalog catalog;
  private final NodeServer server;
  private final TableClient client;

  EmbeddedNode(Path database) throws CatalogException, IOException, SQLException {
    catalog = DuckDbCatalog.open(DatabaseSettings.defaults(), table(database));
    server = NodeServer.start(settings(), catalog);
    client = new TableClient(server.port());
  }

  DuckDbCatalog catalog() {
    return catalog;
  }

  TableClient client() {
    return client;
  }

  @Override
  public void close() {
    client.close();
    server.close();
    catalog.close();
  }

  private static List<TableDefinition> table(Path database) {
    PartitionDefinition partition =
        new PartitionDefinition(
            "all",
            new PartitionSource.Database(database, "main", TableClient.TABLE),
            Optional.empty());
    return List.of(
        new TableDefinition(
            TableClient.TABLE, List.of(), Optional.empty(), false, Map.of(), List.of(partition)));
  }

  private static NodeSettings settings() {
    return new NodeSettings(
        "benchmark",
        "127.0.0.1",
        0,
        8,
        8,
        TableClient.TIMEOUT_MILLIS,
        64 << 20,
        30_000,
        256 << 20,
        64,
        10_000);
  }
}
