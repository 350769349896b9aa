package io.tally.rpc.arrow;

import io.grpc.MethodDescriptor;
import io.tally.rpc.v1.ScanResponse;
import java.io.InputStream;
import org.apache.arrow.memory.BufferAllocator;

/**
 * Turns {@link ScanFrame}s into the bytes of a {@code ScanResponse} and back, moving the body
 * between Arrow memory and gRPC's buffers without parsing it.
 */
final class ScanFrameMarshaller implements MethodDescriptor.Marshaller<ScanFrame> {
  /** Where the bodies of parsed frames are allocated. */
  private final BufferAllocator allocator;

  ScanFrameMarshaller(BufferAllocator allocator) {
    this.allocator = allocator;
  }

  /**
   * The bytes of {@code frame}, which the stream owns from now on.
   *
   * @throws IllegalArgumentException if the message is larger than gRPC can send (2 GiB); the frame
   *     is closed
   */
  @Override
  public InputStream stream(ScanFrame frame) {
    try {
      return new ScanFrameStream(frame);
    } catch (RuntimeException e) {
      frame.close();
      throw e;
    }
  }

  /**
   * The frame in {@code stream}.
   *
   * @throws io.tally.rpc.TallyException PROTOCOL_VIOLATION if the bytes are not a {@link
   *     ScanResponse}, or more than the allocator grants
   */
  @Override
  public ScanFrame parse(InputStream stream) {
    return ScanFrameParser.parse(stream, allocator);
  }
}
