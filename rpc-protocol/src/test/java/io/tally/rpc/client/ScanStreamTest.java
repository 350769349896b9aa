package io.tally.rpc.client;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.grpc.ManagedChannel;
import io.grpc.inprocess.InProcessChannelBuilder;
import io.tally.rpc.TallyException;
import io.tally.rpc.WindowBudget;
import io.tally.rpc.arrow.Batches;
import io.tally.rpc.v1.End;
import io.tally.rpc.v1.ErrorCode;
import io.tally.rpc.v1.Next;
import io.tally.rpc.v1.Open;
import io.tally.rpc.v1.ScanPartition;
import io.tally.rpc.v1.ScanResponse;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.apache.arrow.memory.BufferAllocator;
import org.apache.arrow.memory.RootAllocator;
import org.apache.arrow.vector.BigIntVector;
import org.apache.arrow.vector.FixedSizeBinaryVector;
import org.apache.arrow.vector.VectorSchemaRoot;
import org.apache.arrow.vector.types.pojo.ArrowType;
import org.apache.arrow.vector.types.pojo.Field;
import org.apache.arrow.vector.types.pojo.Schema;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** The stream against a scripted node over a real connection on loopback. */
class ScanStreamTest {
  private static final Schema NUMBERS =
      new Schema(List.of(Field.nullable("n", new ArrowType.Int(64, true))));

  private static final int ROWS = 10;

  /** Four credits of 1 KiB. */
  private static final ScanOptions OPTIONS = new ScanOptions(1 << 10, 4 << 10, 1 << 20, 10_000);

  private static final Open OPEN =
      Open.newBuilder()
          .setTable("flights")
          .addPartitions(ScanPartition.newBuilder().setId("p1"))
          .build();

  private final BufferAllocator serverAllocator = new RootAllocator();
  private final BufferAllocator allocator = new RootAllocator();
  private final NodeChannels channels = new NodeChannels(OPTIONS.windowBytes());
  private VectorSchemaRoot numbers;

  @BeforeEach
  void fillABatch() {
    numbers = VectorSchemaRoot.create(NUMBERS, serverAllocator);
    BigIntVector values = (BigIntVector) numbers.getVector(0);
    for (int i = 0; i < ROWS; i++) {
      values.setSafe(i, i);
    }
    numbers.setRowCount(ROWS);
  }

  @AfterEach
  void nothingLeaks() {
    channels.close();
    numbers.close();
    serverAllocator.close();
    allocator.close();
  }

  @Test
  @SuppressWarnings("try") // closing before the end of the block is what is tested
  void handsOnEveryBatchAndProvesTheEnd() throws Exception {
    int batches = 100;
    try (ScriptedNode node = ScriptedNode.onLoopback(scan -> sendAll(scan, batches));
        ScanStream stream = scan(node, OPTIONS)) {
      assertEquals(NUMBERS, stream.schema());
      assertTrue(stream.applied().getPredicate());
      assertThrows(IllegalStateException.class, stream::batch);
      VectorSchemaRoot root = null;
      for (int batch = 0; batch < batches; batch++) {
        assertTrue(stream.next());
        assertTrue(root == null || root == stream.batch(), "the same root each time");
        root = stream.batch();
        assertEquals(ROWS, root.getRowCount());
        assertEquals(7L, root.getVector("n").getObject(7));
      }
      assertThrows(IllegalStateException.class, stream::totals);
      assertFalse(stream.next());
      assertFalse(stream.next());
      assertEquals(batches, stream.totals().getBatches());
      ScanStream.Received received = stream.received();
      assertEquals(batches, received.batches());
      assertEquals((long) batches * ROWS, received.rows());
      assertEquals(stream.totals().getBodyBytes(), received.bodyBytes());
      assertTrue(received.firstBatchNanos() > 0);
      assertTrue(received.waitedNanos() > 0);
      stream.close();
      assertEquals(batches, stream.totals().getBatches(), "totals outlive the stream");
      node.awaitScript();
    }
  }

