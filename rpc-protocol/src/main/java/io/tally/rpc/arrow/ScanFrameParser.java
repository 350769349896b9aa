package io.tally.rpc.arrow;

import com.google.protobuf.CodedOutputStream;
import com.google.protobuf.InvalidProtocolBufferException;
import com.google.protobuf.WireFormat;
import io.grpc.HasByteBuffer;
import io.grpc.KnownLength;
import io.tally.rpc.v1.ScanResponse;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.util.List;
import org.apache.arrow.memory.ArrowBuf;
import org.apache.arrow.memory.BufferAllocator;
import org.apache.arrow.memory.OutOfMemoryException;
import org.apache.arrow.memory.util.MemoryUtil;

/**
 * Receives the bytes of one {@code ScanResponse} and hands on a frame. Fields may come in any
 * order, as protobuf allows. The body is copied once, from gRPC's buffers into one Arrow buffer (in
 * a JVM that keeps Arrow from these buffers, by way of a small array); the other fields are small
 * and left to the generated parser; unknown fields are skipped.
 *
 * <p>Nothing is allocated for a length before that many bytes are known to be there.
 */
final class ScanFrameParser {
  /** Most bytes of a frame besides its body; what gRPC grants an ordinary message. */
  static final int MAX_MESSAGE_BYTES = 4 << 20;

  private static final int MAX_GROUP_DEPTH = 100;
  private static final int STAGING_BYTES = 32 << 10;
  private static final ThreadLocal<byte[]> STAGING =
      ThreadLocal.withInitial(() -> new byte[STAGING_BYTES]);

  /** False in a JVM without {@code --add-opens=java.base/java.nio}, which Spark's launcher adds. */
  private static final boolean ARROW_REACHES_DIRECT_BUFFERS = arrowReachesDirectBuffers();

  private final InputStream in;
  private final BufferAllocator allocator;
  private final ByteArrayOutputStream small = new ByteArrayOutputStream();
  private int remainingBytes;
  private boolean bodySeen;
  private ArrowBuf body;

  private ScanFrameParser(InputStream in, BufferAllocator allocator) throws IOException {
    this.in = in;
    this.allocator = allocator;
    this.remainingBytes = in.available();
  }

  static ScanFrame parse(InputStream stream, BufferAllocator allocator) {
    ScanFrameParser parser = null;
    boolean parsed = false;
    try {
      parser = new ScanFrameParser(withKnownLength(stream), allocator);
      ScanFrame frame = parser.parse();
      parsed = true;
      return frame;
    } catch (IOException e) {
      throw IpcMessages.violation("A message of the scan is damaged: " + e.getMessage() + ".", e);
    } catch (OutOfMemoryException e) {
      throw IpcMessages.violation(
          "The node sent more than was asked for: a batch does not fit into what is left of the scan's memory.",
          e);
    } finally {
      if (!parsed && parser != null && parser.body != null) {
        parser.body.close();
      }
    }
  }

  /**
   * gRPC's uncompressed messages know their length. Others (no side of this protocol compresses, a
   * proxy may) are read to the end first; gRPC bounds them.
   */
  private static InputStream withKnownLength(InputStream stream) throws IOException {
    return stream instanceof KnownLength || stream instanceof ByteArrayInputStream
        ? stream
        : new ByteArrayInputStream(stream.readAllBytes());
  }

  private ScanFrame parse() throws IOException {
    while (remainingBytes > 0) {
      readField(readTag());
    }
    ScanResponse message = ScanResponse.parseFrom(small.toByteArray());
    if (body != null && message.getEventCase() != ScanResponse.EventCase.BATCH) {
      throw new InvalidProtocolBufferException("a body without a batch");
    }
    return body == null ? ScanFrame.of(message) : ScanFrame.ofBatch(message, List.of(body));
  }

  private void readField(int tag) throws IOException {
    int wireType = WireFormat.getTagWireType(tag);
    int field = WireFormat.getTagFieldNumber(tag);
    if (wireType != WireFormat.WIRETYPE_LENGTH_DELIMITED) {
      skip(tag, 0);
    } else if (field == ScanResponse.BODY_FIELD_NUMBER) {
      readBody(readLength());
    } else if (ScanResponse.EventCase.forNumber(field) != null) {
      readSmall(tag, readLength());
    } else {
      skipBytes(readLength());
    }
  }

