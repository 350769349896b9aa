package io.tally.rpc.client;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.tally.rpc.TallyException;
import io.tally.rpc.v1.Applied;
import io.tally.rpc.v1.ErrorCode;
import io.tally.rpc.v1.Next;
import io.tally.rpc.v1.Open;
import io.tally.rpc.v1.ScanPartition;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.apache.arrow.memory.BufferAllocator;
import org.apache.arrow.memory.RootAllocator;
import org.apache.arrow.vector.BigIntVector;
import org.apache.arrow.vector.VectorSchemaRoot;
import org.apache.arrow.vector.types.pojo.ArrowType;
import org.apache.arrow.vector.types.pojo.Field;
import org.apache.arrow.vector.types.pojo.Schema;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** What a stream says to a node, and to its consumer, when calls break. */
@Timeout(60)
class ResumedStreamTest {
  private static final Schema NUMBERS =
      new Schema(List.of(Field.nullable("n", new ArrowType.Int(64, true))));
  private static final Applied KEPT = Applied.newBuilder().setResume(true).build();
  private static final ReconnectPolicy AT_ONCE = new ReconnectPolicy(3, 1, 1);
  private static final long HOUR_MILLIS = 3_600_000;

  private static final Open OPEN =
      Open.newBuilder()
          .setTable("flights")
          .addPartitions(ScanPartition.newBuilder().setId("p1"))
          .setResumeAfter(0)
          .build();

  private final BufferAllocator serverAllocator = new RootAllocator();
  private final BufferAllocator allocator = new RootAllocator();
  private final NodeChannels channels = new NodeChannels(0);

  /** The calls of the scan, in their order; each has ended when the next begins. */
  private final List<ScriptedNode.Scan> calls = new ArrayList<>();

  private VectorSchemaRoot numbers;

  @BeforeEach
  void fillABatch() {
    numbers = VectorSchemaRoot.create(NUMBERS, serverAllocator);
    ((BigIntVector) numbers.getVector(0)).setSafe(0, 7);
    numbers.setRowCount(1);
  }

  @AfterEach
  void nothingLeaks() {
    channels.close();
    numbers.close();
    serverAllocator.close();
    allocator.close();
  }

  /** One script for each call; the last one for all others, too. */
  private ScriptedNode node(ScriptedNode.Script... scripts) {
    return ScriptedNode.onLoopback(
        scan -> {
          int number;
          synchronized (calls) {
            number = calls.size();
            calls.add(scan);
          }
          scripts[Math.min(number, scripts.length - 1)].run(scan);
        });
  }

  private ScanStream scan(ScriptedNode node, ReconnectPolicy policy) {
    ScanOptions options = new ScanOptions(1 << 10, 4 << 10, 1 << 20, 60_000, policy);
    return channels.node(node.address()).scan(OPEN, options, allocator);
  }

  private List<Long> asked() {
    synchronized (calls) {
      return calls.stream().map(call -> call.open().getResumeAfter()).toList();
    }
  }

  private void send(ScriptedNode.Scan scan, int batches) throws Exception {
    scan.opened(NUMBERS, KEPT);
    scan.skip(numbers, scan.open().getResumeAfter());
    for (int i = 0; i < batches; i++) {
      scan.batch(numbers);
    }
  }

  private static void finish(ScriptedNode.Scan scan) throws Exception {
    scan.end(scan.totals());
    scan.awaitHalfClosed();
    scan.complete();
  }

  private static void assertHasBatches(int batches, ScanStream stream) {
    for (int i = 0; i < batches; i++) {
      assertTrue(stream.next());
      assertEquals(7L, stream.batch().getVector("n").getObject(0));
    }
    assertFalse(stream.next());
    assertEquals(batches, stream.totals().getBatches());
  }

  @Test
  void goesOnBehindTheLastBatchThatArrived() throws Exception {
    try (ScriptedNode node =
            node(
                scan -> {
                  send(scan, 3);
                  scan.breakOff();
                },
                scan -> {
                  send(scan, 7);
                  finish(scan);
                });
        ScanStream stream = scan(node, AT_ONCE)) {
      assertHasBatches(10, stream);
      assertEquals(1, stream.received().reconnects());
      assertEquals(10, stream.received().batches());
    }
    assertEquals(List.of(0L, 3L), asked());
    assertTrue(calls.get(0).open().hasResumeAfter());
    assertEquals(calls.get(0).open(), calls.get(1).open().toBuilder().setResumeAfter(0).build());
    // As many as were left of the first four, and of those that the consumer gave meanwhile.
    Next first = calls.get(1).nexts().get(0);
    assertEquals(4 + first.getAcknowledged() - 3, first.getCredits());
  }

