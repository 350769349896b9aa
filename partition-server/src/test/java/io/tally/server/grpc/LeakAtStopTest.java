package io.tally.server.grpc;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.grpc.ManagedChannel;
import io.grpc.netty.NettyChannelBuilder;
import io.tally.server.fixture.Await;
import io.tally.server.fixture.MemoryCatalog;
import io.tally.server.fixture.Wire;
import io.tally.server.table.ServedColumn;
import io.tally.server.table.ServedPartition;
import io.tally.server.table.ServedTable;
import io.tally.server.table.TableCatalog;
import io.tally.server.table.UnservedColumn;
import java.sql.SQLException;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.apache.arrow.memory.BufferAllocator;
import org.apache.arrow.memory.RootAllocator;
import org.duckdb.DuckDBConnection;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** A scan that cannot be stopped makes the stop fail, so that the process can say so. */
@Timeout(120)
class LeakAtStopTest {
  @Test
  void memoryThatIsNotGivenBackIsSaid() throws Exception {
    CountDownLatch stuck = new CountDownLatch(1);
    CountDownLatch release = new CountDownLatch(1);
    try (MemoryCatalog memory = new MemoryCatalog();
        BufferAllocator allocator = new RootAllocator()) {
      memory.serve("t", "(SELECT range AS n FROM range(10))");
      NodeServer server =
          NodeServer.start(
              new NodeSettings(
                  "node-a", "127.0.0.1", 0, 1, 0, 1_000, 4 << 20, 30_000, 64 << 20, 64, 1_000),
              new StuckAtTheEnd(memory, stuck, release));
      ManagedChannel channel =
          NettyChannelBuilder.forAddress("127.0.0.1", server.port()).usePlaintext().build();
      try {
        HandDrivenCall call = HandDrivenCall.start(channel, allocator);
        call.send(Wire.open(memory, "t").addColumns("n")).grant(9).request(9);
        assertTrue(stuck.await(60, TimeUnit.SECONDS));

        IllegalStateException e = assertThrows(IllegalStateException.class, () -> server.stop(0));

        assertEquals("Node \"node-a\" stopped with scans that hold memory", e.getMessage());
        call.failure();
      } finally {
        release.countDown();
        channel.shutdownNow().awaitTermination(60, TimeUnit.SECONDS);
        Await.until("the scan ends", () -> server.stats().runningScans() == 0);
      }
    }
  }

  /** Tables whose scans do not get past their last look at the files. */
  private record StuckAtTheEnd(TableCatalog tables, CountDownLatch stuck, CountDownLatch release)
      implements TableCatalog {
    @Override
    public List<String> tableNames() {
      return tables.tableNames();
    }

    @Override
    public ServedTable table(String name) {
      return new StuckTable(tables.table(name), stuck, release, new AtomicInteger());
    }

    @Override
    public DuckDBConnection connect() throws SQLException {
      return tables.connect();
    }

    @Override
    public void close() {}
  }

  private record StuckTable(
      ServedTable table, CountDownLatch stuck, CountDownLatch release, AtomicInteger looks)
      implements ServedTable {
    @Override
    public String name() {
      return table.name();
    }

    @Override
    public List<ServedColumn> columns() {
      return table.columns();
    }

    @Override
    public List<UnservedColumn> unservedColumns() {
      return table.unservedColumns();
    }

    @Override
    public String layoutVersion() {
      return table.layoutVersion();
    }

    @Override
    public List<ServedPartition> partitions() {
      return table.partitions();
    }

    @Override
    public List<String> clusterPartitions() {
      return table.clusterPartitions();
    }

    @Override
    public void checkUnchanged() {
      if (looks.getAndIncrement() > 0) {
        stuck.countDown();
        try {
          release.await();
        } catch (InterruptedException e) {
          throw new IllegalStateException(e);
        }
      }
    }
  }
}
