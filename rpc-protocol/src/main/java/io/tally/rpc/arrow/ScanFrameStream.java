package io.tally.rpc.arrow;

import com.google.protobuf.CodedOutputStream;
import com.google.protobuf.WireFormat;
import io.grpc.Drainable;
import io.grpc.KnownLength;
import io.tally.rpc.v1.ScanResponse;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.util.Arrays;
import java.util.List;
import org.apache.arrow.memory.ArrowBuf;

/**
 * Receives a frame and hands its bytes to gRPC: the message, then the body as the last field, each
 * buffer padded to 8 bytes. Closes the frame when it is drained or closed; gRPC closes every
 * message stream, also that of a call that is over.
 *
 * <p>The body is copied once into a staging array and from there, by gRPC, into the socket's
 * buffer: gRPC's public API takes bytes only as {@code OutputStream.write(byte[])}. The array is
 * small enough to stay in the processor's cache, so main memory sees one read and one write.
 */
final class ScanFrameStream extends InputStream implements Drainable, KnownLength {
  private static final int STAGING_BYTES = 32 << 10;
  private static final ThreadLocal<byte[]> STAGING =
      ThreadLocal.withInitial(() -> new byte[STAGING_BYTES]);

  private final ScanFrame frame;
  private final byte[] head;
  private final List<ArrowBuf> body;
  private int remainingBytes;

  /** The next byte: in the head while {@code bufferIndex} is -1, then in that buffer. */
  private int bufferIndex = -1;

  private long position;

  /** Owns {@code frame} unless it throws. */
  ScanFrameStream(ScanFrame frame) {
    this.frame = frame;
    this.head = head(frame);
    this.body = frame.body();
    long bytes = head.length + frame.bodyBytes();
    if (bytes > Integer.MAX_VALUE) {
      throw new IllegalArgumentException(
          "a batch of %d bytes is larger than a gRPC message can be".formatted(bytes));
    }
    this.remainingBytes = (int) bytes;
  }

  private static byte[] head(ScanFrame frame) {
    ScanResponse message = frame.message();
    int messageBytes = message.getSerializedSize();
    long bodyBytes = frame.bodyBytes();
    int fieldBytes =
        bodyBytes == 0
            ? 0
            : CodedOutputStream.computeTagSize(ScanResponse.BODY_FIELD_NUMBER)
                + CodedOutputStream.computeUInt64SizeNoTag(bodyBytes);
    byte[] head = new byte[messageBytes + fieldBytes];
    CodedOutputStream out = CodedOutputStream.newInstance(head);
    try {
      message.writeTo(out);
      if (bodyBytes > 0) {
        out.writeTag(ScanResponse.BODY_FIELD_NUMBER, WireFormat.WIRETYPE_LENGTH_DELIMITED);
        out.writeUInt64NoTag(bodyBytes);
      }
      out.checkNoSpaceLeft();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    return head;
  }

  @Override
  public int available() {
    return remainingBytes;
  }

  @Override
  public int drainTo(OutputStream target) throws IOException {
    byte[] staging = STAGING.get();
    int drained = 0;
    try {
      for (int n = fill(staging, 0, staging.length); n > 0; n = fill(staging, 0, staging.length)) {
        target.write(staging, 0, n);
        drained += n;
      }
    } finally {
      close();
    }
    return drained;
  }

  @Override
  public int read() {
    byte[] one = new byte[1];
    return fill(one, 0, 1) == 0 ? -1 : one[0] & 0xFF;
  }

  @Override
  public int read(byte[] target, int offset, int length) {
    int n = fill(target, offset, length);
    return n == 0 && length > 0 ? -1 : n;
  }

  @Override
  public void close() {
    remainingBytes = 0;
    frame.close();
  }

  /** Copies the next bytes, as many as there are room and bytes for. */
  private int fill(byte[] target, int offset, int length) {
    int wanted = Math.min(length, remainingBytes);
    int filled = 0;
    while (filled < wanted) {
      filled += fillFromOnePart(target, offset + filled, wanted - filled);
    }
    remainingBytes -= filled;
    return filled;
  }

  private int fillFromOnePart(byte[] target, int offset, int length) {
    ArrowBuf buffer = bufferIndex < 0 ? null : body.get(bufferIndex);
    long dataBytes = buffer == null ? head.length : buffer.readableBytes();
    long partBytes = buffer == null ? head.length : IpcMessages.padded(dataBytes);
    int n;
    if (position < dataBytes) {
      n = (int) Math.min(length, dataBytes - position);
      if (buffer == null) {
        System.arraycopy(head, (int) position, target, offset, n);
      } else {
        buffer.getBytes(buffer.readerIndex() + position, target, offset, n);
      }
    } else {
      n = (int) Math.min(length, partBytes - position);
      Arrays.fill(target, offset, offset + n, (byte) 0);
    }
    position += n;
    if (position == partBytes) {
      bufferIndex++;
      position = 0;
    }
    return n;
  }
}