  @Test
  void triesAreBounded() throws Exception {
    try (ScriptedNode node =
            node(
                scan -> {
                  scan.opened(NUMBERS, KEPT);
                  scan.breakOff();
                });
        ScanStream stream = scan(node, AT_ONCE)) {
      TallyException e = assertThrows(TallyException.class, stream::next);
      assertEquals(ErrorCode.NODE_UNREACHABLE, e.code());
      assertTrue(e.retryable());
      assertTrue(e.getMessage().contains("after 3 tries"), e::getMessage);
      assertTrue(e.getMessage().contains("\"flights\""), e::getMessage);
      assertEquals(3, stream.received().reconnects());
    }
    assertEquals(List.of(0L, 0L, 0L, 0L), asked());
  }

  @Test
  void anyBatchMakesTheTriesNew() throws Exception {
    ReconnectPolicy once = new ReconnectPolicy(1, 1, 1);
    try (ScriptedNode node =
            node(
                scan -> {
                  if (scan.open().getResumeAfter() == 9) {
                    send(scan, 0);
                    finish(scan);
                  } else {
                    send(scan, 1);
                    scan.breakOff();
                  }
                });
        ScanStream stream = scan(node, once)) {
      assertHasBatches(9, stream);
    }
    assertEquals(List.of(0L, 1L, 2L, 3L, 4L, 5L, 6L, 7L, 8L, 9L), asked());
  }

  /** As an aggregation that takes longer than connections live. */
  @Test
  void aSignOfLifeMakesTheTriesNew() throws Exception {
    ReconnectPolicy once = new ReconnectPolicy(1, 1, 1);
    try (ScriptedNode node =
            node(
                scan -> {
                  if (asked().size() == 9) {
                    send(scan, 1);
                    finish(scan);
                  } else {
                    send(scan, 0);
                    scan.progress();
                    scan.breakOff();
                  }
                });
        ScanStream stream = scan(node, once)) {
      assertHasBatches(1, stream);
      assertEquals(8, stream.received().reconnects());
    }
  }

  @Test
  void aScanThatAnotherNodeCouldAnswerIsGivenUpSoon() throws Exception {
    try (ScriptedNode node =
            node(
                scan -> {
                  scan.opened(NUMBERS, KEPT);
                  scan.breakOff();
                });
        ScanStream stream = scan(node, AT_ONCE.withReplica())) {
      TallyException e = assertThrows(TallyException.class, stream::next);
      assertEquals(ErrorCode.NODE_UNREACHABLE, e.code());
      assertTrue(e.getMessage().contains("after 1 try "), e::getMessage);
    }
    assertEquals(List.of(0L, 0L), asked());
  }

  @Test
  void aScanThatAnotherNodeCouldAnswerDoesNotWaitForThisOneToBegin() throws Exception {
    try (ScriptedNode node =
            node(scan -> scan.fail(new TallyException(ErrorCode.SHUTTING_DOWN, "Stopping.")));
        ScanStream stream = scan(node, AT_ONCE.withReplica())) {
      TallyException e = assertThrows(TallyException.class, stream::next);
      assertEquals(ErrorCode.SHUTTING_DOWN, e.code());
      assertEquals(0, stream.received().reconnects());
    }
    assertEquals(1, calls.size());
  }

  @Test
  void aScanOfWhichSomethingWasHandedOutHasAllTries() throws Exception {
    CountDownLatch handedOut = new CountDownLatch(1);
    ScriptedNode.Script breaks =
        scan -> {
          scan.opened(NUMBERS, KEPT);
          scan.breakOff();
        };
    try (ScriptedNode node =
            node(
                scan -> {
                  send(scan, 1);
                  assertTrue(handedOut.await(ScriptedNode.TIMEOUT_MILLIS, TimeUnit.MILLISECONDS));
                  scan.breakOff();
                },
                breaks,
                breaks,
                scan -> {
                  send(scan, 0);
                  finish(scan);
                });
        ScanStream stream = scan(node, AT_ONCE.withReplica())) {
      assertTrue(stream.next());
      handedOut.countDown();
      assertFalse(stream.next());
      assertEquals(3, stream.received().reconnects());
    }
    assertEquals(List.of(0L, 1L, 1L, 1L), asked());
  }

  @Test
  void aNodeThatDoesNotKeepScansIsNotAskedAgain() throws Exception {
    try (ScriptedNode node =
            node(
                scan -> {
                  scan.opened(NUMBERS);
                  scan.batch(numbers);
                  scan.breakOff();
                });
        ScanStream stream = scan(node, AT_ONCE)) {
      node.awaitScript();
      TallyException e =
          assertThrows(
              TallyException.class,
              () -> {
                while (stream.next()) {
                  assertEquals(1, stream.batch().getRowCount());
                }
              });
      assertEquals(ErrorCode.NODE_UNREACHABLE, e.code());
    }
    assertEquals(1, calls.size());
  }

