package io.tally.rpc.client;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.google.common.util.concurrent.ListenableFuture;
import io.grpc.CallOptions;
import io.grpc.ClientCall;
import io.grpc.ConnectivityState;
import io.grpc.ManagedChannel;
import io.grpc.Metadata;
import io.grpc.Server;
import io.grpc.Status;
import io.grpc.netty.NettyChannelBuilder;
import io.grpc.netty.NettyServerBuilder;
import io.tally.rpc.TallyException;
import io.tally.rpc.WindowBudget;
import io.tally.rpc.v1.DescribeNodeResponse;
import io.tally.rpc.v1.ErrorCode;
import io.tally.rpc.v1.Open;
import io.tally.rpc.v1.PartitionServiceGrpc;
import io.tally.rpc.v1.ScanPartition;
import io.tally.rpc.v1.ScanRequest;
import io.tally.rpc.v1.ScanResponse;
import java.io.IOException;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.apache.arrow.memory.BufferAllocator;
import org.apache.arrow.memory.RootAllocator;
import org.apache.arrow.vector.types.pojo.Schema;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** What a client is told of things that are not a Tally node in good health. */
class NodeClientTest {
  private static final long TIMEOUT_MILLIS = ScriptedNode.TIMEOUT_MILLIS;
  private static final Open OPEN =
      Open.newBuilder()
          .setTable("flights")
          .addPartitions(ScanPartition.newBuilder().setId("p1"))
          .build();

  private final NodeChannels channels = new NodeChannels(0);
  private final BufferAllocator allocator = new RootAllocator();

  @AfterEach
  void nothingLeaks() {
    channels.close();
    allocator.close();
  }

  @Test
  void aNodeDescribesItself() {
    DescribeNodeResponse description = DescribeNodeResponse.newBuilder().setNodeId("a").build();
    try (ScriptedNode node = ScriptedNode.onLoopback(0, scan -> {}, description, List.of())) {
      NodeClient client = channels.node(node.address());
      assertEquals(node.address(), client.address());
      assertEquals(description, client.describeNode(TIMEOUT_MILLIS));
      TallyException e =
          assertThrows(TallyException.class, () -> client.describeTable("fligths", TIMEOUT_MILLIS));
      assertEquals(ErrorCode.TABLE_NOT_FOUND, e.code());
      assertTrue(e.getMessage().contains("did you mean \"flights\""), e::getMessage);
      assertTrue(e.getMessage().contains(node.address().toString()), e::getMessage);
    }
  }

  @Test
  void aRefusedConnectionIsUnreachableUntilTheNodeIsThere() throws Exception {
    NodeAddress nobody = Loopback.nobody();
    int port = nobody.port();
    NodeClient client = channels.node(nobody);
    for (int i = 0; i < 3; i++) {
      TallyException e =
          assertThrows(TallyException.class, () -> client.describeNode(TIMEOUT_MILLIS));
      assertEquals(ErrorCode.NODE_UNREACHABLE, e.code(), e::getMessage);
      assertTrue(e.retryable());
      assertTrue(e.getMessage().contains(":" + port), e::getMessage);
    }
    try (ScanStream stream = client.scan(OPEN, ScanOptions.defaults(), allocator)) {
      TallyException e = assertThrows(TallyException.class, stream::next);
      assertEquals(ErrorCode.NODE_UNREACHABLE, e.code(), e::getMessage);
    }
    // No back-off stands between a node that has come up and the next call.
    DescribeNodeResponse description = DescribeNodeResponse.newBuilder().setNodeId("a").build();
    try (ScriptedNode node =
        ScriptedNode.onLoopback(
            port,
            scan -> {
              scan.opened(new Schema(List.of()));
              scan.end(scan.totals());
              scan.complete();
            },
            description,
            List.of())) {
      try (ScanStream stream = client.scan(OPEN, ScanOptions.defaults(), allocator)) {
        assertFalse(stream.next());
      }
      assertEquals(description, client.describeNode(TIMEOUT_MILLIS));
      assertEquals(port, node.address().port());
    }
  }

