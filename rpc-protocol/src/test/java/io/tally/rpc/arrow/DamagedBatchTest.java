package io.tally.rpc.arrow;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.google.protobuf.ByteString;
import io.tally.rpc.TallyException;
import io.tally.rpc.v1.ErrorCode;
import io.tally.rpc.v1.ScanResponse;
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
import org.apache.arrow.vector.VarCharVector;
import org.apache.arrow.vector.VectorSchemaRoot;
import org.apache.arrow.vector.types.pojo.ArrowType;
import org.apache.arrow.vector.types.pojo.Schema;
import org.junit.jupiter.api.Test;

/** Whatever a hostile node sends is either refused or safe to read to the last value. */
class DamagedBatchTest {
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