  @Test
  void whoDoesNotWantToComeBackDoesNotSaySo() throws Exception {
    try (ScriptedNode node =
            node(
                scan -> {
                  scan.opened(NUMBERS);
                  scan.breakOff();
                });
        ScanStream stream = scan(node, new ReconnectPolicy(0, 1, 1))) {
      TallyException e = assertThrows(TallyException.class, stream::next);
      assertEquals(ErrorCode.NODE_UNREACHABLE, e.code());
      assertFalse(e.getMessage().contains("tries"), e::getMessage);
    }
    assertEquals(1, calls.size());
    assertFalse(calls.get(0).open().hasResumeAfter());
  }

  @Test
  void startsAnewIfTheNodeHasLostAScanOfWhichNothingWasHandedOut() throws Exception {
    CountDownLatch third = new CountDownLatch(1);
    try (ScriptedNode node =
            node(
                scan -> {
                  send(scan, 2);
                  scan.breakOff();
                },
                scan -> scan.fail(new TallyException(ErrorCode.SCAN_LOST, "Gone.")),
                scan -> scan.fail(new TallyException(ErrorCode.TOO_MANY_SCANS, "Full.")),
                scan -> {
                  third.countDown();
                  send(scan, 5);
                  finish(scan);
                });
        ScanStream stream = scan(node, AT_ONCE)) {
      assertTrue(third.await(ScriptedNode.TIMEOUT_MILLIS, TimeUnit.MILLISECONDS));
      assertHasBatches(5, stream);
    }
    assertEquals(List.of(0L, 2L, 0L, 0L), asked());
  }

  @Test
  void failsIfTheNodeHasLostAScanOfWhichABatchWasHandedOut() throws Exception {
    CountDownLatch handedOut = new CountDownLatch(1);
    try (ScriptedNode node =
            node(
                scan -> {
                  send(scan, 2);
                  handedOut.await();
                  scan.breakOff();
                },
                scan -> scan.fail(new TallyException(ErrorCode.SCAN_LOST, "Gone.")));
        ScanStream stream = scan(node, AT_ONCE)) {
      assertTrue(stream.next());
      assertTrue(stream.next());
      handedOut.countDown();
      TallyException e = assertThrows(TallyException.class, stream::next);
      assertEquals(ErrorCode.SCAN_LOST, e.code());
      assertTrue(e.retryable());
      assertTrue(e.getMessage().contains("Gone."), e::getMessage);
    }
    assertEquals(List.of(0L, 2L), asked());
  }

  @Test
  void aNodeThatAnswersOtherwiseThanBeforeIsRefused() throws Exception {
    try (ScriptedNode node =
            node(
                scan -> {
                  send(scan, 1);
                  scan.breakOff();
                },
                scan -> {
                  scan.opened(new Schema(List.of()), KEPT);
                  scan.awaitCancelled();
                });
        ScanStream stream = scan(node, AT_ONCE)) {
      TallyException e = assertThrows(TallyException.class, () -> drain(stream));
      assertEquals(ErrorCode.PROTOCOL_VIOLATION, e.code());
      assertTrue(e.getMessage().contains("in another way than before"), e::getMessage);
    }
    calls.clear();
    try (ScriptedNode node =
            node(
                scan -> {
                  send(scan, 1);
                  scan.breakOff();
                },
                scan -> {
                  // One that knows nothing of resuming begins at the beginning.
                  scan.opened(NUMBERS);
                  scan.batch(numbers);
                  scan.awaitCancelled();
                });
        ScanStream stream = scan(node, AT_ONCE)) {
      TallyException e = assertThrows(TallyException.class, () -> drain(stream));
      assertEquals(ErrorCode.SCAN_LOST, e.code(), e::getMessage);
    }
  }

  @Test
  void closesWhileItWaitsForTheNextTry() throws Exception {
    try (ScriptedNode node =
        node(
            scan -> {
              send(scan, 2);
              scan.breakOff();
            })) {
      ScanStream stream = scan(node, new ReconnectPolicy(1, HOUR_MILLIS, HOUR_MILLIS));
      assertTrue(stream.next());
      node.awaitScript();
      stream.close();
      assertEquals(0, allocator.getAllocatedMemory());
      TallyException e = assertThrows(TallyException.class, stream::next);
      assertEquals(ErrorCode.CANCELLED, e.code());
    }
    assertEquals(1, calls.size());
  }

  @Test
  void waitsLongerEachTimeUpToALimitAndNeverEquallyLong() {
    ReconnectPolicy policy = new ReconnectPolicy(100, 200, 1_000);
    assertEquals(
        List.of(100L, 200L, 400L, 500L, 500L),
        List.of(0, 1, 2, 3, 99).stream().map(failed -> policy.waitMillis(failed, 0)).toList());
    assertEquals(
        List.of(150L, 300L, 600L, 750L, 750L),
        List.of(0, 1, 2, 3, 99).stream().map(failed -> policy.waitMillis(failed, 0.5)).toList());
  }

  private static void drain(ScanStream stream) {
    while (stream.next()) {
      assertEquals(1, stream.batch().getRowCount());
    }
  }
}