  @Test
  void sendsItsLimitsAndTheFirstCreditsAtOnce() throws Exception {
    try (ScriptedNode node =
            ScriptedNode.onLoopback(
                scan -> {
                  // Credits come without any answer.
                  scan.awaitGranted(4);
                  sendAll(scan, 0);
                });
        ScanStream stream = scan(node, OPTIONS)) {
      assertFalse(stream.next());
      Open open = node.scan().open();
      assertEquals(36, open.getScanId().length());
      assertEquals("flights", open.getTable());
      assertEquals(OPTIONS.maxBatchBytes(), open.getMaxBatchBytes());
      assertEquals(OPTIONS.maxRowBytes(), open.getMaxRowBytes());
      assertEquals(OPTIONS.silenceMillis() / 4, open.getProgressIntervalMillis());
      assertEquals(0, stream.totals().getBatches());
    }
  }

  @Test
  void keepsAScanIdThatIsSet() throws Exception {
    try (ScriptedNode node = ScriptedNode.onLoopback(scan -> sendAll(scan, 0));
        ScanStream stream =
            channels
                .node(node.address())
                .scan(OPEN.toBuilder().setScanId("mine").build(), OPTIONS, allocator)) {
      assertFalse(stream.next());
      assertEquals("mine", node.scan().open().getScanId());
    }
  }

  @Test
  void topsUpCreditsOnlyForWhatWasConsumedAndInGroups() throws Exception {
    ScanOptions sixteen = new ScanOptions(1 << 10, 16 << 10, 1 << 20, 10_000);
    int batches = 200;
    try (ScriptedNode node = ScriptedNode.onLoopback(scan -> sendAll(scan, batches));
        ScanStream stream = scan(node, sixteen)) {
      drain(stream);
      List<Next> nexts = node.scan().nexts();
      assertEquals(16, nexts.get(0).getCredits());
      long granted = 0;
      for (Next next : nexts) {
        granted += next.getCredits();
        assertTrue(granted <= 16 + next.getAcknowledged(), "more credits than the window");
      }
      assertTrue(nexts.size() <= 1 + batches / 2, nexts.size() + " messages for credits");
    }
  }

  @Test
  void manyStreamsShareTheMemoryOfTheirProcess() throws Exception {
    WindowBudget windows = new WindowBudget();
    ScanOptions wanted =
        new ScanOptions(1 << 20, 16 << 20, 8 << 20, 1 << 20, 10_000, ReconnectPolicy.defaults());
    List<ScanStream> streams = new ArrayList<>();
    try (NodeChannels sharing = new NodeChannels(OPTIONS.windowBytes(), windows);
        ScriptedNode node =
            ScriptedNode.onLoopback(
                scan -> {
                  scan.opened(NUMBERS);
                  Open open = scan.open();
                  // Each may have a batch that is worth its way, however small its share is.
                  scan.awaitGranted(1);
                  assertTrue(open.getMaxBatchBytes() <= 1 << 20);
                  assertTrue(open.getMaxBatchBytes() >= WindowBudget.LEAST_BYTES);
                  for (int i = 0; i < 10; i++) {
                    scan.batch(numbers);
                  }
                  scan.end(scan.totals());
                  scan.complete();
                })) {
      for (int i = 0; i < 16; i++) {
        streams.add(sharing.node(node.address()).scan(OPEN, wanted, allocator));
        assertTrue(windows.takenBytes() <= wanted.processWindowBytes());
      }
      // The last one is read first: none waits for another.
      for (int i = streams.size() - 1; i >= 0; i--) {
        assertEquals(10, drain(streams.get(i)));
      }
      assertTrue(windows.takenBytes() > 0);
      streams.forEach(ScanStream::close);
      assertEquals(0, windows.takenBytes());
      node.awaitScript();
    }
  }

