package io.tally.server.grpc;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.tally.rpc.TallyException;
import io.tally.rpc.WindowBudget;
import io.tally.rpc.client.NodeAddress;
import io.tally.rpc.client.NodeChannels;
import io.tally.rpc.client.NodeClient;
import io.tally.rpc.client.ReconnectPolicy;
import io.tally.rpc.client.ScanOptions;
import io.tally.rpc.client.ScanStream;
import io.tally.rpc.v1.ErrorCode;
import io.tally.rpc.v1.Next;
import io.tally.rpc.v1.Open;
import io.tally.rpc.v1.ScanResponse;
import io.tally.server.fixture.Await;
import io.tally.server.fixture.LinkProxy;
import io.tally.server.fixture.Wire;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import org.apache.arrow.memory.BufferAllocator;
import org.apache.arrow.vector.BigIntVector;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** A node sends what it has credits for, and holds no more than its window. */
@Timeout(120)
class FlowControlTest {
  private static final int BATCH_BYTES = 256 << 10;

  private final TestNode node = new TestNode(2, 2, 30_000);

  @AfterEach
  void close() {
    node.close();
  }

  @Test
  void answersAScanStream() {
    serveNumbers(2_000_000);
    long sum = 0;
    try (ScanStream stream = stream(open(), 1 << 20, 4 << 20)) {
      while (stream.next()) {
        var vector = (BigIntVector) stream.batch().getVector("n");
        for (int i = 0; i < vector.getValueCount(); i++) {
          sum += vector.get(i);
        }
      }
      assertEquals(2_000_000, stream.totals().getRows());
      assertEquals("n", stream.schema().getFields().get(0).getName());
    }
    assertEquals(1_999_999L * 2_000_000 / 2, sum);
  }

  @Test
  void servesAClientWhoseWindowIsLargerThanTheNodes() {
    serveNumbers(3_000_000);
    try (ScanStream stream = stream(open(), 64 << 10, 64L << 20)) {
      while (stream.next()) {
        assertTrue(stream.batch().getRowCount() > 0);
      }
      assertEquals(3_000_000, stream.totals().getRows());
    }
  }

  @Test
  void sendsOneBatchForEachCredit() {
    serveNumbers(500_000);
    HandDrivenCall call = node.call().send(open());
    assertTrue(call.next().hasOpened());
    long rows = 0;
    long batches = 0;
    ScanResponse message = call.grant(1).next();
    while (message.hasBatch()) {
      assertEquals(batches++, message.getBatch().getSequence());
      rows += message.getBatch().getRows();
      message = call.send(Next.newBuilder().setCredits(1).setAcknowledged(batches)).next();
    }

    assertEquals(500_000, rows);
    assertEquals(rows, message.getEnd().getRows());
    assertEquals(batches, message.getEnd().getBatches());
    assertEquals(500_000, message.getEnd().getRowsScanned());
    call.awaitOk();
  }

  @Test
  void holdsNoMoreThanItsWindowForAClientThatDoesNotRead() {
    node.catalog.serve("t", "(SELECT range AS n FROM range(1000000000))");
    HandDrivenCall call = node.call().send(open()).grant(1_000_000);

    awaitFullWindow();
    long most = (TestNode.WINDOW_BYTES + TestNode.CLIENT_WINDOW_BYTES) / (BATCH_BYTES / 2) + 2;
    for (int i = 0; i < 10_000; i++) {
      NodeStats stats = node.server.stats();
      assertTrue(stats.sentBatches() <= most, stats::toString);
      // A chunk, the batch that is cut from it, and what is gathered.
      assertTrue(stats.allocatedBytes() <= 8 * BATCH_BYTES, stats::toString);
      Thread.onSpinWait();
    }

    call.cancel();
    node.awaitIdle();
  }

  @Test
  void goesOnWhenASlowClientReads() {
    serveNumbers(3_000_000);
    HandDrivenCall call = node.call().send(open()).grant(1_000_000);
    awaitFullWindow();

    long rows = 0;
    assertTrue(call.next().hasOpened());
    ScanResponse message = call.next();
    while (message.hasBatch()) {
      rows += message.getBatch().getRows();
      message = call.next();
    }

    assertEquals(3_000_000, rows);
    assertTrue(message.hasEnd());
    call.awaitOk();
  }

  @Test
  void saysThatItIsAtWork() {
    serveEndless();
    Open.Builder open = sumOfEndless().setProgressIntervalMillis(20);
    HandDrivenCall call = node.call().send(open).grant(1);

    assertTrue(call.next().hasOpened());
    assertTrue(call.next().hasProgress());
    assertTrue(call.next().hasProgress());

    call.cancel();
    node.awaitIdle();
  }

  @Test
  void freesAllWhenTheClientCancelsALongAggregate() {
    serveEndless();
    for (int i = 0; i < 10; i++) {
      ScanStream stream = stream(sumOfEndless(), 1 << 20, 4 << 20);
      Await.until("the scan runs", () -> node.server.stats().runningScans() == 1);
      stream.close();
      node.awaitIdle();
    }
  }