  @Test
  void aCallMadeAtTheMomentAnotherFailsIsAnsweredByANodeThatHasComeUp() throws Exception {
    NodeAddress nobody = Loopback.nobody();
    NodeClient client = channels.node(nobody);
    DescribeNodeResponse description = DescribeNodeResponse.newBuilder().setNodeId("a").build();
    CompletableFuture<ScriptedNode> cameUp = new CompletableFuture<>();
    CompletableFuture<ListenableFuture<DescribeNodeResponse>> again = new CompletableFuture<>();
    ListenableFuture<DescribeNodeResponse> refused = client.startDescribeNode(TIMEOUT_MILLIS);
    // Inside of gRPC's callback: its channel has not told its state yet.
    refused.addListener(
        () -> {
          cameUp.complete(
              ScriptedNode.onLoopback(nobody.port(), scan -> {}, description, List.of()));
          again.complete(client.startDescribeNode(TIMEOUT_MILLIS));
        },
        Runnable::run);
    try (ScriptedNode node = cameUp.get(TIMEOUT_MILLIS, TimeUnit.MILLISECONDS)) {
      assertEquals(nobody, node.address());
      assertThrows(TallyException.class, () -> client.await(refused));
      assertEquals(description, client.await(again.get(TIMEOUT_MILLIS, TimeUnit.MILLISECONDS)));
    }
  }

  /** As after a scan that was closed while it tried to connect again. */
  @Test
  void aConnectionThatFailedWhileNoCallWaitedIsMadeAnew() throws Exception {
    NodeAddress nobody = Loopback.nobody();
    DescribeNodeResponse description = DescribeNodeResponse.newBuilder().setNodeId("a").build();
    List<ManagedChannel> built = new CopyOnWriteArrayList<>();
    NodeChannel channel =
        new NodeChannel(
            () -> {
              ManagedChannel next =
                  NettyChannelBuilder.forAddress(nobody.host(), nobody.port())
                      .usePlaintext()
                      .build();
              built.add(next);
              return next;
            });
    CompletableFuture<Void> failed = new CompletableFuture<>();
    connect(built.get(0), failed);
    failed.get(TIMEOUT_MILLIS, TimeUnit.MILLISECONDS);
    try (ScriptedNode node =
        ScriptedNode.onLoopback(nobody.port(), scan -> {}, description, List.of())) {
      assertEquals(nobody, node.address());
      assertEquals(
          description,
          new NodeClient(nobody, channel, new WindowBudget()).describeNode(TIMEOUT_MILLIS));
    } finally {
      channel.shutdownNow();
    }
  }

  @Test
  void aConnectionThatIsDoubtedStaysIfTheNodeAnswersOnIt() throws Exception {
    CountDownLatch doubted = new CountDownLatch(1);
    try (ScriptedNode node =
        ScriptedNode.onLoopback(
            scan -> {
              assertTrue(doubted.await(TIMEOUT_MILLIS, TimeUnit.MILLISECONDS));
              scan.opened(new Schema(List.of()));
              scan.awaitCancelled();
            })) {
      NodeChannel channel =
          new NodeChannel(
              () ->
                  NettyChannelBuilder.forAddress(node.address().host(), node.address().port())
                      .usePlaintext()
                      .build());
      NodeCall<ScanRequest, ScanResponse> call =
          channel.newCall(PartitionServiceGrpc.getScanMethod(), CallOptions.DEFAULT);
      CompletableFuture<ScanResponse> answer = new CompletableFuture<>();
      call.start(
          new ClientCall.Listener<>() {
            @Override
            public void onMessage(ScanResponse message) {
              answer.complete(message);
            }

            @Override
            public void onClose(Status status, Metadata trailers) {
              answer.completeExceptionally(status.asException());
            }
          },
          new Metadata());
      call.request(1);
      call.sendMessage(ScanRequest.newBuilder().setOpen(OPEN).build());
      call.doubt(TIMEOUT_MILLIS);
      // Asked on the same connection, behind the doubt.
      assertEquals(
          DescribeNodeResponse.getDefaultInstance(),
          new NodeClient(node.address(), channel, new WindowBudget()).describeNode(TIMEOUT_MILLIS));
      doubted.countDown();
      assertTrue(answer.get(TIMEOUT_MILLIS, TimeUnit.MILLISECONDS).hasOpened());
      call.cancel("enough", null);
      channel.shutdownNow();
      node.awaitScript();
    }
  }