  @Test
  void aStreamTakesOverWhatOthersLeave() throws Exception {
    WindowBudget windows = new WindowBudget();
    long limit = 16 << 20;
    try (NodeChannels sharing = new NodeChannels(OPTIONS.windowBytes(), windows);
        ScriptedNode node =
            ScriptedNode.onLoopback(
                scan -> {
                  scan.opened(NUMBERS);
                  scan.batch(numbers);
                  scan.awaitGranted(10);
                  for (int i = 1; i < 10; i++) {
                    scan.batch(numbers);
                  }
                  scan.end(scan.totals());
                  scan.complete();
                })) {
      List<WindowBudget.Share> others = new ArrayList<>();
      for (int i = 0; i < 30; i++) {
        others.add(windows.take(limit, limit));
      }
      ScanOptions wanted =
          new ScanOptions(1 << 20, limit, limit, 1 << 20, 10_000, ReconnectPolicy.defaults());
      try (ScanStream stream = sharing.node(node.address()).scan(OPEN, wanted, allocator)) {
        assertTrue(stream.next());
        assertTrue(node.scan().nexts().get(0).getCredits() < 2);
        others.forEach(WindowBudget.Share::close);
        assertEquals(9, drain(stream));
        assertTrue(windows.takenBytes() > 2 << 20);
        assertTrue(windows.takenBytes() <= limit);
      }
      assertEquals(0, windows.takenBytes());
      node.awaitScript();
    }
  }

  @Test
  void aConsumerThatStopsStopsTheNode() throws Exception {
    CountDownLatch sentAsMuchAsGranted = new CountDownLatch(1);
    try (ScriptedNode node =
            ScriptedNode.onLoopback(
                scan -> {
                  scan.opened(NUMBERS);
                  for (int i = 0; i < 4; i++) {
                    scan.batch(numbers);
                  }
                  sentAsMuchAsGranted.countDown();
                  for (int i = 4; i < 20; i++) {
                    scan.batch(numbers);
                  }
                  scan.end(scan.totals());
                  scan.complete();
                });
        ScanStream stream = scan(node, OPTIONS)) {
      assertTrue(stream.next());
      assertTrue(await(sentAsMuchAsGranted));
      // The batch in hand does not count as consumed: nothing more is granted yet.
      assertEquals(1, node.scan().nexts().size());
      assertEquals(19, drain(stream));
      node.awaitScript();
    }
  }

  @Test
  void rowsLargerThanABatchDoNotAddUpInMemory() throws Exception {
    int rowBytes = 1 << 20;
    int rows = 24;
    ScanOptions sixteen = new ScanOptions(64 << 10, 16 * (64 << 10), rowBytes, 10_000);
    Schema schema =
        new Schema(List.of(Field.nullable("b", new ArrowType.FixedSizeBinary(rowBytes))));
    CountDownLatch allCreditsSpent = new CountDownLatch(1);
    // Without a network, what the node has sent is where it will stay.
    ManagedChannel channel = InProcessChannelBuilder.forName("large").directExecutor().build();
    try (VectorSchemaRoot large = VectorSchemaRoot.create(schema, serverAllocator);
        ScriptedNode node =
            ScriptedNode.inProcess(
                "large",
                scan -> {
                  scan.opened(schema);
                  for (int i = 0; i < rows; i++) {
                    if (i == 16) {
                      allCreditsSpent.countDown();
                    }
                    scan.batch(large);
                  }
                  scan.end(scan.totals());
                  scan.complete();
                })) {
      fillOneRow(large, rowBytes);
      NodeClient client = new NodeClient(new NodeAddress("test", 1), channel, new WindowBudget());
      try (ScanStream stream = client.scan(OPEN, sixteen, allocator)) {
        assertTrue(await(allCreditsSpent));
        assertTrue(allocator.getAllocatedMemory() >= rowBytes);
        assertTrue(
            allocator.getAllocatedMemory() <= sixteen.windowBytes() + rowBytes,
            () -> allocator.getAllocatedMemory() + " bytes were taken in ahead of the consumer");
        assertEquals(rows, drain(stream));
      }
      node.awaitScript();
    } finally {
      channel.shutdownNow();
      assertTrue(channel.awaitTermination(ScriptedNode.TIMEOUT_MILLIS, TimeUnit.MILLISECONDS));
    }
  }

  @Test
  void rowsWithoutColumnsAreCounted() throws Exception {
    Schema none = new Schema(List.of());
    try (VectorSchemaRoot empty = VectorSchemaRoot.create(none, serverAllocator)) {
      empty.setRowCount(1_000_000);
      try (ScriptedNode node =
              ScriptedNode.onLoopback(
                  scan -> {
                    scan.opened(none);
                    scan.batch(empty);
                    scan.end(scan.totals());
                    scan.complete();
                  });
          ScanStream stream = scan(node, OPTIONS)) {
        assertTrue(stream.next());
        assertEquals(1_000_000, stream.batch().getRowCount());
        assertFalse(stream.next());
      }
    }
  }

