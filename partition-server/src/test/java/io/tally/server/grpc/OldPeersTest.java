package io.tally.server.grpc;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.google.protobuf.Message;
import io.grpc.CallOptions;
import io.grpc.ClientCall;
import io.grpc.InsecureServerCredentials;
import io.grpc.Metadata;
import io.grpc.MethodDescriptor;
import io.grpc.Server;
import io.grpc.ServerCall;
import io.grpc.ServerCallHandler;
import io.grpc.ServerServiceDefinition;
import io.grpc.Status;
import io.grpc.netty.NettyServerBuilder;
import io.tally.rpc.TallyException;
import io.tally.rpc.arrow.ArrowSchemas;
import io.tally.rpc.client.ClusterView;
import io.tally.rpc.client.NodeAddress;
import io.tally.rpc.client.NodeChannels;
import io.tally.rpc.client.NodeClient;
import io.tally.rpc.client.ScanOptions;
import io.tally.rpc.client.ScanStream;
import io.tally.rpc.v1.DescribeNodeResponse;
import io.tally.rpc.v1.DescribeTableResponse;
import io.tally.rpc.v1.ErrorCode;
import io.tally.rpc.v1.Open;
import io.tally.rpc.v1.PartitionServiceGrpc;
import io.tally.rpc.v1.ScanRequest;
import io.tally.rpc.v1.ScanResponse;
import io.tally.server.fixture.Rows;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.apache.arrow.memory.BufferAllocator;
import org.apache.arrow.memory.RootAllocator;
import org.apache.arrow.vector.types.pojo.Schema;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Today's node before a recorded client of version 1, and today's client before such a node. */
@Timeout(120)
class OldPeersTest {
  private static final Metadata.Key<byte[]> DETAIL =
      Metadata.Key.of("tally-error-bin", Metadata.BINARY_BYTE_MARSHALLER);

  private static final long LIMIT_SECONDS = 30;
  private static final int WINDOW_BYTES = 1 << 20;

  private final RecordedTalk talk;

  OldPeersTest() throws Exception {
    talk = new RecordedTalk();
  }

  /** How a call ended, and what came before. */
  private record Answer(List<byte[]> messages, Status status, Metadata trailers) {}

  @Test
  void todaysNodeAnswersAnOldClient() throws Exception {
    try (TestNode node = new TestNode(2, 2, 1000)) {
      node.catalog.execute(
          "CREATE TABLE p AS SELECT i AS n, CASE WHEN i % 3 = 0 THEN NULL ELSE 'x' || i END AS s,"
              + " (i / 4)::DECIMAL(9,2) AS m FROM range(10) r(i)");
      node.catalog.execute(
          "CREATE TABLE q AS SELECT i AS n, 'y' || i AS s, NULL::DECIMAL(9,2) AS m"
              + " FROM range(10, 15) r(i)");
      node.catalog.serve("t", "p", "q");

      RecordedTalk.Call describeNode = talk.calls("DescribeNode").get(0);
      assertSameNode(describeNode, replay(node, describeNode));
      RecordedTalk.Call describeTable = talk.calls("DescribeTable").get(0);
      assertSameTable(describeTable, replay(node, describeTable));
      for (RecordedTalk.Call scan : talk.calls("Scan")) {
        assertSameScan(scan, replay(node, scan));
      }
    }
  }

  private static Answer replay(TestNode node, RecordedTalk.Call recorded) throws Exception {
    BlockingQueue<Answer> answers = new LinkedBlockingQueue<>();
    List<byte[]> messages = new ArrayList<>();
    ClientCall<byte[], byte[]> call =
        node.channel.newCall(raw(recorded.method()), CallOptions.DEFAULT);
    call.start(
        new ClientCall.Listener<>() {
          @Override
          public void onMessage(byte[] message) {
            messages.add(message);
          }

          @Override
          public void onClose(Status status, Metadata trailers) {
            answers.add(new Answer(messages, status, trailers));
          }
        },
        new Metadata());
    call.request(1000);
    recorded.requests().forEach(call::sendMessage);
    call.halfClose();
    Answer answer = answers.poll(LIMIT_SECONDS, TimeUnit.SECONDS);
    assertTrue(answer != null, "no end of " + recorded.method());
    assertEquals(recorded.status(), answer.status().getCode().name());
    assertEquals(recorded.answers().size(), answer.messages().size());
    return answer;
  }