  @Test
  void freesAllWhenTheConnectionBreaks() {
    node.catalog.serve("t", "(SELECT range AS n FROM range(1000000000))");
    HandDrivenCall call = node.call().send(open()).grant(1_000_000);
    assertTrue(call.next().hasOpened());
    assertTrue(call.next().hasBatch());

    node.channel.shutdownNow();

    assertEquals(ErrorCode.NODE_UNREACHABLE, call.failure().code());
    node.awaitIdle();
  }

  @Test
  void reportsAnErrorInTheMiddle() {
    node.catalog.serve(
        "t",
        "(SELECT CAST(CASE WHEN range > 4900000 THEN 'x' ELSE '1' END AS INTEGER) AS n FROM range(5000000))");
    try (ScanStream stream = stream(open(), 64 << 10, 1 << 20)) {
      assertTrue(stream.next());
      TallyException error =
          assertThrows(
              TallyException.class,
              () -> {
                while (stream.next()) {
                  assertTrue(stream.batch().getRowCount() > 0);
                }
              });
      assertEquals(ErrorCode.DATA_UNREADABLE, error.code());
      assertFalse(error.retryable());
    }
  }

  @Test
  void endsWithTheCreditsThatAClientLeftBehind() {
    serveNumbers(500_000);
    HandDrivenCall enough = node.call().send(open()).grant(1000).halfClose();
    assertTrue(enough.next().hasOpened());
    ScanResponse message = enough.next();
    while (message.hasBatch()) {
      message = enough.next();
    }
    assertTrue(message.hasEnd());
    enough.awaitOk();

    TallyException error = node.call().send(open()).grant(2).halfClose().failure();
    assertEquals(ErrorCode.INVALID_REQUEST, error.code());
    assertTrue(error.getMessage().contains("no credits"), error::getMessage);
  }

  @Test
  @DisplayName("RES-3: far more is read than the client has memory for, or the node")
  void readsFarMoreThanFitsIntoMemory() {
    serveNumbers(40_000_000);
    long most = 0;
    try (BufferAllocator small = node.allocator.newChildAllocator("small", 0, 8 << 20);
        ScanStream stream =
            node.client()
                .scan(
                    open().setResumeAfter(0).build(),
                    new ScanOptions(1 << 20, 4 << 20, 1 << 20, 60_000),
                    small)) {
      while (stream.next()) {
        most = Math.max(most, node.server.stats().allocatedBytes());
      }
      assertEquals(40_000_000, stream.totals().getRows());
      assertTrue(stream.totals().getBodyBytes() >= 40_000_000L * Long.BYTES);
    }
    assertTrue(most <= 2 * TestNode.WINDOW_BYTES + (8 << 20), most + " bytes were on the node");
  }

  @Test
  void manySlowClientsShareWhatANodeHasToSend() {
    int scans = 16;
    long limit = 8 << 20;
    int batchBytes = 64 << 10;
    try (TestNode small = sending(scans, limit)) {
      small.catalog.serve("t", "(SELECT range AS n FROM range(1000000000))");
      List<HandDrivenCall> calls = new ArrayList<>();
      for (int i = 0; i < scans; i++) {
        calls.add(small.call().send(openOf(small).setMaxBatchBytes(batchBytes)).grant(1_000_000));
        assertTrue(calls.get(i).next().hasOpened());
      }
      Await.until("all have sent", () -> small.server.stats().sentBatches() >= 3L * scans);
      for (int i = 0; i < 10_000; i++) {
        NodeStats stats = small.server.stats();
        assertTrue(stats.sendBytes() <= limit, stats::toString);
        // What has left for the client is beside that.
        assertTrue(
            stats.sentBodyBytes()
                <= stats.sendBytes() + (long) scans * TestNode.CLIENT_WINDOW_BYTES,
            stats::toString);
        Thread.onSpinWait();
      }
      calls.forEach(HandDrivenCall::cancel);
      small.awaitIdle();
    }
  }

  @Test
  void aNodeThatIsShortOfMemorySendsSmallerBatchesThanItsClientAsksFor() {
    long sendBytes = 1 << 20;
    try (TestNode small = sending(1, sendBytes);
        NodeChannels channels = new NodeChannels(0)) {
      small.catalog.serve("t", "(SELECT range AS n FROM range(500000))");
      NodeClient client = channels.node(new NodeAddress("127.0.0.1", small.server.port()));
      ScanOptions options = new ScanOptions(1 << 20, 4 << 20, 1 << 20, 60_000);
      try (ScanStream stream =
          client.scan(openOf(small).clearScanId().build(), options, small.allocator)) {
        while (stream.next()) {
          long bytes = (long) stream.batch().getRowCount() * Long.BYTES;
          assertTrue(bytes <= WindowBudget.LEAST_BYTES, () -> "a batch of " + bytes + " bytes");
        }
        assertEquals(500_000, stream.totals().getRows());
      }
      small.awaitIdle();
    }
  }

