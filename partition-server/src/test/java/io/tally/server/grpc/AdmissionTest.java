package io.tally.server.grpc;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.grpc.health.v1.HealthCheckRequest;
import io.grpc.health.v1.HealthCheckResponse.ServingStatus;
import io.grpc.health.v1.HealthGrpc;
import io.tally.rpc.TallyException;
import io.tally.rpc.v1.ErrorCode;
import io.tally.rpc.v1.Open;
import io.tally.rpc.v1.ScanResponse;
import io.tally.server.fixture.Await;
import io.tally.server.fixture.Wire;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** So many scans run, so many wait for so long, and the rest is told to come again. */
@Timeout(120)
class AdmissionTest {

  @Test
  void refusesWhatDoesNotFitTheQueue() {
    try (TestNode node = node(1, 1, 60_000)) {
      HandDrivenCall running = running(node);
      HandDrivenCall waiting = waiting(node);

      TallyException error = node.call().send(open(node)).failure();

      assertEquals(ErrorCode.TOO_MANY_SCANS, error.code());
      assertTrue(error.retryable());
      assertTrue(error.getMessage().contains("node-a"), error::getMessage);
      finish(running);
      assertTrue(waiting.next().hasOpened());
      finish(waiting);
    }
  }

  @Test
  void refusesWhatWaitsTooLong() {
    try (TestNode node = node(1, 1, 50)) {
      HandDrivenCall running = running(node);

      TallyException error = node.call().send(open(node)).failure();

      assertEquals(ErrorCode.TOO_MANY_SCANS, error.code());
      assertTrue(error.retryable());
      finish(running);
    }
  }

  @Test
  void letsACancelledScanLeaveTheQueue() {
    try (TestNode node = node(1, 1, 60_000)) {
      HandDrivenCall running = running(node);
      HandDrivenCall waiting = waiting(node);

      waiting.cancel();

      Await.until("the queue is empty", () -> node.server.stats().queuedScans() == 0);
      HandDrivenCall next = waiting(node);
      finish(running);
      assertTrue(next.next().hasOpened());
      finish(next);
    }
  }

  @Test
  void keepsTheOrder() {
    try (TestNode node = node(1, 8, 60_000)) {
      HandDrivenCall running = running(node);
      HandDrivenCall[] waiting = new HandDrivenCall[4];
      for (int i = 0; i < waiting.length; i++) {
        int queued = i + 1;
        waiting[i] = node.call().send(open(node));
        Await.until("it waits", () -> node.server.stats().queuedScans() == queued);
      }
      finish(running);
      for (int i = 0; i < waiting.length; i++) {
        assertTrue(waiting[i].next().hasOpened());
        assertEquals(waiting.length - 1 - i, node.server.stats().queuedScans());
        finish(waiting[i]);
      }
    }
  }

  @Test
  void doesNotLimitDescriptions() {
    try (TestNode node = node(1, 0, 60_000)) {
      HandDrivenCall running = running(node);

      assertEquals("node-a", node.client().describeNode(30_000).getNodeId());
      assertEquals("t", node.client().describeTable("t", 30_000).getTable());

      finish(running);
    }
  }

  @Test
  void stopsWithGrace() throws Exception {
    try (TestNode node = node(1, 1, 60_000)) {
      HandDrivenCall running = running(node);
      HandDrivenCall waiting = waiting(node);

      CompletableFuture<Void> stopped = CompletableFuture.runAsync(() -> node.server.stop(60_000));

      assertEquals(ErrorCode.SHUTTING_DOWN, waiting.failure().code());
      TallyException refused = node.call().send(open(node)).failure();
      assertEquals(ErrorCode.SHUTTING_DOWN, refused.code());
      assertTrue(refused.retryable());
      assertEquals(
          ServingStatus.NOT_SERVING,
          HealthGrpc.newBlockingStub(node.channel)
              .withDeadlineAfter(30, TimeUnit.SECONDS)
              .check(HealthCheckRequest.getDefaultInstance())
              .getStatus());
      finish(running);
      node.channel.shutdown();
      stopped.get(60, TimeUnit.SECONDS);
      node.server.awaitTermination();
    }
  }

  @Test
  void cancelsWhatDoesNotEndInTime() throws Exception {
    try (TestNode node = node(1, 1, 60_000)) {
      HandDrivenCall running = running(node);

      node.server.stop(0);

      assertEquals(ErrorCode.SHUTTING_DOWN, running.failure().code());
      node.server.awaitTermination();
    }
  }

  private static TestNode node(int concurrent, int queued, long queueTimeoutMillis) {
    TestNode node = new TestNode(concurrent, queued, queueTimeoutMillis);
    node.catalog.serve("t", "(SELECT range AS n FROM range(1000))");
    return node;
  }

  /** A scan that holds its place, because it has no credits. */
  private static HandDrivenCall running(TestNode node) {
    HandDrivenCall call = node.call().send(open(node));
    assertTrue(call.next().hasOpened());
    return call;
  }

  private static HandDrivenCall waiting(TestNode node) {
    HandDrivenCall call = node.call().send(open(node));
    Await.until("the scan waits", () -> node.server.stats().queuedScans() == 1);
    return call;
  }

  private static void finish(HandDrivenCall call) {
    ScanResponse message = call.grant(1000).next();
    while (message.hasBatch()) {
      message = call.next();
    }
    assertTrue(message.hasEnd());
    call.awaitOk();
  }

  private static Open.Builder open(TestNode node) {
    return Wire.open(node.catalog, "t").addColumns("n");
  }
}
