package io.tally.rpc.client;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.google.protobuf.ByteString;
import io.grpc.ManagedChannel;
import io.grpc.MethodDescriptor;
import io.grpc.Server;
import io.grpc.ServerServiceDefinition;
import io.grpc.ServiceDescriptor;
import io.grpc.inprocess.InProcessChannelBuilder;
import io.grpc.inprocess.InProcessServerBuilder;
import io.grpc.stub.ServerCalls;
import io.grpc.stub.StreamObserver;
import io.tally.rpc.BodyCodec;
import io.tally.rpc.TallyException;
import io.tally.rpc.WindowBudget;
import io.tally.rpc.arrow.ArrowSchemas;
import io.tally.rpc.arrow.Batches;
import io.tally.rpc.arrow.RecordBatchDecoder;
import io.tally.rpc.arrow.ScanFrame;
import io.tally.rpc.v1.ErrorCode;
import io.tally.rpc.v1.Open;
import io.tally.rpc.v1.PartitionServiceGrpc;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.util.EnumSet;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.IntStream;
import net.jqwik.api.EdgeCasesMode;
import net.jqwik.api.Example;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.ShrinkingMode;
import net.jqwik.api.lifecycle.AfterContainer;
import net.jqwik.api.lifecycle.BeforeContainer;
import org.apache.arrow.memory.BufferAllocator;
import org.apache.arrow.memory.RootAllocator;
import org.apache.arrow.vector.VectorSchemaRoot;
import org.apache.arrow.vector.types.pojo.Schema;

/**
 * Whatever a hostile node says instead of a right answer, the client gives an error of its own or
 * rows that are safe to read, within its memory, and keeps nothing. How often that is tried is
 * jqwik's setting {@code jqwik.tries.default}.
 */
class HostileAnswerTest {
  /** More than any right answer here needs. */
  private static final int MEMORY_BYTES = 1 << 20;

  private static final int RIGHT_ANSWERS = 200;

  /** A whole stream costs as much as so many answers without a network. */
  private static final int TRIES_PER_STREAM = 20;

  private static final String NAME = "hostile";
  private static final List<BodyCodec> CODECS = List.of(BodyCodec.values());
  private static final ScanOptions OPTIONS =
      new ScanOptions(64 << 10, 256 << 10, 64 << 10, 30_000, new ReconnectPolicy(2, 1, 1));
  private static final Set<ErrorCode> REFUSALS =
      EnumSet.of(ErrorCode.PROTOCOL_VIOLATION, ErrorCode.SCAN_LOST);

  private static final AtomicReference<List<ByteString>> NEXT_ANSWER = new AtomicReference<>();

  private static List<List<ByteString>> rightAnswers;
  private static Server server;
  private static ManagedChannel channel;

  @BeforeContainer
  static void start() throws IOException {
    List<Schema> schemas =
        Batches.schemas()
            .list()
            .ofSize(RIGHT_ANSWERS)
            .generator(RIGHT_ANSWERS)
            .next(new Random(1))
            .value();
    rightAnswers =
        IntStream.range(0, RIGHT_ANSWERS)
            .mapToObj(i -> HostileAnswer.right(schemas.get(i), codec(i), i))
            .toList();
    MethodDescriptor<byte[], ByteString> method =
        PartitionServiceGrpc.getScanMethod().toBuilder(new Nothing(), new Bytes()).build();
    server =
        InProcessServerBuilder.forName(NAME)
            .directExecutor()
            .addService(
                ServerServiceDefinition.builder(
                        ServiceDescriptor.newBuilder(PartitionServiceGrpc.SERVICE_NAME)
                            .addMethod(method)
                            .build())
                    .addMethod(method, ServerCalls.asyncBidiStreamingCall(HostileAnswerTest::scan))
                    .build())
            .build()
            .start();
    channel = InProcessChannelBuilder.forName(NAME).directExecutor().build();
  }

  @AfterContainer
  static void stop() throws InterruptedException {
    channel.shutdownNow().awaitTermination(30, TimeUnit.SECONDS);
    server.shutdownNow().awaitTermination(30, TimeUnit.SECONDS);
  }

  /** That the right answer with this number is compressed with. */
  private static BodyCodec codec(int answer) {
    return CODECS.get(answer % CODECS.size());
  }

