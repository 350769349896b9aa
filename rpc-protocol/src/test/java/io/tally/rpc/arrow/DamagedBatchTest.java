package io.tally.rpc.arrow;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.google.protobuf.ByteString;
import io.tally.rpc.BodyCodec;
import io.tally.rpc.TallyException;
import io.tally.rpc.v1.ErrorCode;
import io.tally.rpc.v1.ScanResponse;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.List;
import java.util.Random;
import java.util.function.UnaryOperator;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import net.jqwik.api.constraints.IntRange;
import org.apache.arrow.memory.BufferAllocator;
import org.apache.arrow.memory.RootAllocator;
import org.apache.arrow.vector.BigIntVector;
import org.apache.arrow.vector.VarCharVector;
import org.apache.arrow.vector.VectorSchemaRoot;
import org.apache.arrow.vector.types.pojo.ArrowType;
import org.apache.arrow.vector.types.pojo.Schema;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Whatever a hostile node sends is either refused or safe to read to the last value. */
class DamagedBatchTest {
  private static final int MAX_BODY_BYTES = 1 << 20;

  /** Of what is compressed here. */
  private static final int MOST_FRAME_BYTES = 256 << 10;

  private static final Schema TEXT =
      new Schema(List.of(Batches.field("t", new ArrowType.Utf8(), true, List.of())));

  @Provide
  Arbitrary<Schema> schemas() {
    return Batches.schemas();
  }

  @Property(tries = 2_000)
  void damagedHeadersAreRefusedOrHarmless(
      @ForAll("schemas") Schema schema,
      @ForAll @IntRange(max = 40) int rows,
      @ForAll @IntRange(min = 1, max = 4) int damages,
      @ForAll long seed) {
    loadOrRefuse(
        schema,
        rows,
        seed,
        response -> {
          ByteString header = damage(response.getBatch().getHeader(), damages, seed);
          return response.toBuilder()
              .setBatch(response.getBatch().toBuilder().setHeader(header))
              .build();
        });
  }

  @Property(tries = 1_000)
  void damagedBodiesAreRefusedOrHarmless(
      @ForAll("schemas") Schema schema,
      @ForAll @IntRange(min = 1, max = 40) int rows,
      @ForAll @IntRange(min = 1, max = 8) int damages,
      @ForAll long seed) {
    loadOrRefuse(
        schema,
        rows,
        seed,
        response ->
            response.toBuilder().setBody(damage(response.getBody(), damages, seed)).build());
  }

  @Property(tries = 1_000)
  void damagedMessagesAreRefusedOrHarmless(
      @ForAll("schemas") Schema schema,
      @ForAll @IntRange(max = 40) int rows,
      @ForAll @IntRange(min = 1, max = 4) int damages,
      @ForAll long seed) {
    try (BufferAllocator allocator = new RootAllocator(64 << 20);
        VectorSchemaRoot sent = Batches.fill(schema, rows, seed, allocator);
        VectorSchemaRoot received = VectorSchemaRoot.create(schema, allocator)) {
      byte[] bytes = damage(Batches.response(sent, 0).toByteString(), damages, seed).toByteArray();
      try {
        RecordBatchDecoder.load(Batches.frame(bytes, allocator), received);
        Batches.readEverything(received);
      } catch (TallyException e) {
        assertEquals(ErrorCode.PROTOCOL_VIOLATION, e.code());
      }
    }
  }

  @Property(tries = 300)
  void aBatchOfAnotherSchemaIsRefusedOrHarmless(
      @ForAll("schemas") Schema schema,
      @ForAll("schemas") Schema other,
      @ForAll @IntRange(max = 40) int rows,
      @ForAll long seed) {
    try (BufferAllocator allocator = new RootAllocator(64 << 20);
        VectorSchemaRoot sent = Batches.fill(schema, rows, seed, allocator);
        VectorSchemaRoot received = VectorSchemaRoot.create(other, allocator)) {
      try {
        RecordBatchDecoder.load(RecordBatchEncoder.encode(sent, 0), received);
        Batches.readEverything(received);
      } catch (TallyException e) {
        assertEquals(ErrorCode.PROTOCOL_VIOLATION, e.code());
        assertEquals(0, received.getRowCount());
      }
    }
  }

  @Test
  void offsetsThatLeaveTheDataAreRefused() {
    assertRefused(response -> withOffset(response, 3, 1_000_000), "buffer");
    assertRefused(response -> withOffset(response, 1, -1), "offsets");
    assertRefused(response -> withOffset(response, 1, 1_000), "offsets");
    assertRefused(response -> withOffset(response, 0, -4), "offsets");
  }