  private void readBody(int length) throws IOException {
    if (bodySeen) {
      throw new InvalidProtocolBufferException("two bodies");
    }
    bodySeen = true;
    if (length % IpcMessages.ALIGNMENT_BYTES != 0) {
      throw new InvalidProtocolBufferException("the body is not padded");
    }
    if (length == 0) {
      return;
    }
    body = allocator.buffer(length);
    if (ARROW_REACHES_DIRECT_BUFFERS
        && in instanceof HasByteBuffer buffers
        && buffers.byteBufferSupported()) {
      copyFromByteBuffers(buffers, length);
    } else {
      copyThroughStaging(length);
    }
    body.writerIndex(length);
    remainingBytes -= length;
  }

  private static boolean arrowReachesDirectBuffers() {
    try {
      return MemoryUtil.getByteBufferAddress(ByteBuffer.allocateDirect(1)) != 0;
    } catch (UnsupportedOperationException e) {
      return false;
    }
  }

  private void copyFromByteBuffers(HasByteBuffer buffers, int length) throws IOException {
    int copied = 0;
    while (copied < length) {
      ByteBuffer source = buffers.getByteBuffer();
      if (source == null || !source.hasRemaining()) {
        throw cutOff();
      }
      int n = Math.min(source.remaining(), length - copied);
      body.setBytes(copied, source, source.position(), n);
      in.skipNBytes(n);
      copied += n;
    }
  }

  private void copyThroughStaging(int length) throws IOException {
    byte[] staging = STAGING.get();
    int copied = 0;
    while (copied < length) {
      int n = in.read(staging, 0, Math.min(staging.length, length - copied));
      if (n <= 0) {
        throw cutOff();
      }
      body.setBytes(copied, staging, 0, n);
      copied += n;
    }
  }

  /** Keeps a field for the generated parser; parts of the same message add up there. */
  private void readSmall(int tag, int length) throws IOException {
    if (small.size() + (long) length > MAX_MESSAGE_BYTES) {
      throw new InvalidProtocolBufferException(
          "more than " + MAX_MESSAGE_BYTES + " bytes besides the body");
    }
    CodedOutputStream out = CodedOutputStream.newInstance(small, 2 * Long.BYTES);
    out.writeUInt32NoTag(tag);
    out.writeUInt32NoTag(length);
    out.flush();
    small.write(in.readNBytes(length));
    remainingBytes -= length;
  }

  /** Skips the value behind {@code tag}. */
  private void skip(int tag, int groupDepth) throws IOException {
    switch (WireFormat.getTagWireType(tag)) {
      case WireFormat.WIRETYPE_VARINT -> readVarint();
      case WireFormat.WIRETYPE_FIXED64 -> skipBytes(Long.BYTES);
      case WireFormat.WIRETYPE_FIXED32 -> skipBytes(Integer.BYTES);
      case WireFormat.WIRETYPE_LENGTH_DELIMITED -> skipBytes(readLength());
      case WireFormat.WIRETYPE_START_GROUP -> skipGroup(tag, groupDepth + 1);
      default -> throw new InvalidProtocolBufferException("an impossible wire type");
    }
  }

  private void skipGroup(int startTag, int depth) throws IOException {
    if (depth > MAX_GROUP_DEPTH) {
      throw new InvalidProtocolBufferException("groups are nested too deep");
    }
    int endTag = startTag - WireFormat.WIRETYPE_START_GROUP + WireFormat.WIRETYPE_END_GROUP;
    for (int tag = readTag(); tag != endTag; tag = readTag()) {
      skip(tag, depth);
    }
  }

  private int readTag() throws IOException {
    long tag = readVarint();
    if (tag >>> Integer.SIZE != 0 || WireFormat.getTagFieldNumber((int) tag) == 0) {
      throw new InvalidProtocolBufferException("an impossible field number");
    }
    return (int) tag;
  }

  /** A length that the rest of the message can hold. */
  private int readLength() throws IOException {
    long length = readVarint();
    if (length < 0 || length > remainingBytes) {
      throw new InvalidProtocolBufferException(
          "a field of %d bytes where %d are left".formatted(length, remainingBytes));
    }
    return (int) length;
  }

  private long readVarint() throws IOException {
    long value = 0;
    for (int shift = 0; shift < Long.SIZE; shift += 7) {
      int next = remainingBytes == 0 ? -1 : in.read();
      if (next < 0) {
        throw cutOff();
      }
      remainingBytes--;
      value |= (next & 0x7FL) << shift;
      if (next < 0x80) {
        return value;
      }
    }
    throw new InvalidProtocolBufferException("a number longer than ten bytes");
  }

  private void skipBytes(int length) throws IOException {
    if (length > remainingBytes) {
      throw cutOff();
    }
    in.skipNBytes(length);
    remainingBytes -= length;
  }

  private static EOFException cutOff() {
    return new EOFException("it is cut off");
  }
}
