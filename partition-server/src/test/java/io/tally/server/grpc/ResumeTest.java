package io.tally.server.grpc;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.grpc.ManagedChannel;
import io.grpc.netty.NettyChannelBuilder;
import io.tally.rpc.BodyCodec;
import io.tally.rpc.Features;
import io.tally.rpc.TallyException;
import io.tally.rpc.client.NodeAddress;
import io.tally.rpc.client.NodeChannels;
import io.tally.rpc.client.ReconnectPolicy;
import io.tally.rpc.client.ScanOptions;
import io.tally.rpc.client.ScanStream;
import io.tally.rpc.v1.ErrorCode;
import io.tally.rpc.v1.Next;
import io.tally.rpc.v1.Open;
import io.tally.rpc.v1.ScanResponse;
import io.tally.server.fixture.Await;
import io.tally.server.fixture.LinkBreak;
import io.tally.server.fixture.LinkProxy;
import io.tally.server.fixture.Wire;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import java.util.stream.LongStream;
import org.apache.arrow.vector.BigIntVector;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Connections break where they may, and scans go on as if they had not. */
@Timeout(120)
class ResumeTest {
  /** More than the totals, what HTTP/2 adds and what a batch more costs, less than a batch. */
  private static final int LAST_BYTES = 2_000;

  private static final int ROWS = 6_000;
  private static final int BATCH_BYTES = 4 << 10;
  private static final long LONG_MILLIS = 3_600_000;

  /** Four batches are on the way at most; a broken connection is made again at once. */
  private static final ScanOptions OPTIONS = options(100);

  private static ScanOptions options(int tries) {
    return new ScanOptions(
        BATCH_BYTES, 4 * BATCH_BYTES, 1 << 20, 60_000, new ReconnectPolicy(tries, 1, 20));
  }

  @Test
  void theAnswerIsWholeWhereverTheConnectionBreaks() {
    List<Long> all = LongStream.range(0, ROWS).boxed().toList();
    try (TestNode node = node(5_000);
        LinkProxy proxy = new LinkProxy(node.server.port())) {
      assertEquals(all, read(node, proxy, 0, BodyCodec.NONE));
      List<Long> frameEnds = proxy.frameEnds();
      long bytes = frameEnds.get(frameEnds.size() - 1);
      assertTrue(bytes > ROWS * Long.BYTES, frameEnds::toString);

      // The last bytes are left out: without them, the answer is there already. How many they are,
      // and how many frames, varies: gRPC puts one batch or several into a frame of HTTP/2.
      List<Long> cuts =
          new ArrayList<>(frameEnds.stream().filter(it -> it <= bytes - LAST_BYTES).toList());
      long lastCut = cuts.get(cuts.size() - 1);
      new Random(20_260_101).longs(40, 0, lastCut).forEach(cuts::add);
      for (long cut : cuts) {
        proxy.breakNext(LinkBreak.cutFromNode(cut));
        assertEquals(
            all, read(node, proxy, 1, BodyCodec.NONE), () -> "cut after " + cut + " of " + bytes);
      }

      // What was kept goes out as it did the first time.
      for (BodyCodec codec : BodyCodec.compressing()) {
        for (int i = 0; i < 3; i++) {
          proxy.breakNext(LinkBreak.cutFromNode(bytes / 40));
        }
        assertEquals(all, read(node, proxy, 2, codec));
      }

      // Again and again, each time a little later.
      for (int i = 1; i <= 20; i++) {
        proxy.breakNext(LinkBreak.cutFromNode(i * bytes / 21));
      }
      assertEquals(all, read(node, proxy, 2, BodyCodec.NONE));
      node.awaitIdle();
    }
  }

  /** Reads all through the proxy, on a connection of its own. */
  private static List<Long> read(
      TestNode node, LinkProxy proxy, int leastReconnects, BodyCodec codec) {
    int connections = proxy.connections();
    List<Long> values = new ArrayList<>();
    try (NodeChannels channels = new NodeChannels(0);
        ScanStream stream = scan(channels, proxy, node, OPTIONS, codec)) {
      while (stream.next()) {
        BigIntVector vector = (BigIntVector) stream.batch().getVector("n");
        for (int i = 0; i < vector.getValueCount(); i++) {
          values.add(vector.get(i));
        }
      }
      assertEquals(ROWS, stream.totals().getRows());
      assertEquals(stream.totals().getBatches(), stream.received().batches());
      // Where a connection breaks before it has carried the call, gRPC itself makes another.
      assertTrue(proxy.connections() - connections > leastReconnects);
    }
    values.sort(null);
    return values;
  }