  @Test
  void aWrongNumberOfRowsIsRefused() {
    assertRefused(
        response ->
            response.toBuilder().setBatch(response.getBatch().toBuilder().setRows(4)).build(),
        "announces 4 rows");
  }

  @Test
  void aShorterBodyIsRefused() {
    assertRefused(
        response ->
            response.toBuilder()
                .setBody(response.getBody().substring(0, response.getBody().size() - 8))
                .build(),
        "announces a body");
    assertRefused(response -> response.toBuilder().clearBody().build(), "announces a body");
  }

  /** 16 MiB of zeros, of which a node sends a few KiB. */
  @ParameterizedTest
  @EnumSource(mode = EnumSource.Mode.EXCLUDE, names = "NONE")
  void aBodyIsNotGivenMoreMemoryThanWasAskedForWhateverItSays(BodyCodec codec) {
    Schema schema =
        new Schema(List.of(Batches.field("n", new ArrowType.Int(64, true), false, List.of())));
    int rows = 2 << 20;
    ByteString bytes;
    try (BufferAllocator allocator = new RootAllocator();
        VectorSchemaRoot sent = VectorSchemaRoot.create(schema, allocator)) {
      BigIntVector zeros = (BigIntVector) sent.getVector(0);
      zeros.allocateNew(rows);
      zeros.getDataBuffer().setZero(0, zeros.getDataBuffer().capacity());
      zeros.getValidityBuffer().setOne(0, zeros.getValidityBuffer().capacity());
      sent.setRowCount(rows);
      BodyCompressor compressor = new BodyCompressor(codec, allocator);
      ScanFrame frame = RecordBatchEncoder.encode(sent, 0, rows, 0, compressor);
      bytes = ByteString.copyFrom(Batches.bytes(frame, allocator));
    }
    long right = (long) rows * Long.BYTES;
    int at = 0;
    while (!bytes.substring(at, at + Long.BYTES).equals(length(right))) {
      at++;
    }
    assertTrue(read(schema, bytes, codec, right) >= right, "it is as large as it says");
    for (long lie :
        new long[] {
          right + 1, 1L << 40, Long.MAX_VALUE, Long.MIN_VALUE, -2, MAX_BODY_BYTES + 1, right
        }) {
      assertTrue(refuse(schema, bytes, at, lie, codec) <= MOST_FRAME_BYTES, () -> "for " + lie);
    }
    // What is within the bound is made room for, and not written beyond.
    for (long lie : new long[] {-1, 0, 1, MAX_BODY_BYTES - 1, MAX_BODY_BYTES}) {
      long most = 2 * MAX_BODY_BYTES + MOST_FRAME_BYTES;
      assertTrue(refuse(schema, bytes, at, lie, codec) <= most, () -> "for " + lie);
    }
  }

  private static ByteString length(long value) {
    return ByteString.copyFrom(
        ByteBuffer.allocate(Long.BYTES).order(ByteOrder.LITTLE_ENDIAN).putLong(value).array());
  }

  /** The most memory that it took. */
  private static long refuse(Schema schema, ByteString bytes, int at, long lie, BodyCodec codec) {
    ByteString lying =
        bytes.substring(0, at).concat(length(lie)).concat(bytes.substring(at + Long.BYTES));
    try (BufferAllocator allocator = new RootAllocator();
        VectorSchemaRoot root = VectorSchemaRoot.create(schema, allocator)) {
      ScanFrame frame = Batches.frame(lying.toByteArray(), allocator);
      TallyException e =
          assertThrows(
              TallyException.class,
              () -> RecordBatchDecoder.load(frame, root, codec, MAX_BODY_BYTES));
      assertEquals(ErrorCode.PROTOCOL_VIOLATION, e.code());
      assertTrue(e.getMessage().contains("field \"n\""), e::getMessage);
      return allocator.getPeakMemoryAllocation();
    }
  }

  private static long read(Schema schema, ByteString bytes, BodyCodec codec, long maxBodyBytes) {
    try (BufferAllocator allocator = new RootAllocator();
        VectorSchemaRoot root = VectorSchemaRoot.create(schema, allocator)) {
      ScanFrame frame = Batches.frame(bytes.toByteArray(), allocator);
      RecordBatchDecoder.load(frame, root, codec, maxBodyBytes);
      return allocator.getPeakMemoryAllocation();
    }
  }