  @Test
  void theNodesErrorArrivesAsItIs() throws Exception {
    try (ScriptedNode node =
            ScriptedNode.onLoopback(
                scan -> {
                  scan.opened(NUMBERS);
                  scan.batch(numbers);
                  scan.fail(
                      new TallyException(ErrorCode.DATA_UNREADABLE, "p1.parquet is cut off."));
                });
        ScanStream stream = scan(node, OPTIONS)) {
      TallyException e = assertThrows(TallyException.class, () -> drain(stream));
      assertEquals(ErrorCode.DATA_UNREADABLE, e.code());
      assertTrue(e.getMessage().contains("p1.parquet is cut off."), e::getMessage);
      assertTrue(e.getMessage().contains("\"flights\""), e::getMessage);
      assertTrue(e.getMessage().contains("partition p1"), e::getMessage);
      assertTrue(e.getMessage().contains(node.address().toString()), e::getMessage);
      assertSame(e, assertThrows(TallyException.class, stream::next), "it stays failed");
      assertSame(e, assertThrows(TallyException.class, stream::schema));
      assertThrows(IllegalStateException.class, stream::totals);
    }
  }

  /** Scripts after Opened and the first batch, which have arrived in order. */
  static Stream<Arguments> violations() {
    return Stream.of(
        violation("without totals", (scan, batch) -> {}),
        violation(
            "The node sent 2 batches",
            (scan, batch) -> scan.end(scan.totals().toBuilder().setBatches(2).build())),
        violation(
            "11 rows", (scan, batch) -> scan.end(scan.totals().toBuilder().setRows(11).build())),
        violation(
            "0 bytes",
            (scan, batch) -> scan.end(scan.totals().toBuilder().setBodyBytes(0).build())),
        violation(
            "after the end",
            (scan, batch) -> {
              scan.end(scan.totals());
              scan.end(scan.totals());
            }),
        violation(
            "after the end",
            (scan, batch) -> {
              scan.end(scan.totals());
              scan.batchWithoutCredit(batch);
            }),
        violation("opened twice", (scan, batch) -> scan.opened(NUMBERS)),
        violation(
            "Batch 5 came where batch 1 was due",
            (scan, batch) -> scan.send(Batches.response(batch, 5))),
        violation(
            "Batch 0 came where batch 1 was due",
            (scan, batch) -> scan.send(Batches.response(batch, 0))),
        violation("unknown kind", (scan, batch) -> scan.send(ScanResponse.getDefaultInstance())),
        violation(
            "-1 rows",
            (scan, batch) -> {
              ScanResponse.Builder response = Batches.response(batch, 1).toBuilder();
              response.getBatchBuilder().setRows(-1);
              scan.send(response.build());
            }),
        violation(
            "a body without a batch",
            (scan, batch) ->
                scan.send(Batches.response(batch, 1).toBuilder().clearBatch().build())),
        violation(
            "announces a body",
            (scan, batch) -> {
              ScanResponse.Builder response = Batches.response(batch, 1).toBuilder();
              scan.send(response.clearBody().build());
              scan.awaitCancelled();
            }));
  }

  interface Misdeed {
    void run(ScriptedNode.Scan scan, VectorSchemaRoot batch) throws Exception;
  }

  private static Arguments violation(String message, Misdeed misdeed) {
    return Arguments.of(message, misdeed);
  }

  @ParameterizedTest
  @MethodSource("violations")
  void anAnswerThatContradictsTheProtocolIsRefused(String message, Misdeed misdeed)
      throws Exception {
    try (ScriptedNode node =
            ScriptedNode.onLoopback(
                scan -> {
                  scan.opened(NUMBERS);
                  scan.batch(numbers);
                  misdeed.run(scan, numbers);
                  if (scan.awaitCancelled(0)) {
                    return;
                  }
                  scan.complete();
                });
        ScanStream stream = scan(node, OPTIONS)) {
      TallyException e = assertThrows(TallyException.class, () -> drain(stream));
      assertEquals(ErrorCode.PROTOCOL_VIOLATION, e.code(), e::getMessage);
      assertTrue(e.getMessage().contains(message), e::getMessage);
      assertTrue(e.getMessage().contains("\"flights\""), e::getMessage);
    }
  }

