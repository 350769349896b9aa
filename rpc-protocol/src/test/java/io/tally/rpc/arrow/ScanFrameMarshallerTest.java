package io.tally.rpc.arrow;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import com.google.protobuf.ByteString;
import com.google.protobuf.CodedOutputStream;
import io.grpc.Drainable;
import io.grpc.HasByteBuffer;
import io.grpc.KnownLength;
import io.tally.rpc.TallyException;
import io.tally.rpc.v1.Batch;
import io.tally.rpc.v1.End;
import io.tally.rpc.v1.ErrorCode;
import io.tally.rpc.v1.Opened;
import io.tally.rpc.v1.ScanResponse;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.FilterInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;
import org.apache.arrow.memory.ArrowBuf;
import org.apache.arrow.memory.BufferAllocator;
import org.apache.arrow.memory.RootAllocator;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** The marshaller against the generated classes, field by field and with damage. */
class ScanFrameMarshallerTest {
  private static final ByteString BODY = ByteString.copyFromUtf8("16 bytes of body");
  private static final ScanResponse BATCH =
      ScanResponse.newBuilder()
          .setBatch(Batch.newBuilder().setSequence(3).setRows(5).setHeader(BODY))
          .setBody(BODY)
          .build();

  private final BufferAllocator allocator = new RootAllocator();

  @AfterEach
  void nothingLeaks() {
    allocator.close();
  }

  @Test
  void readsWhatTheGeneratedClassWrote() {
    assertFrame(BATCH, BATCH.toByteArray());
    ScanResponse opened =
        ScanResponse.newBuilder().setOpened(Opened.newBuilder().setNodeId("a")).build();
    assertFrame(opened, opened.toByteArray());
    ScanResponse end = ScanResponse.newBuilder().setEnd(End.newBuilder().setRows(9)).build();
    assertFrame(end, end.toByteArray());
    assertFrame(ScanResponse.getDefaultInstance(), new byte[0]);
  }

  @Test
  void readsFieldsInAnyOrderAndSkipsUnknownOnes() throws IOException {
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    CodedOutputStream out = CodedOutputStream.newInstance(bytes);
    out.writeUInt64(77, -1L);
    out.writeBytes(ScanResponse.BODY_FIELD_NUMBER, BODY);
    out.writeFixed64(78, 1);
    out.writeFixed32(79, 1);
    out.writeString(80, "unknown");
    // A group may hold anything, also what looks like a body.
    out.writeTag(81, 3);
    out.writeBytes(ScanResponse.BODY_FIELD_NUMBER, BODY);
    out.writeTag(81, 3);
    out.writeTag(81, 4);
    out.writeTag(81, 4);
    // Of another type than the field of that number, so not that field.
    out.writeUInt32(ScanResponse.BODY_FIELD_NUMBER, 1);
    out.writeUInt32(ScanResponse.END_FIELD_NUMBER, 1);
    out.writeMessage(ScanResponse.BATCH_FIELD_NUMBER, BATCH.getBatch());
    out.flush();
    assertFrame(BATCH, bytes.toByteArray());
  }

  @Test
  void addsUpPartsOfOneMessageAsProtobufDoes() throws IOException {
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    CodedOutputStream out = CodedOutputStream.newInstance(bytes);
    out.writeMessage(2, Batch.newBuilder().setSequence(3).build());
    out.writeMessage(2, Batch.newBuilder().setRows(5).setHeader(BODY).build());
    out.writeBytes(ScanResponse.BODY_FIELD_NUMBER, BODY);
    out.flush();
    assertFrame(BATCH, bytes.toByteArray());
  }

  @Test
  void theGeneratedClassReadsWhatIsWritten() throws IOException {
    assertEquals(BATCH, ScanResponse.parseFrom(Batches.bytes(batch(BODY), allocator)));
    // Padding goes between the buffers of a body and behind the last.
    ScanFrame twoBuffers = batch(ByteString.copyFromUtf8("12345"), ByteString.copyFromUtf8("678"));
    assertEquals(16, twoBuffers.bodyBytes());
    assertEquals(
        ByteString.copyFromUtf8("12345\0\0\000678\0\0\0\0\0"),
        ScanResponse.parseFrom(Batches.bytes(twoBuffers, allocator)).getBody());
    assertArrayEquals(
        BATCH.toByteArray(),
        Batches.bytes(batch(BODY), allocator),
        "the generated class, too, writes the body last");
  }

