package io.tally.server.grpc;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.grpc.ManagedChannel;
import io.grpc.netty.NettyChannelBuilder;
import io.tally.rpc.TallyException;
import io.tally.rpc.WindowBudget;
import io.tally.rpc.client.NodeAddress;
import io.tally.rpc.client.NodeChannels;
import io.tally.rpc.client.NodeClient;
import io.tally.rpc.client.ReconnectPolicy;
import io.tally.rpc.client.ScanOptions;
import io.tally.rpc.client.ScanStream;
import io.tally.rpc.v1.ErrorCode;
import io.tally.rpc.v1.Open;
import io.tally.server.fixture.Await;
import io.tally.server.fixture.LinkBreak;
import io.tally.server.fixture.LinkProxy;
import io.tally.server.fixture.Wire;
import org.apache.arrow.vector.BigIntVector;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.MethodOrderer;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestMethodOrder;
import org.junit.jupiter.api.Timeout;

/**
 * Connections are idle, grow old, or lead nowhere without a word, and scans do not suffer.
 *
 * <p>gRPC does not ping more often than every ten seconds. So the client that vanishes does so
 * before all tests, and the last one looks what has become of its scan.
 */
@Timeout(120)
@TestMethodOrder(MethodOrderer.OrderAnnotation.class)
class ConnectionsTest {
  private static final int ROWS = 6_000;
  private static final int BATCH_BYTES = 4 << 10;
  private static final long TIMEOUT_MILLIS = 30_000;
  private static final long LONG_MILLIS = 3_600_000;

  /** gRPC takes no less than a second. */
  private static final long SHORTEST_AGE_MILLIS = 1;

  private static TestNode left;
  private static LinkProxy lostLink;
  private static ManagedChannel vanished;

  @BeforeAll
  static void aClientVanishes() {
    left = node(new NodeSettings.Connections(10_000, 10, 0, 0), 50);
    lostLink = new LinkProxy(left.server.port());
    vanished = NettyChannelBuilder.forAddress("127.0.0.1", lostLink.port()).usePlaintext().build();
    HandDrivenCall call = HandDrivenCall.start(vanished, left.allocator);
    call.send(open(left).setResumeAfter(0)).grant(2);
    assertTrue(call.next().hasOpened());
    lostLink.swallow();
  }

  @AfterAll
  static void close() {
    vanished.shutdownNow();
    lostLink.close();
    left.close();
  }

  @Test
  @Order(2)
  @DisplayName("A client that vanished is found out by a ping, and its scan ends with the grace")
  void aVanishedClient() {
    left.awaitIdle();
  }

  @Test
  @Order(1)
  @DisplayName("NET-3: behind an idle time a query succeeds, and nobody was pinged")
  void idle() {
    try (TestNode node = node(NodeSettings.Connections.DEFAULTS, LONG_MILLIS);
        LinkProxy proxy = new LinkProxy(node.server.port());
        NodeChannels channels = new NodeChannels(0, new WindowBudget(), 1_000)) {
      NodeClient client = client(channels, proxy);
      assertEquals("node-a", client.describeNode(TIMEOUT_MILLIS).getNodeId());
      try (ScanStream stream = scan(client, node, options(60_000))) {
        assertEquals(ROWS, drain(stream));
      }
      assertEquals(1, proxy.connections());
      Await.until("the idle connection is dropped", () -> proxy.openConnections() == 0);
      assertEquals("node-a", client.describeNode(TIMEOUT_MILLIS).getNodeId());
      try (ScanStream stream = scan(client, node, options(60_000))) {
        assertEquals(ROWS, drain(stream));
        assertEquals(0, stream.received().reconnects());
      }
      assertEquals(2, proxy.connections());
      assertEquals(0, proxy.pingsToNode());
    }
  }

  @Test
  @Order(1)
  void aScanOutlivesTheAgeOfItsConnections() {
    try (TestNode node =
            node(new NodeSettings.Connections(10_000, 10, SHORTEST_AGE_MILLIS, 0), LONG_MILLIS);
        LinkProxy proxy = new LinkProxy(node.server.port());
        NodeChannels channels = new NodeChannels(0);
        ScanStream stream = scan(client(channels, proxy), node, options(60_000))) {
      long rows = 0;
      for (int reconnects = 1; reconnects <= 2; reconnects++) {
        long ended = reconnects;
        assertTrue(stream.next());
        rows += stream.batch().getRowCount();
        Await.until("the connection is ended", () -> stream.received().reconnects() >= ended);
      }
      assertEquals(ROWS, rows + drain(stream));
      assertTrue(proxy.connections() >= 3);
    }
  }

  @Test
  @Order(1)
  void anOldConnectionKeepsItsScansForTheGrace() {
    try (TestNode node =
            node(
                new NodeSettings.Connections(10_000, 10, SHORTEST_AGE_MILLIS, LONG_MILLIS),
                LONG_MILLIS);
        LinkProxy proxy = new LinkProxy(node.server.port());
        NodeChannels channels = new NodeChannels(0)) {
      assertGoesOnWhileNewCallsGoElsewhere(node, proxy, channels);
    }
  }