  @Test
  void anOpenWhoseAnswerWasLostStartsNothingTwice() throws Exception {
    // There is no place for a second scan, nor for one that waits.
    try (TestNode node = node(LONG_MILLIS);
        LinkProxy proxy = new LinkProxy(node.server.port())) {
      ManagedChannel channel = channel(proxy);
      HandDrivenCall unheard = HandDrivenCall.start(channel, node.allocator);
      unheard.send(open(node)).grant(2);
      Await.until("batches were sent", () -> node.server.stats().sentBatches() == 2);
      proxy.cutNow();
      assertEquals(ErrorCode.NODE_UNREACHABLE, unheard.failure().code());

      HandDrivenCall again = node.call().send(open(node)).grant(3);
      assertTrue(again.next().hasOpened());
      for (int i = 0; i < 3; i++) {
        assertEquals(i, again.next().getBatch().getSequence());
      }
      assertEquals(1, node.server.stats().openScans());
      again.cancel();
      node.awaitIdle();
      channel.shutdownNow().awaitTermination(30, TimeUnit.SECONDS);
    }
  }

  @Test
  void theNewerCallTakesTheScanOver() {
    try (TestNode node = node(LONG_MILLIS)) {
      HandDrivenCall older = node.call().send(open(node)).grant(2);
      ScanResponse opened = older.next();
      assertTrue(opened.getOpened().getApplied().getResume());
      assertEquals(0, older.next().getBatch().getSequence());

      HandDrivenCall newer = node.call().send(open(node).setResumeAfter(1));
      assertEquals(opened, newer.next());
      TallyException error = older.failure();
      assertEquals(ErrorCode.CANCELLED, error.code());
      assertTrue(error.getMessage().contains("taken the scan over"), error::getMessage);

      // Credits start anew.
      newer.grant(1);
      assertEquals(1, newer.next().getBatch().getSequence());
      newer.send(Next.newBuilder().setCredits(1).setAcknowledged(2));
      assertEquals(2, newer.next().getBatch().getSequence());
      assertEquals(1, node.server.stats().openScans());
      newer.cancel();
      node.awaitIdle();
    }
  }

  @Test
  void theEndIsRepeatedUntilTheClientSaysThatItHasArrived() throws Exception {
    try (TestNode node = node(LONG_MILLIS);
        LinkProxy proxy = new LinkProxy(node.server.port())) {
      ManagedChannel channel = channel(proxy);
      HandDrivenCall call = HandDrivenCall.start(channel, node.allocator).send(open(node));
      ScanResponse end = readToEnd(call.grant(1_000));
      long batches = end.getEnd().getBatches();
      // All was produced and sent: the scan has left its place to others.
      Await.until("no scan runs", () -> node.server.stats().runningScans() == 0);
      assertEquals(1, node.server.stats().openScans());

      proxy.cutNow();
      assertEquals(ErrorCode.NODE_UNREACHABLE, call.failure().code());
      HandDrivenCall again = node.call().send(open(node).setResumeAfter(batches - 2)).grant(2);
      assertTrue(again.next().hasOpened());
      assertEquals(batches - 2, again.next().getBatch().getSequence());
      assertEquals(batches - 1, again.next().getBatch().getSequence());
      assertEquals(end, again.next());
      again.halfClose().awaitOk();

      node.awaitIdle();
      channel.shutdownNow().awaitTermination(30, TimeUnit.SECONDS);
    }
  }

  @Test
  void aCancelFreesAtOnceAndAConnectionThatBreaksDoesNot() throws Exception {
    try (TestNode node = node(LONG_MILLIS);
        LinkProxy proxy = new LinkProxy(node.server.port())) {
      HandDrivenCall cancelled = node.call().send(open(node)).grant(1);
      assertTrue(cancelled.next().hasOpened());
      cancelled.cancel();
      node.awaitIdle();

      ManagedChannel channel = channel(proxy);
      HandDrivenCall broken = HandDrivenCall.start(channel, node.allocator);
      broken.send(open(node)).grant(1);
      assertTrue(broken.next().hasOpened());
      proxy.cutNow();
      assertEquals(ErrorCode.NODE_UNREACHABLE, broken.failure().code());
      assertEquals(1, node.server.stats().openScans());
      assertEquals(1, node.server.stats().runningScans());
      HandDrivenCall back = node.call().send(open(node));
      assertTrue(back.next().hasOpened());
      back.cancel();
      node.awaitIdle();
      channel.shutdownNow().awaitTermination(30, TimeUnit.SECONDS);
    }
  }