  @Test
  void moreBatchesThanCreditsAreRefused() throws Exception {
    try (ScriptedNode node =
            ScriptedNode.onLoopback(
                scan -> {
                  scan.opened(NUMBERS);
                  for (int i = 0; i < 5; i++) {
                    scan.batchWithoutCredit(numbers);
                  }
                  scan.awaitCancelled();
                });
        ScanStream stream = scan(node, OPTIONS)) {
      // Nothing is consumed, so nothing is granted.
      node.awaitScript();
      TallyException e = assertThrows(TallyException.class, stream::next);
      assertEquals(ErrorCode.PROTOCOL_VIOLATION, e.code());
      assertTrue(e.getMessage().contains("More batches came than the 4"), e::getMessage);
    }
  }

  @Test
  void aBatchOrAnEndBeforeOpenedIsRefused() throws Exception {
    List<ScriptedNode.Script> scripts =
        List.of(scan -> scan.batch(numbers), scan -> scan.end(End.getDefaultInstance()));
    for (ScriptedNode.Script script : scripts) {
      try (ScriptedNode node = ScriptedNode.onLoopback(script);
          ScanStream stream = scan(node, OPTIONS)) {
        TallyException e = assertThrows(TallyException.class, stream::next);
        assertEquals(ErrorCode.PROTOCOL_VIOLATION, e.code());
        node.scan().awaitCancelled();
      }
    }
  }

  @Test
  void aSchemaThatIsNoneIsRefused() throws Exception {
    try (ScriptedNode node =
            ScriptedNode.onLoopback(
                scan -> {
                  scan.opened(NUMBERS);
                  scan.awaitCancelled();
                });
        ScanStream stream = scan(node, OPTIONS)) {
      assertEquals(NUMBERS, stream.schema());
    }
    try (ScriptedNode node =
            ScriptedNode.onLoopback(
                scan -> {
                  ScanResponse.Builder opened = ScanResponse.newBuilder();
                  opened.getOpenedBuilder().setNodeId("scripted");
                  scan.send(opened.build());
                  scan.awaitCancelled();
                });
        ScanStream stream = scan(node, OPTIONS)) {
      TallyException e = assertThrows(TallyException.class, stream::schema);
      assertEquals(ErrorCode.PROTOCOL_VIOLATION, e.code());
      assertTrue(e.getMessage().contains("node \"scripted\""), e::getMessage);
      node.awaitScript();
    }
  }

  @Test
  void aFewBytesThatStandForMuchMemoryAreRefused() throws Exception {
    // Structs without children have no buffers but validity, which is left out without NULLs.
    Schema structs = new Schema(List.of(Field.nullable("s", new ArrowType.Struct())));
    ScanOptions small = new ScanOptions(1 << 10, 1 << 10, 1 << 10, 10_000);
    try (ScriptedNode node =
            ScriptedNode.onLoopback(
                scan -> {
                  scan.opened(structs);
                  scan.send(HostileBatches.structs(Integer.MAX_VALUE));
                  scan.awaitCancelled();
                });
        ScanStream stream = scan(node, small)) {
      TallyException e = assertThrows(TallyException.class, stream::next);
      assertEquals(ErrorCode.PROTOCOL_VIOLATION, e.code());
      assertTrue(e.getMessage().contains("more memory"), e::getMessage);
      node.awaitScript();
    }
  }