  @Property(edgeCases = EdgeCasesMode.NONE, shrinking = ShrinkingMode.OFF)
  void anyAnswerIsRefusedOrHarmless(@ForAll long seed) {
    Random random = new Random(seed);
    int number = random.nextInt(RIGHT_ANSWERS);
    List<ByteString> right = rightAnswers.get(number);
    List<ByteString> other = rightAnswers.get(random.nextInt(RIGHT_ANSWERS));
    List<ByteString> answer = HostileAnswer.spoil(right, other, random.nextLong());
    readOrRefuse(answer, codec(number));
    if (random.nextInt(TRIES_PER_STREAM) == 0) {
      streamOrRefuse(answer, codec(number), random.nextBoolean());
    }
  }

  @Example
  void rightAnswersAreRead() {
    for (int i = 0; i < RIGHT_ANSWERS; i++) {
      assertTrue(readOrRefuse(rightAnswers.get(i), codec(i)));
      assertTrue(streamOrRefuse(rightAnswers.get(i), codec(i), false));
    }
  }

  /** Without a network: what becomes of the bytes of each message. */
  private static boolean readOrRefuse(List<ByteString> answer, BodyCodec codec) {
    Open open = Open.newBuilder().setScanId("scan").setTable("t").build();
    AnswerCheck check = new AnswerCheck(new ScanLabel(new NodeAddress("hostile", 1), open), 10);
    check.beginCall();
    VectorSchemaRoot root = null;
    try (BufferAllocator allocator = new RootAllocator(MEMORY_BYTES)) {
      try {
        for (ByteString message : answer) {
          try (ScanFrame frame = Batches.frame(message.toByteArray(), allocator)) {
            check.accept(frame);
            if (frame.message().hasBatch()) {
              if (root == null) {
                Schema schema = ArrowSchemas.decode(check.opened().getArrowSchema());
                root = VectorSchemaRoot.create(schema, allocator);
              }
              RecordBatchDecoder.load(frame, root, codec, OPTIONS.maxRowBytes());
              Batches.readEverything(root);
            }
          }
        }
        return check.isEnded();
      } catch (TallyException e) {
        assertEquals(ErrorCode.PROTOCOL_VIOLATION, e.code(), e::getMessage);
        return false;
      } finally {
        if (root != null) {
          root.close();
        }
      }
    }
  }

  /** With all that a reader has. */
  private static boolean streamOrRefuse(
      List<ByteString> answer, BodyCodec codec, boolean resumable) {
    NEXT_ANSWER.set(answer);
    Open.Builder open = Open.newBuilder().setTable("t").setBodyCodec(codec.wireName());
    if (resumable) {
      open.setResumeAfter(0);
    }
    try (BufferAllocator allocator = new RootAllocator();
        ScanStream stream =
            ScanStream.open(
                channel,
                new NodeAddress("hostile", 1),
                open.build(),
                OPTIONS,
                new WindowBudget(),
                allocator)) {
      while (stream.next()) {
        Batches.readEverything(stream.batch());
      }
      assertEquals(stream.totals().getRows(), stream.received().rows());
      return true;
    } catch (TallyException e) {
      assertTrue(REFUSALS.contains(e.code()), e::getMessage);
      return false;
    }
  }

  private static StreamObserver<byte[]> scan(StreamObserver<ByteString> responses) {
    return new StreamObserver<>() {
      private boolean answered;

      @Override
      public void onNext(byte[] request) {
        if (!answered) {
          answered = true;
          NEXT_ANSWER.get().forEach(responses::onNext);
          responses.onCompleted();
        }
      }

      @Override
      public void onError(Throwable error) {
        // The client has had enough.
      }

      @Override
      public void onCompleted() {}
    };
  }

  /** Says bytes as they are. */
  private static final class Bytes implements MethodDescriptor.Marshaller<ByteString> {
    @Override
    public InputStream stream(ByteString value) {
      return value.newInput();
    }

    @Override
    public ByteString parse(InputStream stream) {
      throw new UnsupportedOperationException("a node says bytes");
    }
  }

  /** Does not care for what the client says. */
  private static final class Nothing implements MethodDescriptor.Marshaller<byte[]> {
    @Override
    public InputStream stream(byte[] value) {
      throw new UnsupportedOperationException("a client says requests");
    }

    @Override
    public byte[] parse(InputStream stream) {
      try {
        return stream.readAllBytes();
      } catch (IOException e) {
        throw new UncheckedIOException(e);
      }
    }
  }
}