  @Test
  void compressionThatWasNotAskedForIsRefused() {
    try (BufferAllocator allocator = new RootAllocator();
        VectorSchemaRoot sent = Batches.fill(TEXT, 500, 1, allocator);
        VectorSchemaRoot received = VectorSchemaRoot.create(TEXT, allocator)) {
      for (BodyCodec codec : BodyCodec.compressing()) {
        byte[] bytes = Batches.response(sent, 0, codec).toByteArray();
        for (BodyCodec asked : BodyCodec.values()) {
          ScanFrame frame = Batches.frame(bytes, allocator);
          if (asked == codec) {
            RecordBatchDecoder.load(frame, received, asked, MAX_BODY_BYTES);
            assertEquals(500, received.getRowCount());
          } else {
            TallyException e =
                assertThrows(
                    TallyException.class,
                    () -> RecordBatchDecoder.load(frame, received, asked, MAX_BODY_BYTES));
            assertEquals(ErrorCode.PROTOCOL_VIOLATION, e.code());
            assertTrue(e.getMessage().contains("not asked for"), e::getMessage);
          }
        }
      }
    }
  }

  @Test
  void aFrameThatIsNoBatchIsRefused() {
    try (BufferAllocator allocator = new RootAllocator();
        VectorSchemaRoot root = VectorSchemaRoot.create(TEXT, allocator)) {
      ScanFrame frame = ScanFrame.of(ScanResponse.getDefaultInstance());
      TallyException e =
          assertThrows(TallyException.class, () -> RecordBatchDecoder.load(frame, root));
      assertEquals(ErrorCode.PROTOCOL_VIOLATION, e.code());
    }
  }

  /** Three rows "a", "b", "c": validity (8 bytes), four offsets (16), data (8). */
  private static void assertRefused(UnaryOperator<ScanResponse> damage, String reason) {
    try (BufferAllocator allocator = new RootAllocator();
        VectorSchemaRoot sent = VectorSchemaRoot.create(TEXT, allocator);
        VectorSchemaRoot received = VectorSchemaRoot.create(TEXT, allocator)) {
      VarCharVector texts = (VarCharVector) sent.getVector(0);
      for (int i = 0; i < 3; i++) {
        texts.setSafe(i, new byte[] {(byte) ('a' + i)});
      }
      sent.setRowCount(3);
      ScanResponse response = Batches.response(sent, 0);
      ScanResponse damaged = damage.apply(response);
      RecordBatchDecoder.load(Batches.frame(response.toByteArray(), allocator), received);
      assertEquals("b", String.valueOf(received.getVector(0).getObject(1)));
      TallyException e =
          assertThrows(
              TallyException.class,
              () ->
                  RecordBatchDecoder.load(
                      Batches.frame(damaged.toByteArray(), allocator), received));
      assertEquals(ErrorCode.PROTOCOL_VIOLATION, e.code());
      assertTrue(e.getMessage().contains(reason), e::getMessage);
      assertEquals(0, received.getRowCount());
    }
  }

  private static ScanResponse withOffset(ScanResponse response, int index, int value) {
    byte[] body = response.getBody().toByteArray();
    for (int i = 0; i < 4; i++) {
      body[8 + 4 * index + i] = (byte) (value >> (8 * i));
    }
    return response.toBuilder().setBody(ByteString.copyFrom(body)).build();
  }

  private static void loadOrRefuse(
      Schema schema, int rows, long seed, UnaryOperator<ScanResponse> damage) {
    try (BufferAllocator allocator = new RootAllocator(64 << 20);
        VectorSchemaRoot sent = Batches.fill(schema, rows, seed, allocator);
        VectorSchemaRoot received = VectorSchemaRoot.create(schema, allocator)) {
      byte[] bytes = damage.apply(Batches.response(sent, 0)).toByteArray();
      try {
        RecordBatchDecoder.load(Batches.frame(bytes, allocator), received);
        Batches.readEverything(received);
      } catch (TallyException e) {
        assertEquals(ErrorCode.PROTOCOL_VIOLATION, e.code());
        assertEquals(0, received.getRowCount());
      }
    }
  }

  /** Overwrites some bytes, with extreme values as likely as random ones. */
  private static ByteString damage(ByteString bytes, int damages, long seed) {
    if (bytes.isEmpty()) {
      return bytes;
    }
    Random random = new Random(seed);
    byte[] damaged = bytes.toByteArray();
    for (int i = 0; i < damages; i++) {
      byte value =
          switch (random.nextInt(4)) {
            case 0 -> 0;
            case 1 -> (byte) 0xFF;
            case 2 -> 0x7F;
            default -> (byte) random.nextInt();
          };
      damaged[random.nextInt(damaged.length)] = value;
    }
    return ByteString.copyFrom(damaged);
  }
}