  @Test
  void aMessageLargerThanAnyRowMayBeIsRefused() throws Exception {
    ScanOptions small = new ScanOptions(1 << 10, 1 << 10, 1 << 10, 10_000);
    Schema schema =
        new Schema(List.of(Field.nullable("b", new ArrowType.FixedSizeBinary(8 << 20))));
    try (VectorSchemaRoot large = VectorSchemaRoot.create(schema, serverAllocator)) {
      fillOneRow(large, 8 << 20);
      try (ScriptedNode node =
              ScriptedNode.onLoopback(
                  scan -> {
                    scan.opened(schema);
                    scan.batch(large);
                    scan.awaitCancelled();
                  });
          ScanStream stream = scan(node, small)) {
        TallyException e = assertThrows(TallyException.class, stream::next);
        assertEquals(ErrorCode.PROTOCOL_VIOLATION, e.code());
      }
    }
    assertTrue(allocator.getPeakMemoryAllocation() < 1 << 20);
  }

  @Test
  void aSilentNodeIsGivenUp() throws Exception {
    ScanOptions impatient = new ScanOptions(1 << 10, 4 << 10, 1 << 20, 200);
    try (ScriptedNode node =
            ScriptedNode.onLoopback(
                scan -> {
                  scan.opened(NUMBERS);
                  scan.awaitCancelled();
                });
        ScanStream stream = scan(node, impatient)) {
      assertEquals(NUMBERS, stream.schema());
      TallyException e = assertThrows(TallyException.class, stream::next);
      assertEquals(ErrorCode.NODE_SILENT, e.code());
      assertTrue(e.retryable());
      assertTrue(e.getMessage().contains("200 ms"), e::getMessage);
      node.awaitScript();
    }
  }

  @Test
  void progressIsASignOfLife() throws Exception {
    ScanOptions options = new ScanOptions(1 << 10, 4 << 10, 1 << 20, 1_000);
    try (ScriptedNode node =
            ScriptedNode.onLoopback(
                scan -> {
                  scan.opened(NUMBERS);
                  // In all longer than the silence that is tolerated.
                  for (int i = 0; i < 20 && !scan.awaitCancelled(100); i++) {
                    scan.progress();
                  }
                  scan.batch(numbers);
                  scan.end(scan.totals());
                  scan.complete();
                });
        ScanStream stream = scan(node, options)) {
      assertTrue(stream.next());
      assertFalse(stream.next());
    }
  }

  @Test
  void aNodeThatDiesIsUnreachable() throws Exception {
    try (ScriptedNode node =
            ScriptedNode.onLoopback(
                scan -> {
                  scan.opened(NUMBERS);
                  scan.batch(numbers);
                  scan.awaitCancelled();
                });
        ScanStream stream = scan(node, OPTIONS)) {
      assertTrue(stream.next());
      node.kill();
      TallyException e = assertThrows(TallyException.class, stream::next);
      assertEquals(ErrorCode.NODE_UNREACHABLE, e.code(), e::getMessage);
      assertTrue(e.retryable());
    }
  }

  @Test
  void aNodeThatThrowsIsNotTakenForSomethingElse() throws Exception {
    try (ScriptedNode node =
            ScriptedNode.onLoopback(
                scan -> {
                  scan.opened(NUMBERS);
                  scan.failWithoutReason();
                });
        ScanStream stream = scan(node, OPTIONS)) {
      TallyException e = assertThrows(TallyException.class, stream::next);
      assertEquals(ErrorCode.INTERNAL, e.code());
    }
  }

  @Test
  @SuppressWarnings("try") // closing before the end of the block is what is tested
  void closingFromAnotherThreadWakesTheConsumer() throws Exception {
    try (ScriptedNode node =
            ScriptedNode.onLoopback(
                scan -> {
                  scan.opened(NUMBERS);
                  scan.batch(numbers);
                  scan.awaitCancelled();
                });
        ScanStream stream = scan(node, OPTIONS)) {
      assertTrue(stream.next());
      CountDownLatch running = new CountDownLatch(1);
      CompletableFuture<Boolean> next =
          CompletableFuture.supplyAsync(
              () -> {
                running.countDown();
                return stream.next();
              });
      assertTrue(await(running));
      stream.close();
      ExecutionException e =
          assertThrows(
              ExecutionException.class,
              () -> next.get(ScriptedNode.TIMEOUT_MILLIS, TimeUnit.MILLISECONDS));
      assertEquals(ErrorCode.CANCELLED, ((TallyException) e.getCause()).code());
      node.awaitScript();
      assertEquals(0, allocator.getAllocatedMemory());
    }
  }

