package io.tally.rpc.arrow;

import io.tally.rpc.v1.ScanResponse;
import java.util.List;
import java.util.Optional;
import org.apache.arrow.memory.ArrowBuf;

/**
 * A {@code ScanResponse} whose {@code body}, if it has one, lies in Arrow memory instead of in the
 * message. Owns that memory until it is closed or until {@link RecordBatchDecoder} has taken it
 * over. Not safe for concurrent use.
 *
 * <p>A frame handed to gRPC for sending is closed by {@link ScanFrameMarshaller} once it is
 * written, or once gRPC has dropped it because the call is over. Only where {@code sendMessage}
 * itself throws before it came to that does the caller close it; closing again is harmless.
 */
public final class ScanFrame implements AutoCloseable {
  private final ScanResponse message;
  private final long bodyBytes;
  private List<ArrowBuf> body;

  private ScanFrame(ScanResponse message, List<ArrowBuf> body) {
    if (!message.getBody().isEmpty()) {
      throw new IllegalArgumentException("the body lies beside the message, not in it");
    }
    this.message = message;
    this.body = List.copyOf(body);
    this.bodyBytes = IpcMessages.bodyBytes(body);
  }

  /** A frame without a body: Opened, Progress or End. */
  public static ScanFrame of(ScanResponse message) {
    return new ScanFrame(message, List.of());
  }

  /**
   * A batch: takes ownership of {@code body}, the buffers of the record batch in IPC order without
   * padding.
   */
  public static ScanFrame ofBatch(ScanResponse message, List<ArrowBuf> body) {
    return new ScanFrame(message, body);
  }

  /** The same frame once more: both share the memory, and each has to be closed. */
  public ScanFrame share() {
    body.forEach(buffer -> buffer.getReferenceManager().retain());
    return new ScanFrame(message, body);
  }

  /** The message; its {@code body} field is empty. */
  public ScanResponse message() {
    return message;
  }

  /** Size of the body on the wire, padding included. */
  public long bodyBytes() {
    return bodyBytes;
  }

  /**
   * The buffers, each to be padded to 8 bytes on the wire; one buffer if the frame was received.
   * Still owned by the frame.
   */
  List<ArrowBuf> body() {
    return body;
  }

  /**
   * A part of one buffer of the body, or empty if there is no such part. Not retained.
   *
   * @param offset where the part begins on the wire
   */
  Optional<ArrowBuf> bodyPart(long offset, long bytes) {
    long start = 0;
    for (ArrowBuf buffer : body) {
      if (offset >= start && bytes >= 0 && bytes <= buffer.readableBytes() - (offset - start)) {
        return Optional.of(buffer.slice(buffer.readerIndex() + offset - start, bytes));
      }
      start += IpcMessages.padded(buffer.readableBytes());
    }
    return Optional.empty();
  }

  /** Releases the body; may be called again. */
  @Override
  public void close() {
    List<ArrowBuf> released = body;
    body = List.of();
    released.forEach(ArrowBuf::close);
  }
}