  /** Its version may be another, and it may have learnt more. */
  private void assertSameNode(RecordedTalk.Call recorded, Answer answer) throws Exception {
    DescribeNodeResponse.Builder then =
        DescribeNodeResponse.parseFrom(recorded.answers().get(0)).toBuilder();
    DescribeNodeResponse.Builder now =
        DescribeNodeResponse.parseFrom(answer.messages().get(0)).toBuilder();
    List<String> forgotten = new ArrayList<>(then.getFeaturesList());
    forgotten.removeAll(now.getFeaturesList());
    assertEquals(List.of(), forgotten);
    assertEquals(
        eyes("DescribeNodeResponse", then.clearFeatures().clearSoftwareVersion()),
        eyes("DescribeNodeResponse", now.clearFeatures().clearSoftwareVersion()));
  }

  private void assertSameTable(RecordedTalk.Call recorded, Answer answer) throws Exception {
    DescribeTableResponse.Builder then =
        DescribeTableResponse.parseFrom(recorded.answers().get(0)).toBuilder();
    DescribeTableResponse.Builder now =
        DescribeTableResponse.parseFrom(answer.messages().get(0)).toBuilder();
    assertEquals(
        ArrowSchemas.decode(then.getArrowSchema()), ArrowSchemas.decode(now.getArrowSchema()));
    assertEquals(
        eyes("DescribeTableResponse", then.clearArrowSchema()),
        eyes("DescribeTableResponse", now.clearArrowSchema()));
  }

  /** Flatbuffers of Arrow's metadata may be laid out in another way, what they say may not. */
  private void assertSameScan(RecordedTalk.Call recorded, Answer answer) throws Exception {
    for (int i = 0; i < recorded.answers().size(); i++) {
      ScanResponse.Builder then = ScanResponse.parseFrom(recorded.answers().get(i)).toBuilder();
      ScanResponse.Builder now = ScanResponse.parseFrom(answer.messages().get(i)).toBuilder();
      if (then.hasOpened()) {
        assertEquals(schema(then), schema(now));
        then.getOpenedBuilder().clearArrowSchema();
        now.getOpenedBuilder().clearArrowSchema();
      }
      if (then.hasBatch()) {
        then.getBatchBuilder().clearHeader();
        now.getBatchBuilder().clearHeader();
      }
      assertEquals(eyes("ScanResponse", then), eyes("ScanResponse", now));
    }
    if (!recorded.detail().isEmpty()) {
      assertEquals(
          talk.asOfVersionOne("ErrorDetail", recorded.detail().toByteArray()),
          talk.asOfVersionOne("ErrorDetail", answer.trailers().get(DETAIL)));
    }
  }

  private static Schema schema(ScanResponse.Builder response) {
    return ArrowSchemas.decode(response.getOpened().getArrowSchema());
  }

  private Message eyes(String type, Message.Builder message) throws Exception {
    return talk.asOfVersionOne(type, message.build().toByteArray());
  }

  @Test
  void todaysClientReadsAnOldNode() throws Exception {
    Server server = startOldNode();
    try (NodeChannels channels = new NodeChannels(WINDOW_BYTES);
        BufferAllocator allocator = new RootAllocator()) {
      NodeAddress address = new NodeAddress("127.0.0.1", server.getPort());
      ClusterView view =
          ClusterView.discover(channels, List.of(address), "t", LIMIT_SECONDS * 1000);
      assertEquals("v1", view.nodes().get(0).layoutVersion());
      assertTrue(view.nodes().get(0).features().contains("agg.sum"));
      assertEquals(
          List.of("p 10", "q 5"),
          view.partitions().stream()
              .map(it -> it.partition().getId() + " " + it.partition().getRows())
              .toList());
      assertEquals("n: Int(64, true), s: Utf8, m: Decimal(9, 2, 128)", fields(view.schema()));
      assertEquals("lost", view.unreadableColumns().get(0).getName());

      NodeClient client = channels.node(address);
      List<RecordedTalk.Call> scans = talk.calls("Scan");
      assertEquals(
          "[[3, null, p], [4, x4, p], [5, x5, p], [6, null, p], [7, x7, p], [8, x8, p]]",
          read(client, scans.get(0), allocator));
      assertEquals("[[13], [12], [11], [10]]", read(client, scans.get(1), allocator));
      assertEquals(
          "[[false, 9, 6.00, x4], [true, 3, 4.50, null]]", read(client, scans.get(2), allocator));
      TallyException refused =
          assertThrows(TallyException.class, () -> read(client, scans.get(3), allocator));
      assertEquals(ErrorCode.LAYOUT_CHANGED, refused.code());
    } finally {
      server.shutdownNow();
      assertTrue(server.awaitTermination(LIMIT_SECONDS, TimeUnit.SECONDS));
    }
  }