  @Test
  @Order(1)
  void aProxyMaySendNewCallsElsewhere() {
    try (TestNode node = node(NodeSettings.Connections.DEFAULTS, LONG_MILLIS);
        LinkProxy proxy = new LinkProxy(node.server.port());
        NodeChannels channels = new NodeChannels(0)) {
      proxy.breakNext(LinkBreak.goAwayFromNode(2 * BATCH_BYTES));
      assertGoesOnWhileNewCallsGoElsewhere(node, proxy, channels);
    }
  }

  private static void assertGoesOnWhileNewCallsGoElsewhere(
      TestNode node, LinkProxy proxy, NodeChannels channels) {
    NodeClient client = client(channels, proxy);
    try (ScanStream stream = scan(client, node, options(60_000))) {
      assertTrue(stream.next());
      long rows = stream.batch().getRowCount();
      Await.until(
          "a call goes over another connection",
          () ->
              client.describeNode(TIMEOUT_MILLIS).getNodeId().equals("node-a")
                  && proxy.connections() > 1);
      assertEquals(ROWS, rows + drain(stream));
      assertEquals(0, stream.received().reconnects());
    }
  }

  @Test
  @Order(1)
  void aScanWhoseConnectionLeadsNowhereGoesOnBeforeItsNodeCountsAsSilent() {
    try (TestNode node = node(NodeSettings.Connections.DEFAULTS, LONG_MILLIS);
        LinkProxy proxy = new LinkProxy(node.server.port());
        NodeChannels channels = new NodeChannels(0)) {
      NodeClient client = client(channels, proxy);
      try (ScanStream stream = scan(client, node, options(2_000))) {
        assertTrue(stream.next());
        long rows = stream.batch().getRowCount();
        // What was there is lost without a word; new connections are as good as ever.
        proxy.swallow();
        proxy.restore();
        assertEquals(ROWS, rows + drain(stream));
        assertTrue(stream.received().reconnects() > 0);
      }
    }
  }

  @Test
  @Order(1)
  void connectionsThatLeadNowhereAreGivenUpWithinTheSilence() {
    try (TestNode node = node(NodeSettings.Connections.DEFAULTS, LONG_MILLIS);
        LinkProxy proxy = new LinkProxy(node.server.port());
        NodeChannels channels = new NodeChannels(0)) {
      NodeClient client = client(channels, proxy);
      proxy.swallow();
      try (ScanStream stream = scan(client, node, options(200))) {
        TallyException error = assertThrows(TallyException.class, stream::next);
        assertEquals(ErrorCode.NODE_SILENT, error.code(), error::getMessage);
      }
      TallyException undescribed =
          assertThrows(TallyException.class, () -> client.describeNode(50));
      assertEquals(ErrorCode.NODE_SILENT, undescribed.code(), undescribed::getMessage);
      // The dead connection is there still, and nobody waits for it any more.
      proxy.restore();
      assertEquals("node-a", client.describeNode(TIMEOUT_MILLIS).getNodeId());
      try (ScanStream stream = scan(client, node, options(60_000))) {
        assertEquals(ROWS, drain(stream));
      }
    }
  }

  private static long drain(ScanStream stream) {
    long rows = 0;
    while (stream.next()) {
      rows += ((BigIntVector) stream.batch().getVector("n")).getValueCount();
    }
    assertEquals(ROWS, stream.totals().getRows());
    return rows;
  }

  /** Four batches are on the way at most; a broken connection is made again at once. */
  private static ScanOptions options(long silenceMillis) {
    return new ScanOptions(
        BATCH_BYTES, 4 * BATCH_BYTES, 1 << 20, silenceMillis, new ReconnectPolicy(1_000, 1, 20));
  }

  private static ScanStream scan(NodeClient client, TestNode node, ScanOptions options) {
    return client.scan(open(node).clearScanId().setResumeAfter(0).build(), options, node.allocator);
  }

  private static NodeClient client(NodeChannels channels, LinkProxy proxy) {
    return channels.node(new NodeAddress("127.0.0.1", proxy.port()));
  }

  private static TestNode node(NodeSettings.Connections connections, long resumeGraceMillis) {
    TestNode node =
        new TestNode(
            new NodeSettings(
                "node-a",
                "127.0.0.1",
                0,
                2,
                2,
                30_000,
                TestNode.WINDOW_BYTES,
                resumeGraceMillis,
                64 << 20,
                NodeSettings.DEFAULT_SEND_BYTES,
                connections,
                64,
                200_000));
    node.catalog.serve("t", "(SELECT range AS n FROM range(" + ROWS + "))");
    return node;
  }

  private static Open.Builder open(TestNode node) {
    return Wire.open(node.catalog, "t").setMaxBatchBytes(BATCH_BYTES).addColumns("n");
  }
}
