package io.tally.rpc.client;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.grpc.ManagedChannel;
import io.grpc.Server;
import io.grpc.ServerBuilder;
import io.grpc.ServerServiceDefinition;
import io.grpc.inprocess.InProcessChannelBuilder;
import io.grpc.inprocess.InProcessServerBuilder;
import io.grpc.netty.NettyChannelBuilder;
import io.grpc.netty.NettyServerBuilder;
import io.grpc.stub.ServerCallStreamObserver;
import io.grpc.stub.ServerCalls;
import io.grpc.stub.StreamObserver;
import io.tally.rpc.WindowBudget;
import io.tally.rpc.arrow.ArrowSchemas;
import io.tally.rpc.arrow.Batches;
import io.tally.rpc.arrow.RecordBatchEncoder;
import io.tally.rpc.arrow.ScanFrame;
import io.tally.rpc.arrow.ScanMethod;
import io.tally.rpc.v1.End;
import io.tally.rpc.v1.Open;
import io.tally.rpc.v1.Opened;
import io.tally.rpc.v1.PartitionServiceGrpc;
import io.tally.rpc.v1.ScanPartition;
import io.tally.rpc.v1.ScanRequest;
import io.tally.rpc.v1.ScanResponse;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import org.apache.arrow.memory.BufferAllocator;
import org.apache.arrow.memory.RootAllocator;
import org.apache.arrow.vector.VectorSchemaRoot;
import org.apache.arrow.vector.compare.VectorEqualsVisitor;
import org.apache.arrow.vector.types.pojo.ArrowType;
import org.apache.arrow.vector.types.pojo.Field;
import org.apache.arrow.vector.types.pojo.Schema;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * Frames in both directions, with the frame marshaller on the node's side too, over Netty and
 * without a network: whatever gRPC does with a message, its memory is freed once.
 */
class ScanMethodTest {
  private static final Schema SCHEMA =
      new Schema(
          List.of(
              Field.nullable("n", new ArrowType.Int(64, true)),
              Field.nullable("t", new ArrowType.Utf8())));

  private static final int ROWS = 20_000;
  private static final ScanOptions OPTIONS = new ScanOptions(1 << 20, 8 << 20, 1 << 20, 10_000);

  enum Transport {
    NETTY {
      @Override
      ServerBuilder<?> server() {
        return NettyServerBuilder.forAddress(
            new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
      }

      @Override
      ManagedChannel channel(Server server) {
        return NettyChannelBuilder.forAddress(
                new InetSocketAddress(InetAddress.getLoopbackAddress(), server.getPort()))
            .usePlaintext()
            .directExecutor()
            .build();
      }
    },
    IN_PROCESS {
      @Override
      ServerBuilder<?> server() {
        return InProcessServerBuilder.forName("frames");
      }

      @Override
      ManagedChannel channel(Server server) {
        return InProcessChannelBuilder.forName("frames").directExecutor().build();
      }
    };

    abstract ServerBuilder<?> server();

    abstract ManagedChannel channel(Server server);
  }

  private final BufferAllocator serverAllocator = new RootAllocator();
  private final BufferAllocator allocator = new RootAllocator();
  private final VectorSchemaRoot rows = Batches.fill(SCHEMA, ROWS, 1, serverAllocator);

  @AfterEach
  void nothingLeaks() {
    rows.close();
    serverAllocator.close();
    allocator.close();
  }

  @ParameterizedTest
  @EnumSource
  void batchesArriveAsTheyWere(Transport transport) throws Exception {
    withStream(
        transport,
        50,
        stream -> {
          for (int batch = 0; batch < 50; batch++) {
            assertTrue(stream.next());
            for (int column = 0; column < 2; column++) {
              assertTrue(
                  VectorEqualsVisitor.vectorEquals(
                      rows.getVector(column), stream.batch().getVector(column)));
            }
          }
          assertFalse(stream.next());
          assertEquals(50L * ROWS, stream.totals().getRows());
        });
  }

  @Test
  void aCancelFreesWhatIsOnItsWay() throws Exception {
    for (int consumed = 0; consumed < 10; consumed++) {
      int batches = consumed;
      withStream(
          Transport.NETTY,
          1_000,
          stream -> {
            for (int batch = 0; batch < batches; batch++) {
              assertTrue(stream.next());
            }
          });
    }
  }

  private interface Consumer {
    void accept(ScanStream stream);
  }

  private void withStream(Transport transport, int batches, Consumer consumer) throws Exception {
    ExecutorService handlers = Executors.newFixedThreadPool(2);
    Server server =
        transport
            .server()
            .executor(handlers)
            .addService(
                ServerServiceDefinition.builder(PartitionServiceGrpc.SERVICE_NAME)
                    .addMethod(
                        ScanMethod.descriptor(serverAllocator),
                        ServerCalls.asyncBidiStreamingCall(
                            responses ->
                                new Sender(
                                    (ServerCallStreamObserver<ScanFrame>) responses, batches)))
                    .build())
            .build()
            .start();
    ManagedChannel channel = transport.channel(server);
    try {
      NodeClient client = new NodeClient(new NodeAddress("test", 1), channel, new WindowBudget());
      Open open =
          Open.newBuilder()
              .setTable("t")
              .addPartitions(ScanPartition.newBuilder().setId("p"))
              .build();
      try (ScanStream stream = client.scan(open, OPTIONS, allocator)) {
        consumer.accept(stream);
      }
    } finally {
      channel.shutdownNow();
      server.shutdownNow();
      assertTrue(channel.awaitTermination(10, TimeUnit.SECONDS));
      assertTrue(server.awaitTermination(10, TimeUnit.SECONDS));
      // A handler may still be sending to a call that is over.
      handlers.shutdown();
      assertTrue(handlers.awaitTermination(10, TimeUnit.SECONDS));
    }
  }

  /** Sends a batch for every credit, on the thread that brings the credit. */
  private final class Sender implements StreamObserver<ScanRequest> {
    private final ServerCallStreamObserver<ScanFrame> responses;
    private final int batches;
    private int sent;
    private long bytes;

    Sender(ServerCallStreamObserver<ScanFrame> responses, int batches) {
      this.responses = responses;
      this.batches = batches;
      responses.setOnCancelHandler(() -> {});
    }

    @Override
    public void onNext(ScanRequest request) {
      if (request.hasOpen()) {
        Opened opened = Opened.newBuilder().setArrowSchema(ArrowSchemas.encode(SCHEMA)).build();
        responses.onNext(ScanFrame.of(ScanResponse.newBuilder().setOpened(opened).build()));
        return;
      }
      for (int i = 0; i < request.getNext().getCredits() && sent < batches; i++) {
        ScanFrame frame = RecordBatchEncoder.encode(rows, sent++);
        bytes += frame.bodyBytes();
        responses.onNext(frame);
        if (sent == batches) {
          End end =
              End.newBuilder()
                  .setBatches(sent)
                  .setRows((long) sent * ROWS)
                  .setBodyBytes(bytes)
                  .build();
          responses.onNext(ScanFrame.of(ScanResponse.newBuilder().setEnd(end).build()));
          responses.onCompleted();
        }
      }
    }

    @Override
    public void onError(Throwable e) {}

    @Override
    public void onCompleted() {}
  }
}