  private static void connect(ManagedChannel channel, CompletableFuture<Void> failed) {
    ConnectivityState state = channel.getState(true);
    if (state == ConnectivityState.TRANSIENT_FAILURE) {
      failed.complete(null);
    } else {
      channel.notifyWhenStateChanged(state, () -> connect(channel, failed));
    }
  }

  @Test
  void anotherGrpcServiceIsNotATallyNode() throws IOException {
    Server other =
        NettyServerBuilder.forAddress(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0))
            .build()
            .start();
    try {
      NodeClient client = channels.node(Loopback.address(other.getPort()));
      assertNotATallyNode(client);
    } finally {
      other.shutdownNow();
    }
  }

  @Test
  void aWebServerIsNotATallyNode() throws Exception {
    CompletableFuture<Void> serving;
    try (ServerSocket web = Loopback.deaf()) {
      serving = CompletableFuture.runAsync(() -> serveWebPages(web));
      NodeClient client = channels.node(Loopback.address(web));
      assertNotATallyNode(client);
      TallyException e =
          assertThrows(TallyException.class, () -> client.describeNode(TIMEOUT_MILLIS));
      assertEquals(
          "What answers at node %s is not a Tally node: it does not speak HTTP/2. Check host and port of the endpoint."
              .formatted(client.address()),
          e.getMessage());
      channels.close();
    }
    serving.get(TIMEOUT_MILLIS, TimeUnit.MILLISECONDS);
  }

  private static void serveWebPages(ServerSocket web) {
    byte[] answer =
        "HTTP/1.1 400 Bad Request\r\nContent-Length: 0\r\n\r\n".getBytes(StandardCharsets.US_ASCII);
    while (true) {
      try (Socket socket = web.accept()) {
        socket.getOutputStream().write(answer);
        socket.getOutputStream().flush();
        // Until the client hangs up: unread bytes would reset the connection.
        socket.getInputStream().transferTo(OutputStream.nullOutputStream());
      } catch (IOException e) {
        return;
      }
    }
  }

  @Test
  void aSocketThatNeverAnswersIsSilent() throws IOException {
    // The system accepts connections for it; nobody ever reads them.
    try (ServerSocket deaf = Loopback.deaf()) {
      NodeClient client = channels.node(Loopback.address(deaf));
      TallyException e = assertThrows(TallyException.class, () -> client.describeNode(300));
      assertEquals(ErrorCode.NODE_SILENT, e.code(), e::getMessage);
      ScanOptions impatient = new ScanOptions(1 << 10, 1 << 10, 1 << 10, 300);
      try (ScanStream stream = client.scan(OPEN, impatient, allocator)) {
        e = assertThrows(TallyException.class, stream::schema);
        assertEquals(ErrorCode.NODE_SILENT, e.code(), e::getMessage);
      }
    }
  }

  @Test
  void anInterruptIsHeard() throws IOException {
    try (ServerSocket deaf = Loopback.deaf()) {
      NodeClient client = channels.node(Loopback.address(deaf));
      Thread.currentThread().interrupt();
      TallyException e =
          assertThrows(TallyException.class, () -> client.describeNode(TIMEOUT_MILLIS));
      assertTrue(Thread.interrupted());
      assertEquals(ErrorCode.CANCELLED, e.code());
    }
  }

  private void assertNotATallyNode(NodeClient client) {
    TallyException e =
        assertThrows(TallyException.class, () -> client.describeNode(TIMEOUT_MILLIS));
    assertEquals(ErrorCode.NOT_A_TALLY_NODE, e.code(), e::getMessage);
    try (ScanStream stream = client.scan(OPEN, ScanOptions.defaults(), allocator)) {
      e = assertThrows(TallyException.class, stream::next);
      assertEquals(ErrorCode.NOT_A_TALLY_NODE, e.code(), e::getMessage);
    }
  }
}