  @Property(tries = 200)
  void everyWayOfReadingAStreamYieldsTheSame(
      @ForAll @IntRange(max = 100_000) int bodyBytes,
      @ForAll @IntRange(min = 1, max = 40_000) int step,
      @ForAll long seed)
      throws IOException {
    byte[] body = new byte[bodyBytes / 8 * 8];
    new Random(seed).nextBytes(body);
    try (BufferAllocator own = new RootAllocator()) {
      ScanFrameMarshaller marshaller = new ScanFrameMarshaller(own);
      ScanResponse expected = BATCH.toBuilder().setBody(ByteString.copyFrom(body)).build();
      byte[] bytes = expected.toByteArray();
      try (ScanFrame direct = marshaller.parse(new NettyLike(bytes, step));
          ScanFrame plain =
              marshaller.parse(new FilterInputStream(new ByteArrayInputStream(bytes)) {});
          InputStream stream = marshaller.stream(direct)) {
        assertArrayEquals(bytes, Batches.bytes(plain, own));
        assertEquals(bytes.length, stream.available());
        ByteArrayOutputStream read = new ByteArrayOutputStream();
        byte[] piece = new byte[step];
        read.write(stream.read());
        for (int n = stream.read(piece); n > 0; n = stream.read(piece)) {
          read.write(piece, 0, n);
        }
        assertEquals(-1, stream.read());
        assertArrayEquals(bytes, read.toByteArray());
      }
    }
  }

  @Test
  void everyCutIsAViolation() {
    byte[] whole = BATCH.toByteArray();
    int headBytes = BATCH.toBuilder().clearBody().build().getSerializedSize();
    for (int length = 1; length < whole.length; length++) {
      if (length != headBytes) { // there, it is a batch without a body
        assertViolation(Arrays.copyOf(whole, length));
      }
    }
  }

  @Test
  void damageIsAViolation() throws IOException {
    byte[] batch = BATCH.toByteArray();
    assertViolation(
        concat(batch, BATCH.toBuilder().clearBatch().build().toByteArray())); // two bodies
    assertViolation(BATCH.toBuilder().clearBatch().build().toByteArray()); // a body alone
    assertViolation(
        BATCH.toBuilder().setEnd(End.getDefaultInstance()).build().toByteArray()); // of an end
    assertViolation(
        BATCH.toBuilder().setBody(ByteString.copyFromUtf8("not padded")).build().toByteArray());
    assertViolation(new byte[] {0}); // field 0
    assertViolation(new byte[] {7}); // wire type 7
    assertViolation(new byte[] {12}); // end of a group that never began
    assertViolation(new byte[] {11, 20}); // end of another group
    assertViolation(new byte[] {-1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1}); // endless number
    assertViolation(new byte[] {-1, -1, -1, -1, -1, 1}); // tag of more than 32 bits
    assertViolation(repeat((byte) 11, 1_000)); // groups in groups
    ByteArrayOutputStream huge = new ByteArrayOutputStream();
    CodedOutputStream out = CodedOutputStream.newInstance(huge);
    out.writeTag(ScanResponse.BODY_FIELD_NUMBER, 2);
    out.writeUInt64NoTag(1L << 40);
    out.flush();
    assertViolation(huge.toByteArray());
  }

  @Test
  void aLengthIsNotBelievedBeforeItIsThere() throws IOException {
    try (BufferAllocator bounded = allocator.newChildAllocator("bounded", 0, 1 << 20)) {
      ByteArrayOutputStream bytes = new ByteArrayOutputStream();
      CodedOutputStream out = CodedOutputStream.newInstance(bytes);
      out.writeTag(ScanResponse.BODY_FIELD_NUMBER, 2);
      out.writeUInt32NoTag(1 << 19);
      out.flush();
      assertViolation(bytes.toByteArray());
      assertEquals(0, bounded.getPeakMemoryAllocation());
    }
  }

  @Test
  void moreThanTheAllocatorGrantsIsAViolation() {
    try (BufferAllocator bounded = allocator.newChildAllocator("bounded", 0, 1 << 10)) {
      byte[] bytes =
          BATCH.toBuilder().setBody(ByteString.copyFrom(new byte[1 << 11])).build().toByteArray();
      TallyException e = assertThrows(TallyException.class, () -> Batches.frame(bytes, bounded));
      assertEquals(ErrorCode.PROTOCOL_VIOLATION, e.code());
    }
  }