  private static String fields(Schema schema) {
    return String.join(
        ", ",
        schema.getFields().stream()
            .map(field -> field.getName() + ": " + field.getType())
            .toList());
  }

  /** With the request that was recorded, as today's client sends it, and a wish of today's. */
  private static String read(
      NodeClient client, RecordedTalk.Call recorded, BufferAllocator allocator) throws Exception {
    ScanOptions options = new ScanOptions(1 << 20, 8 << 20, WINDOW_BYTES, 10_000);
    ScanRequest open = ScanRequest.parseFrom(recorded.requests().get(0));
    Open today = open.getOpen().toBuilder().setBodyCodec("zstd").build();
    try (ScanStream stream = client.scan(today, options, allocator)) {
      List<List<Object>> rows = new ArrayList<>();
      while (stream.next()) {
        rows.addAll(Rows.of(stream.batch()));
      }
      assertEquals(rows.size(), stream.totals().getRows());
      assertFalse(stream.applied().getBodyCodec());
      return rows.toString();
    }
  }

  /** It knows the requests that were recorded, byte for byte, and nothing else. */
  private Server startOldNode() throws IOException {
    ServerServiceDefinition.Builder service =
        ServerServiceDefinition.builder(PartitionServiceGrpc.SERVICE_NAME);
    for (String method : List.of("DescribeNode", "DescribeTable", "Scan")) {
      ServerCallHandler<byte[], byte[]> handler =
          (call, headers) -> {
            call.request(1000);
            return new OldNodeCall(call, talk.calls(method));
          };
      service.addMethod(raw(method), handler);
    }
    return NettyServerBuilder.forAddress(
            new InetSocketAddress(InetAddress.getLoopbackAddress(), 0),
            InsecureServerCredentials.create())
        .addService(service.build())
        .build()
        .start();
  }

  /** Answers with what was answered to the same first message. */
  private final class OldNodeCall extends ServerCall.Listener<byte[]> {
    private final ServerCall<byte[], byte[]> call;
    private final List<RecordedTalk.Call> recorded;
    private boolean answered;

    OldNodeCall(ServerCall<byte[], byte[]> call, List<RecordedTalk.Call> recorded) {
      this.call = call;
      this.recorded = recorded;
    }

    @Override
    public void onMessage(byte[] request) {
      if (answered) {
        return;
      }
      answered = true;
      for (RecordedTalk.Call each : recorded) {
        if (sameRequest(each, request)) {
          call.sendHeaders(new Metadata());
          each.answers().forEach(call::sendMessage);
          Metadata trailers = new Metadata();
          if (!each.detail().isEmpty()) {
            trailers.put(DETAIL, each.detail().toByteArray());
          }
          call.close(Status.Code.valueOf(each.status()).toStatus(), trailers);
          return;
        }
      }
      call.close(
          Status.INTERNAL.withDescription("not what a client of version 1 sent"), new Metadata());
    }

    private boolean sameRequest(RecordedTalk.Call each, byte[] request) {
      String type = each.method() + "Request";
      try {
        return talk.asOfVersionOne(type, each.requests().get(0))
            .equals(talk.asOfVersionOne(type, request));
      } catch (IOException e) {
        return false;
      }
    }
  }

  private static MethodDescriptor<byte[], byte[]> raw(String method) {
    return PartitionServiceGrpc.getServiceDescriptor().getMethods().stream()
        .filter(each -> method.equals(each.getBareMethodName()))
        .findFirst()
        .orElseThrow()
        .toBuilder(RecordedTalk.BYTES, RecordedTalk.BYTES)
        .build();
  }
}
