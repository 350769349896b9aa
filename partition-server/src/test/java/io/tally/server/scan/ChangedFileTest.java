package io.tally.server.scan;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import io.tally.rpc.TallyException;
import io.tally.rpc.arrow.ScanFrame;
import io.tally.rpc.v1.ErrorCode;
import io.tally.rpc.v1.Open;
import io.tally.rpc.v1.ScanPartition;
import io.tally.server.table.DatabaseSettings;
import io.tally.server.table.DuckDbCatalog;
import io.tally.server.table.PartitionDefinition;
import io.tally.server.table.PartitionSource;
import io.tally.server.table.ServedTable;
import io.tally.server.table.TableDefinition;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import org.apache.arrow.memory.RootAllocator;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A file that changes between the first and the last batch of a scan. */
final class ChangedFileTest {
  private final ScheduledExecutorService scheduler = Executors.newSingleThreadScheduledExecutor();

  @Test
  void theScanFailsInsteadOfEnding(@TempDir Path folder) throws Exception {
    Path file = folder.resolve("rows.parquet");
    writeParquet(file, 2_000_000);
    try (DuckDbCatalog catalog =
            DuckDbCatalog.open(DatabaseSettings.defaults(), List.of(table(file)));
        RootAllocator allocator = new RootAllocator();
        Scan scan =
            Scan.prepare(plan(catalog.table("t")), Long.MAX_VALUE, catalog, allocator, scheduler)) {
      scan.next().ifPresent(ScanFrame::close);
      Files.setLastModifiedTime(file, FileTime.from(Instant.parse("2020-01-01T00:00:00Z")));

      TallyException error = assertThrows(TallyException.class, () -> drain(scan));

      assertEquals(ErrorCode.LAYOUT_CHANGED, error.code(), error::getMessage);
    } finally {
      scheduler.shutdownNow();
    }
  }

  private static void drain(Scan scan) {
    for (Optional<ScanFrame> frame = scan.next(); frame.isPresent(); frame = scan.next()) {
      frame.get().close();
    }
  }

  private static ScanPlan plan(ServedTable table) {
    Open open =
        Open.newBuilder()
            .setScanId("test")
            .setTable(table.name())
            .setLayoutVersion(table.layoutVersion())
            .addPartitions(ScanPartition.newBuilder().setId("p"))
            .addColumns("n")
            .setMaxBatchBytes(1 << 20)
            .setMaxRowBytes(1 << 20)
            .build();
    return new ScanPlanner(new ExpressionLimits(64, 10_000)).plan(open, table);
  }

  private static TableDefinition table(Path file) {
    PartitionDefinition partition =
        new PartitionDefinition("p", new PartitionSource.Parquet(List.of(file)), Optional.empty());
    return new TableDefinition(
        "t", List.of(), Optional.empty(), false, Map.of(), List.of(partition));
  }

  private static void writeParquet(Path file, long rows) throws SQLException {
    try (Connection connection = DriverManager.getConnection("jdbc:duckdb:");
        Statement statement = connection.createStatement()) {
      statement.execute(
          "COPY (SELECT range AS n FROM range(" + rows + ")) TO '" + file + "' (FORMAT parquet)");
    }
  }
}