  @Test
  void aLargeEventIsAViolation() {
    byte[] bytes =
        ScanResponse.newBuilder()
            .setOpened(Opened.newBuilder().setNodeId("x".repeat(ScanFrameParser.MAX_MESSAGE_BYTES)))
            .build()
            .toByteArray();
    assertViolation(bytes);
  }

  @Test
  void closingAStreamThatWasNeverReadFreesTheFrame() throws IOException {
    ScanFrame frame = batch(BODY);
    InputStream stream = new ScanFrameMarshaller(allocator).stream(frame);
    stream.close();
    assertEquals(0, allocator.getAllocatedMemory());
    stream.close();
    frame.close();
    assertEquals(-1, stream.read());
  }

  @Test
  void drainingFreesTheFrameAlsoIfItFails() throws IOException {
    InputStream stream = new ScanFrameMarshaller(allocator).stream(batch(BODY));
    OutputStream broken =
        new OutputStream() {
          @Override
          public void write(int b) throws IOException {
            throw new IOException("broken");
          }
        };
    assertThrows(IOException.class, () -> ((Drainable) stream).drainTo(broken));
    assertEquals(0, allocator.getAllocatedMemory());
    stream.close();
  }

  private ScanFrame batch(ByteString... buffers) {
    List<ArrowBuf> body = new ArrayList<>();
    for (ByteString bytes : buffers) {
      ArrowBuf buffer = allocator.buffer(bytes.size());
      buffer.writeBytes(bytes.toByteArray());
      body.add(buffer);
    }
    return ScanFrame.ofBatch(BATCH.toBuilder().clearBody().build(), body);
  }

  private void assertFrame(ScanResponse expected, byte[] bytes) {
    try (ScanFrame frame = Batches.frame(bytes, allocator)) {
      assertEquals(expected.toBuilder().clearBody().build(), frame.message());
      assertEquals(expected.getBody().size(), frame.bodyBytes());
      if (frame.bodyBytes() > 0) {
        byte[] body = new byte[expected.getBody().size()];
        frame.body().get(0).getBytes(0, body);
        assertEquals(expected.getBody(), ByteString.copyFrom(body));
        assertEquals(0, frame.body().get(0).memoryAddress() % 8);
      }
    }
  }

  private void assertViolation(byte[] bytes) {
    TallyException e =
        assertThrows(
            TallyException.class,
            () -> Batches.frame(bytes, allocator).close(),
            () -> Arrays.toString(bytes));
    assertEquals(ErrorCode.PROTOCOL_VIOLATION, e.code());
    assertEquals(0, allocator.getAllocatedMemory());
  }

  private static byte[] concat(byte[] first, byte[] second) {
    byte[] both = Arrays.copyOf(first, first.length + second.length);
    System.arraycopy(second, 0, both, first.length, second.length);
    return both;
  }

  private static byte[] repeat(byte value, int times) {
    byte[] bytes = new byte[times];
    Arrays.fill(bytes, value);
    return bytes;
  }

  /** A message as gRPC's Netty transport hands it over: in direct buffers of any size. */
  private static final class NettyLike extends InputStream implements KnownLength, HasByteBuffer {
    private final ByteBuffer bytes;
    private final int step;

    NettyLike(byte[] bytes, int step) {
      this.bytes = ByteBuffer.allocateDirect(bytes.length).put(bytes).flip();
      this.step = step;
    }

    @Override
    public boolean byteBufferSupported() {
      return true;
    }

    @Override
    public ByteBuffer getByteBuffer() {
      return bytes.slice(bytes.position(), Math.min(step, bytes.remaining()));
    }

    @Override
    public int available() {
      return bytes.remaining();
    }

    @Override
    public int read() {
      return bytes.hasRemaining() ? bytes.get() & 0xFF : -1;
    }

    @Override
    public int read(byte[] target, int offset, int length) {
      int n = Math.min(length, bytes.remaining());
      bytes.get(target, offset, n);
      return n == 0 && length > 0 ? -1 : n;
    }

    @Override
    public long skip(long n) {
      int skipped = (int) Math.min(n, bytes.remaining());
      bytes.position(bytes.position() + skipped);
      return skipped;
    }
  }
}
