package io.tally.rpc.arrow;

import io.tally.rpc.v1.ScanResponse;
import java.util.List;
import org.apache.arrow.memory.ArrowBuf;

/**
 * A {@code ScanResponse} whose {@code body}, if it has one, lies in Arrow memory instead of in the
 * message. Owns that memory until it is closed or until {@link RecordBatchDecoder} has taken it
 * over. Not safe for concurrent use.
 *
 * <p>A frame handed to gRPC for sending is closed by {@link ScanFrameMarshaller} once it is
 * written.
 */
public final class ScanFrame implements AutoCloseable {
  /** A frame without a body: Opened, Progress or End. */
  public static ScanFrame of(ScanResponse message) {
    throw new UnsupportedOperationException("skeleton");
  }

  /**
   * A batch: takes ownership of {@code body}, the buffers of the record batch in IPC order without
   * padding.
   */
  public static ScanFrame ofBatch(ScanResponse message, List<ArrowBuf> body) {
    throw new UnsupportedOperationException("skeleton");
  }

  /** The message; its {@code body} field is empty. */
  public ScanResponse message() {
    throw new UnsupportedOperationException("skeleton");
  }

  /** Size of the body on the wire, padding included. */
  public long bodyBytes() {
    throw new UnsupportedOperationException("skeleton");
  }

  /** Releases the body; may be called again. */
  @Override
  public void close() {
    throw new UnsupportedOperationException("skeleton");
  }
}
