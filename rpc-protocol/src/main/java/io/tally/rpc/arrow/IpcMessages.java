package io.tally.rpc.arrow;

import com.google.protobuf.ByteString;
import com.google.protobuf.UnsafeByteOperations;
import io.tally.rpc.TallyException;
import io.tally.rpc.v1.ErrorCode;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.List;
import org.apache.arrow.flatbuf.Message;
import org.apache.arrow.flatbuf.MetadataVersion;
import org.apache.arrow.memory.ArrowBuf;

/**
 * Wraps the flatbuffer of an Arrow IPC message into its envelope (continuation marker, length,
 * flatbuffer, padding to 8 bytes) and takes it out again.
 */
final class IpcMessages {
  /** What IPC pads messages, bodies and buffers to. */
  static final int ALIGNMENT_BYTES = 8;

  private static final int CONTINUATION = 0xFFFFFFFF;
  private static final int PREFIX_BYTES = 2 * Integer.BYTES;

  private IpcMessages() {}

  static long padded(long bytes) {
    return (bytes + ALIGNMENT_BYTES - 1) / ALIGNMENT_BYTES * ALIGNMENT_BYTES;
  }

  /** The size of a body of these buffers, each padded. */
  static long bodyBytes(List<ArrowBuf> buffers) {
    return buffers.stream().mapToLong(buffer -> padded(buffer.readableBytes())).sum();
  }

  /** The encapsulated message around {@code flatbuffer}, which is consumed. */
  static ByteString encapsulate(ByteBuffer flatbuffer) {
    int length = (int) padded(flatbuffer.remaining());
    ByteBuffer message = ByteBuffer.allocate(PREFIX_BYTES + length).order(ByteOrder.LITTLE_ENDIAN);
    message.putInt(CONTINUATION).putInt(length).put(flatbuffer).rewind();
    return UnsafeByteOperations.unsafeWrap(message);
  }

  /**
   * The message in an envelope.
   *
   * <p>Flatbuffers are read where they lie, so every access to the result can still meet damage; an
   * access outside of the bytes throws a RuntimeException.
   *
   * @param headerType as in {@code org.apache.arrow.flatbuf.MessageHeader}
   * @throws TallyException PROTOCOL_VIOLATION
   */
  static Message open(ByteString encapsulated, byte headerType, String what) {
    if (encapsulated.size() < PREFIX_BYTES) {
      throw violation("The Arrow " + what + " message is cut off.", null);
    }
    ByteBuffer bytes = encapsulated.asReadOnlyByteBuffer().order(ByteOrder.LITTLE_ENDIAN);
    if (bytes.getInt() != CONTINUATION) {
      throw violation("The Arrow " + what + " message has no continuation marker.", null);
    }
    int length = bytes.getInt();
    if (length != bytes.remaining() || length % ALIGNMENT_BYTES != 0) {
      throw violation(
          "The Arrow %s message declares %d bytes of metadata and has %d; both must be the same multiple of %d."
              .formatted(what, length, bytes.remaining(), ALIGNMENT_BYTES),
          null);
    }
    try {
      Message message = Message.getRootAsMessage(bytes.slice().order(ByteOrder.LITTLE_ENDIAN));
      if (message.headerType() != headerType) {
        throw violation("An Arrow message is not the " + what + " that it should be.", null);
      }
      if (message.version() < MetadataVersion.V4 || message.version() > MetadataVersion.V5) {
        throw violation("The Arrow " + what + " message has an unknown metadata version.", null);
      }
      return message;
    } catch (IndexOutOfBoundsException e) {
      throw violation("The Arrow " + what + " message is damaged.", e);
    }
  }

  static TallyException violation(String sentence, Throwable cause) {
    return new TallyException(ErrorCode.PROTOCOL_VIOLATION, sentence, cause);
  }
}