  @Test
  void whoComesBackTooLateIsToldSo() throws Exception {
    try (TestNode node = node(50);
        LinkProxy proxy = new LinkProxy(node.server.port())) {
      ManagedChannel channel = channel(proxy);
      HandDrivenCall call = HandDrivenCall.start(channel, node.allocator);
      call.send(open(node)).grant(2);
      assertTrue(call.next().hasOpened());
      assertTrue(call.next().hasBatch());
      proxy.cutNow();
      node.awaitIdle();

      TallyException error = node.call().send(open(node).setResumeAfter(1)).failure();
      assertEquals(ErrorCode.SCAN_LOST, error.code());
      assertTrue(error.retryable());
      assertTrue(error.getMessage().contains("node-a"), error::getMessage);
      // Who has nothing yet gets all.
      HandDrivenCall anew = node.call().send(open(node)).grant(1_000);
      assertEquals(ROWS, readToEnd(anew).getEnd().getRows());
      anew.halfClose().awaitOk();
      channel.shutdownNow().awaitTermination(30, TimeUnit.SECONDS);
    }
  }

  @Test
  void aClientWithoutResumeIsNotWaitedFor() throws Exception {
    try (TestNode node = node(LONG_MILLIS);
        LinkProxy proxy = new LinkProxy(node.server.port())) {
      ManagedChannel channel = channel(proxy);
      HandDrivenCall call = HandDrivenCall.start(channel, node.allocator);
      call.send(open(node).clearResumeAfter()).grant(2);
      assertFalse(call.next().getOpened().getApplied().getResume());
      proxy.cutNow();
      node.awaitIdle();
      channel.shutdownNow().awaitTermination(30, TimeUnit.SECONDS);
    }
  }

  @Test
  void keepsNoMoreThanItsWindow() {
    try (TestNode node = node(LONG_MILLIS)) {
      node.catalog.serve("t", "(SELECT range AS n FROM range(100000000))");
      int batchBytes = 256 << 10;
      HandDrivenCall call =
          node.call().send(open(node).setMaxBatchBytes(batchBytes)).grant(1_000_000);
      assertTrue(call.next().hasOpened());
      long most = 0;
      for (int i = 0; i < 100; i++) {
        assertEquals(i, call.next().getBatch().getSequence());
        most = Math.max(most, node.server.stats().allocatedBytes());
      }
      assertTrue(most >= TestNode.WINDOW_BYTES / 2, most + " bytes were kept");
      assertTrue(most <= TestNode.WINDOW_BYTES + 16 * batchBytes, most + " bytes were kept");

      // What was given up cannot be had again, and to ask for it does no harm.
      TallyException error =
          node.call().send(open(node).setMaxBatchBytes(batchBytes).setResumeAfter(1)).failure();
      assertEquals(ErrorCode.SCAN_LOST, error.code());
      assertEquals(100, call.next().getBatch().getSequence());
      call.cancel();
      node.awaitIdle();
    }
  }

  @Test
  void keepsNothingWhereTheNodeHasNoMemoryForIt() {
    try (TestNode node = serving(new TestNode(1, 0, 30_000, LONG_MILLIS, 0))) {
      HandDrivenCall call = node.call().send(open(node)).grant(3);
      assertTrue(call.next().hasOpened());
      for (int i = 0; i < 3; i++) {
        assertEquals(i, call.next().getBatch().getSequence());
      }
      assertEquals(
          ErrorCode.SCAN_LOST, node.call().send(open(node).setResumeAfter(1)).failure().code());
      HandDrivenCall back = node.call().send(open(node).setResumeAfter(3)).grant(1);
      assertTrue(back.next().hasOpened());
      assertEquals(3, back.next().getBatch().getSequence());
      back.cancel();
      node.awaitIdle();
    }
  }

  @Test
  void whatContradictsTheScanIsRefusedAndDoesNotHarmIt() {
    try (TestNode node = node(LONG_MILLIS)) {
      HandDrivenCall call = node.call().send(open(node)).grant(1);
      assertTrue(call.next().hasOpened());
      assertTrue(call.next().hasBatch());
      TallyException other = node.call().send(open(node).clearColumns()).failure();
      assertEquals(ErrorCode.INVALID_REQUEST, other.code());
      assertTrue(other.getMessage().contains("something else"), other::getMessage);
      TallyException ahead = node.call().send(open(node).setResumeAfter(2)).failure();
      assertEquals(ErrorCode.INVALID_REQUEST, ahead.code());
      assertTrue(ahead.getMessage().contains("1 batches were sent"), ahead::getMessage);
      TallyException negative = node.call().send(open(node).setResumeAfter(-1)).failure();
      assertEquals(ErrorCode.INVALID_REQUEST, negative.code());
      call.grant(1);
      assertEquals(1, call.next().getBatch().getSequence());
      call.cancel();
      node.awaitIdle();
    }
  }

