package io.tally.server.grpc;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.google.protobuf.ByteString;
import com.google.protobuf.DescriptorProtos.FileDescriptorProto;
import com.google.protobuf.InvalidProtocolBufferException;
import io.grpc.health.v1.HealthCheckRequest;
import io.grpc.health.v1.HealthCheckResponse.ServingStatus;
import io.grpc.health.v1.HealthGrpc;
import io.grpc.reflection.v1.ServerReflectionGrpc;
import io.grpc.reflection.v1.ServerReflectionRequest;
import io.grpc.reflection.v1.ServerReflectionResponse;
import io.grpc.stub.StreamObserver;
import io.tally.rpc.BodyCodec;
import io.tally.rpc.arrow.ArrowSchemas;
import io.tally.rpc.client.ScanOptions;
import io.tally.rpc.client.ScanStream;
import io.tally.rpc.v1.DescribeNodeResponse;
import io.tally.rpc.v1.DescribeTableResponse;
import io.tally.rpc.v1.End;
import io.tally.rpc.v1.Open;
import io.tally.rpc.v1.ProtocolVersion;
import io.tally.server.fixture.Rows;
import io.tally.server.fixture.Wire;
import java.io.IOException;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A node says what it is, and answers the services that generic tools ask. */
@Timeout(120)
class NodeServerTest {
  private final TestNode node = new TestNode(1, 1, 1000);

  @AfterEach
  void close() {
    node.close();
  }

  @Test
  void describesItself() {
    DescribeNodeResponse answer = node.client().describeNode(30_000);

    assertEquals("node-a", answer.getNodeId());
    assertEquals(ProtocolVersion.PROTOCOL_VERSION_1, answer.getProtocolVersion());
    assertEquals(TestNode.WINDOW_BYTES, answer.getMaxWindowBytes());
    assertTrue(answer.getFeaturesList().contains("fn.eq_null_safe"));
    assertTrue(answer.getFeaturesList().contains("agg.count_all"));
    assertTrue(answer.getFeaturesList().contains("type.timestamp_ntz"));
    assertTrue(answer.getFeaturesList().containsAll(List.of("scan.limit", "scan.row_range")));
    assertEquals(-1, answer.getFeaturesList().indexOf("type.time"));
  }

  @Test
  void describesATable() {
    node.catalog.execute("CREATE TABLE p AS SELECT 1 AS n, 'x' AS s FROM range(7)");
    node.catalog.serve("t", "p", "(SELECT * FROM p)");

    DescribeTableResponse answer = node.client().describeTable("t", 30_000);

    assertEquals("t", answer.getTable());
    assertEquals("v1", answer.getLayoutVersion());
    assertEquals(
        List.of("n", "s"),
        ArrowSchemas.decode(answer.getArrowSchema()).getFields().stream()
            .map(field -> field.getName())
            .toList());
    assertEquals("lost", answer.getUnreadableColumns(0).getName());
    assertEquals(2, answer.getPartitionsCount());
    assertEquals(7, answer.getPartitions(0).getRows());
    assertTrue(answer.getPartitions(0).getSplittable());
    assertEquals("p7", answer.getPartitions(0).getFingerprint());
    assertEquals(List.of("p", "(SELECT * FROM p)"), answer.getClusterPartitionsList());
  }

  @ParameterizedTest
  @ValueSource(strings = {"", "lz4", "zstd", "a codec of a later release"})
  void compressesBodiesAsItWasAskedTo(String codec) {
    node.catalog.serve("t", "(SELECT range AS n, 'x' || range % 7 AS s FROM range(50000))");
    Open open = Wire.open(node.catalog, "t").addColumns("n").addColumns("s").build();
    ScanOptions options = new ScanOptions(64 << 10, 256 << 10, 64 << 10, 30_000);

    long plainBytes = read(open, options).getBodyBytes();
    End totals = read(open.toBuilder().setBodyCodec(codec).build(), options);

    assertTrue(node.client().describeNode(30_000).getFeaturesList().contains("body.lz4"));
    boolean known = codec.equals("lz4") || codec.equals("zstd");
    assertEquals(known, totals.getBodyBytes() < plainBytes, totals::toString);
    assertEquals(50_000, totals.getRows());
  }

  private End read(Open open, ScanOptions options) {
    try (ScanStream stream = node.client().scan(open, options, node.allocator)) {
      boolean known = BodyCodec.ofWireName(open.getBodyCodec()).isPresent();
      assertEquals(known && !open.getBodyCodec().isEmpty(), stream.applied().getBodyCodec());
      long row = 0;
      while (stream.next()) {
        for (List<Object> values : Rows.of(stream.batch())) {
          assertEquals(List.of(row, "x" + row % 7), values);
          row++;
        }
      }
      assertEquals(stream.totals().getBodyBytes(), stream.received().bodyBytes());
      return stream.totals();
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"", "tally.v1.PartitionService"})
  void isHealthy(String service) {
    assertEquals(
        ServingStatus.SERVING,
        HealthGrpc.newBlockingStub(node.channel)
            .withDeadlineAfter(30, TimeUnit.SECONDS)
            .check(HealthCheckRequest.newBuilder().setService(service).build())
            .getStatus());
  }

  @Test
  void reflectsItsProtocol() throws Exception {
    ServerReflectionResponse services =
        reflect(ServerReflectionRequest.newBuilder().setListServices("").build());
    ServerReflectionResponse file =
        reflect(
            ServerReflectionRequest.newBuilder()
                .setFileContainingSymbol("tally.v1.PartitionService.Scan")
                .build());

    assertTrue(
        services.getListServicesResponse().getServiceList().stream()
            .anyMatch(service -> service.getName().equals("tally.v1.PartitionService")));
    assertEquals(
        List.of("DescribeNode", "DescribeTable", "Scan"),
        file.getFileDescriptorResponse().getFileDescriptorProtoList().stream()
            .map(NodeServerTest::parse)
            .flatMap(parsed -> parsed.getServiceList().stream())
            .flatMap(service -> service.getMethodList().stream())
            .map(method -> method.getName())
            .toList());
  }

  @Test
  void refusesAnAddressThatIsTaken() {
    NodeSettings settings =
        new NodeSettings("b", "127.0.0.1", node.server.port(), 1, 1, 1, 1, 1, 1, 1, 1);

    assertThrows(IOException.class, () -> NodeServer.start(settings, node.catalog));
  }

  private static FileDescriptorProto parse(ByteString bytes) {
    try {
      return FileDescriptorProto.parseFrom(bytes);
    } catch (InvalidProtocolBufferException e) {
      throw new AssertionError(e);
    }
  }

  private ServerReflectionResponse reflect(ServerReflectionRequest request) throws Exception {
    CompletableFuture<ServerReflectionResponse> answer = new CompletableFuture<>();
    StreamObserver<ServerReflectionRequest> requests =
        ServerReflectionGrpc.newStub(node.channel)
            .serverReflectionInfo(
                new StreamObserver<>() {
                  @Override
                  public void onNext(ServerReflectionResponse response) {
                    answer.complete(response);
                  }

                  @Override
                  public void onError(Throwable error) {
                    answer.completeExceptionally(error);
                  }

                  @Override
                  public void onCompleted() {}
                });
    requests.onNext(request);
    requests.onCompleted();
    return answer.get(30, TimeUnit.SECONDS);
  }
}