  @Test
  void noneOfManyScansWaitsForAnother() {
    int scans = 30;
    try (TestNode small = sending(scans, 1 << 20);
        NodeChannels channels = new NodeChannels(0)) {
      small.catalog.serve("t", "(SELECT range AS n FROM range(100000))");
      NodeClient client = channels.node(new NodeAddress("127.0.0.1", small.server.port()));
      // The client is as short of memory as the node.
      ScanOptions options =
          new ScanOptions(1 << 20, 16 << 20, 1 << 20, 1 << 20, 60_000, ReconnectPolicy.defaults());
      List<ScanStream> streams = new ArrayList<>();
      for (int i = 0; i < scans; i++) {
        streams.add(client.scan(openOf(small).clearScanId().build(), options, small.allocator));
      }
      Collections.reverse(streams);
      for (ScanStream stream : streams) {
        while (stream.next()) {
          assertTrue(stream.batch().getRowCount() > 0);
        }
        assertEquals(100_000, stream.totals().getRows());
        stream.close();
      }
      small.awaitIdle();
    }
  }

  @Test
  void aStreamThatNobodyReadsDoesNotHinderOthersOnItsConnection() {
    serveNumbers(1_000_000);
    try (LinkProxy proxy = new LinkProxy(node.server.port());
        NodeChannels channels = new NodeChannels(1 << 20)) {
      NodeClient client = channels.node(new NodeAddress("127.0.0.1", proxy.port()));
      ScanOptions options = new ScanOptions(64 << 10, 1 << 20, 1 << 20, 60_000);
      try (ScanStream unread = client.scan(open().clearScanId().build(), options, node.allocator)) {
        // Its window is full.
        Await.until("all credits are spent", () -> node.server.stats().sentBatches() == 16);
        for (int i = 0; i < 3; i++) {
          try (ScanStream stream =
              client.scan(open().clearScanId().build(), options, node.allocator)) {
            while (stream.next()) {
              assertTrue(stream.batch().getRowCount() > 0);
            }
            assertEquals(1_000_000, stream.totals().getRows());
          }
        }
        assertEquals(1, proxy.connections());
        assertTrue(unread.next());
      }
    }
  }

  @Test
  void aStreamOfLargeRowsThatNobodyReadsDoesNotHinderOthersOnItsConnection() {
    node.catalog.serve(
        "t", "(SELECT range AS n, repeat('x', " + BATCH_BYTES + ") AS s FROM range(64))");
    try (NodeChannels channels = new NodeChannels(1 << 20)) {
      NodeClient client = channels.node(new NodeAddress("127.0.0.1", node.server.port()));
      // The rows that it may have are four times the window, so that some have to stay with gRPC.
      ScanOptions options = new ScanOptions(64 << 10, 1 << 20, 1 << 20, 10_000);
      Open rows = open().clearScanId().addColumns("s").build();
      try (ScanStream unread = client.scan(rows, options, node.allocator);
          ScanStream stream = client.scan(rows, options, node.allocator)) {
        Await.until("its window is full", () -> node.server.stats().sentBatches() >= 12);
        while (stream.next()) {
          assertEquals(1, stream.batch().getRowCount());
        }
        assertEquals(64, stream.totals().getRows());
        assertTrue(unread.next());
      }
    }
  }

  private static TestNode sending(int scans, long sendBytes) {
    return new TestNode(
        new NodeSettings(
            "node-a",
            "127.0.0.1",
            0,
            scans,
            0,
            30_000,
            TestNode.WINDOW_BYTES,
            30_000,
            64 << 20,
            sendBytes,
            NodeSettings.Connections.DEFAULTS,
            64,
            200_000));
  }

  private static Open.Builder openOf(TestNode served) {
    return Wire.open(served.catalog, "t").addColumns("n");
  }

  /** Batches are at least half as large as they may be. */
  private void awaitFullWindow() {
    Await.until(
        "the window is full",
        () -> node.server.stats().sentBatches() >= TestNode.WINDOW_BYTES / BATCH_BYTES);
  }

  private void serveNumbers(long rows) {
    node.catalog.serve("t", "(SELECT range AS n FROM range(" + rows + "))");
  }

  /** A join that would take hours, but whose rows are counted at once. */
  private void serveEndless() {
    node.catalog.execute("CREATE OR REPLACE TABLE slow AS SELECT 1::BIGINT AS n");
    node.catalog.serve("t", "slow");
    node.catalog.replaceRows(
        "t",
        "(SELECT a.range AS n FROM range(100000000) a, range(100000000) b WHERE a.range + b.range > 5)");
  }

  private Open.Builder sumOfEndless() {
    return Wire.open(node.catalog, "t")
        .setMaxBatchBytes(BATCH_BYTES)
        .setAggregation(Wire.aggregation(List.of(), Wire.aggregate("sum", Wire.column("n"))));
  }

  private Open.Builder open() {
    return Wire.open(node.catalog, "t").setMaxBatchBytes(BATCH_BYTES).addColumns("n");
  }

  private ScanStream stream(Open.Builder open, int batchBytes, long windowBytes) {
    return node.client()
        .scan(
            open.build(),
            new ScanOptions(batchBytes, windowBytes, 64 << 20, 60_000),
            node.allocator);
  }
}
