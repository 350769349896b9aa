package io.tally.benchmarks;

import io.tally.server.table.TableCatalog;
import java.nio.charset.StandardCharsets;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.util.concurrent.locks.LockSupport;
import org.apache.arrow.flight.CallStatus;
import org.apache.arrow.flight.FlightClient;
import org.apache.arrow.flight.FlightServer;
import org.apache.arrow.flight.FlightStream;
import org.apache.arrow.flight.Location;
import org.apache.arrow.flight.NoOpFlightProducer;
import org.apache.arrow.flight.Ticket;
import org.apache.arrow.memory.BufferAllocator;
import org.apache.arrow.vector.ipc.ArrowReader;
import org.duckdb.DuckDBConnection;
import org.duckdb.DuckDBResultSet;

/**
 * Arrow Flight over the same database: {@code DoGet} runs the ticket's SQL and streams DuckDB's
 * batches with Flight's own back-pressure. The peer that row transport is measured against.
 */
final class FlightYardstick implements AutoCloseable {
  private static final String LOOPBACK = "127.0.0.1";

  /** Far less than a batch takes: Flight's ready callback was seen not to come, its state does. */
  private static final long READY_CHECK_NANOS = 50_000;

  private final FlightServer server;
  private final FlightClient client;

  FlightYardstick(BufferAllocator allocator, TableCatalog catalog, int rowsPerBatch)
      throws Exception {
    server =
        FlightServer.builder(
                allocator,
                Location.forGrpcInsecure(LOOPBACK, 0),
                new SqlProducer(allocator, catalog, rowsPerBatch))
            .build()
            .start();
    client =
        FlightClient.builder(allocator, Location.forGrpcInsecure(LOOPBACK, server.getPort()))
            .build();
  }

  /** Streams the result of {@code sql} and returns its number of rows. */
  @SuppressWarnings("try") // Flight's close() declares Exception; an interrupt ends the benchmark
  long rows(String sql) throws Exception {
    long rows = 0;
    try (FlightStream stream = client.getStream(new Ticket(sql.getBytes(StandardCharsets.UTF_8)))) {
      while (stream.next()) {
        rows += stream.getRoot().getRowCount();
      }
    }
    return rows;
  }

  @Override
  public void close() {
    try {
      client.close();
      server.close();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IllegalStateException("interrupted while stopping Flight", e);
    }
  }

  private static final class SqlProducer extends NoOpFlightProducer {
    private final BufferAllocator allocator;
    private final TableCatalog catalog;
    private final int rowsPerBatch;

    SqlProducer(BufferAllocator allocator, TableCatalog catalog, int rowsPerBatch) {
      this.allocator = allocator;
      this.catalog = catalog;
      this.rowsPerBatch = rowsPerBatch;
    }

    @Override
    public void getStream(CallContext context, Ticket ticket, ServerStreamListener listener) {
      String sql = new String(ticket.getBytes(), StandardCharsets.UTF_8);
      try (DuckDBConnection connection = catalog.connect();
          PreparedStatement statement = connection.prepareStatement(sql);
          ResultSet result = statement.executeQuery();
          ArrowReader reader =
              (ArrowReader)
                  result.unwrap(DuckDBResultSet.class).arrowExportStream(allocator, rowsPerBatch)) {
        listener.start(reader.getVectorSchemaRoot());
        while (reader.loadNextBatch()) {
          while (!listener.isReady()) {
            if (listener.isCancelled()) {
              return;
            }
            LockSupport.parkNanos(READY_CHECK_NANOS);
          }
          listener.putNext();
        }
        listener.completed();
      } catch (Exception e) {
        listener.error(CallStatus.INTERNAL.withCause(e).toRuntimeException());
      }
    }
  }
}