  @Test
  void interruptingTheConsumerEndsTheScan() throws Exception {
    try (ScriptedNode node = ScriptedNode.onLoopback(ScriptedNode.Scan::awaitCancelled);
        ScanStream stream = scan(node, OPTIONS)) {
      assertEquals("flights", node.scan().open().getTable());
      Thread.currentThread().interrupt();
      TallyException e = assertThrows(TallyException.class, stream::next);
      assertTrue(Thread.interrupted(), "the interrupt is kept");
      assertEquals(ErrorCode.CANCELLED, e.code());
      node.awaitScript();
    }
  }

  @Test
  void closingMidStreamFreesWhatIsQueuedAndWhatStillArrives() throws Exception {
    for (int consumed = 0; consumed < 6; consumed++) {
      CountDownLatch full = new CountDownLatch(1);
      try (ScriptedNode node =
          ScriptedNode.onLoopback(
              scan -> {
                scan.opened(NUMBERS);
                while (!scan.awaitCancelled(0)) {
                  scan.batchIfGranted(numbers);
                  full.countDown();
                }
              })) {
        ScanStream stream = scan(node, OPTIONS);
        for (int i = 0; i < consumed; i++) {
          assertTrue(stream.next());
        }
        assertTrue(await(full));
        stream.close();
        assertEquals(0, allocator.getAllocatedMemory());
        stream.close();
        TallyException e = assertThrows(TallyException.class, stream::next);
        assertEquals(ErrorCode.CANCELLED, e.code());
        node.awaitScript();
      }
    }
  }

  @Test
  void closingTheChannelsFailsWhatIsInFlight() throws Exception {
    NodeChannels own = new NodeChannels(0);
    try (ScriptedNode node =
            ScriptedNode.onLoopback(
                scan -> {
                  scan.opened(NUMBERS);
                  scan.awaitCancelled();
                });
        ScanStream stream = own.node(node.address()).scan(OPEN, OPTIONS, allocator)) {
      assertEquals(NUMBERS, stream.schema());
      own.close();
      assertThrows(TallyException.class, stream::next);
      assertThrows(IllegalStateException.class, () -> own.node(node.address()));
    }
  }

  @Test
  void onlyAFewPartitionsAreNamed() throws Exception {
    Open.Builder open = OPEN.toBuilder();
    for (int i = 2; i <= 9; i++) {
      open.addPartitions(ScanPartition.newBuilder().setId("p" + i));
    }
    try (ScriptedNode node =
            ScriptedNode.onLoopback(
                scan -> scan.fail(new TallyException(ErrorCode.TOO_MANY_SCANS, "Busy.")));
        ScanStream stream = channels.node(node.address()).scan(open.build(), OPTIONS, allocator)) {
      TallyException e = assertThrows(TallyException.class, stream::next);
      assertEquals(ErrorCode.TOO_MANY_SCANS, e.code());
      assertTrue(e.retryable());
      assertTrue(e.getMessage().contains("partitions p1, p2, p3 and 6 more"), e::getMessage);
    }
  }

  private ScanStream scan(ScriptedNode node, ScanOptions options) {
    return channels.node(node.address()).scan(OPEN, options, allocator);
  }

  private void sendAll(ScriptedNode.Scan scan, int batches) throws Exception {
    scan.opened(NUMBERS);
    for (int i = 0; i < batches; i++) {
      scan.batch(numbers);
    }
    scan.end(scan.totals());
    scan.complete();
  }

  private static void fillOneRow(VectorSchemaRoot root, int bytes) {
    FixedSizeBinaryVector vector = (FixedSizeBinaryVector) root.getVector(0);
    vector.allocateNew(1);
    vector.set(0, new byte[bytes]);
    root.setRowCount(1);
  }

  private static int drain(ScanStream stream) {
    int batches = 0;
    while (stream.next()) {
      batches++;
    }
    return batches;
  }

  private static boolean await(CountDownLatch latch) throws InterruptedException {
    return latch.await(ScriptedNode.TIMEOUT_MILLIS, TimeUnit.MILLISECONDS);
  }
}