  @Test
  void aNodeThatDoesNotWaitSaysSo() {
    try (TestNode node = serving(new TestNode(1, 0, 30_000, 0, 0))) {
      assertFalse(node.client().describeNode(30_000).getFeaturesList().contains(Features.RESUME));
      HandDrivenCall call = node.call().send(open(node)).grant(1_000);
      assertFalse(call.next().getOpened().getApplied().getResume());
      call.cancel();
      node.awaitIdle();
    }
    try (TestNode node = node(1)) {
      assertTrue(node.client().describeNode(30_000).getFeaturesList().contains(Features.RESUME));
    }
  }

  @Test
  void aNodeStopsThoughClientsMayComeBack() {
    try (TestNode node = node(LONG_MILLIS);
        LinkProxy proxy = new LinkProxy(node.server.port());
        NodeChannels channels = new NodeChannels(0)) {
      HandDrivenCall unconfirmed = node.call().send(open(node)).grant(1_000);
      assertTrue(readToEnd(unconfirmed).hasEnd());
      try (ScanStream stream = scan(channels, proxy, node, options(0))) {
        assertTrue(stream.next());
        node.server.stop(0);
        assertEquals(0, node.server.stats().openScans());
        TallyException error = assertThrows(TallyException.class, () -> drain(stream));
        assertTrue(error.retryable(), error::getMessage);
      }
      unconfirmed.awaitOk();
    }
  }

  @Test
  void aScanStartsAnewOnANodeThatWasRestartedUnlessABatchWasHandedOut() {
    try (TestNode node = node(LONG_MILLIS);
        TestNode restarted = node(LONG_MILLIS);
        LinkProxy proxy = new LinkProxy(node.server.port());
        NodeChannels channels = new NodeChannels(0)) {
      try (ScanStream stream = scan(channels, proxy, node, OPTIONS)) {
        // The window is full of batches that nobody has seen.
        Await.until("batches are sent", () -> node.server.stats().sentBatches() == 4);
        node.server.stop(0);
        proxy.lead(restarted.server.port());
        proxy.cutNow();
        // It does so once the client has dropped what it held of the first node.
        Await.until("the other node answers", () -> restarted.server.stats().sentBatches() > 0);
        assertTrue(stream.next());
        drain(stream);
        assertEquals(ROWS, stream.totals().getRows());
      }
      try (ScanStream stream = scan(channels, proxy, node, OPTIONS);
          TestNode again = node(LONG_MILLIS)) {
        assertTrue(stream.next());
        proxy.lead(again.server.port());
        proxy.cutNow();
        TallyException error = assertThrows(TallyException.class, () -> drain(stream));
        assertEquals(ErrorCode.SCAN_LOST, error.code(), error::getMessage);
        assertTrue(error.retryable());
        restarted.server.stop(0);
      }
    }
  }

  @Test
  void aNodeThatComesUpLateAnswers() {
    try (TestNode node = node(LONG_MILLIS);
        LinkProxy proxy = new LinkProxy(0);
        NodeChannels channels = new NodeChannels(0);
        ScanStream stream = scan(channels, proxy, node, options(1_000_000))) {
      Await.until("it is tried again", () -> stream.received().reconnects() > 2);
      proxy.lead(node.server.port());
      drain(stream);
      assertEquals(ROWS, stream.totals().getRows());
    }
  }

  private static void drain(ScanStream stream) {
    while (stream.next()) {
      assertTrue(stream.batch().getRowCount() > 0);
    }
  }

  private static ScanResponse readToEnd(HandDrivenCall call) {
    ScanResponse message = call.next();
    while (!message.hasEnd()) {
      message = call.next();
    }
    return message;
  }

  private static ScanStream scan(
      NodeChannels channels, LinkProxy proxy, TestNode node, ScanOptions options) {
    return scan(channels, proxy, node, options, BodyCodec.NONE);
  }

  private static ScanStream scan(
      NodeChannels channels, LinkProxy proxy, TestNode node, ScanOptions options, BodyCodec codec) {
    Open open = open(node).clearScanId().setBodyCodec(codec.wireName()).build();
    return channels
        .node(new NodeAddress("127.0.0.1", proxy.port()))
        .scan(open, options, node.allocator);
  }

  private static ManagedChannel channel(LinkProxy proxy) {
    return NettyChannelBuilder.forAddress("127.0.0.1", proxy.port()).usePlaintext().build();
  }

  /** With one place for a scan. */
  private static TestNode node(long graceMillis) {
    return serving(new TestNode(1, 0, 30_000, graceMillis, 64 << 20));
  }

  private static TestNode serving(TestNode node) {
    node.catalog.serve("t", "(SELECT range AS n FROM range(" + ROWS + "))");
    return node;
  }

  private static Open.Builder open(TestNode node) {
    return Wire.open(node.catalog, "t")
        .setMaxBatchBytes(BATCH_BYTES)
        .addColumns("n")
        .setResumeAfter(0);
  }
}
