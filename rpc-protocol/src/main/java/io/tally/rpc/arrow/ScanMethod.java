package io.tally.rpc.arrow;

import io.grpc.MethodDescriptor;
import io.tally.rpc.v1.PartitionServiceGrpc;
import io.tally.rpc.v1.ScanRequest;
import org.apache.arrow.memory.BufferAllocator;

/**
 * The method {@code tally.v1.PartitionService/Scan}, with frames in place of generated responses.
 */
public final class ScanMethod {
  private ScanMethod() {}

  /**
   * For either side. Bodies of received frames are allocated from {@code allocator}; a client may
   * use one descriptor per call and so account each stream's memory by itself. A node, which
   * receives no frames, may pass any allocator: nothing is allocated from it.
   *
   * <p>A frame that is sent is freed on every path over a network, also when the call is cancelled
   * meanwhile. gRPC's transport inside of a process drops a message of a cancelled call without
   * closing it, which would leak; it is of use for tests that do not cancel.
   *
   * <p>A frame that cannot be parsed ends the call with a status whose cause is a {@link
   * io.tally.rpc.TallyException} with PROTOCOL_VIOLATION.
   */
  public static MethodDescriptor<ScanRequest, ScanFrame> descriptor(BufferAllocator allocator) {
    MethodDescriptor<ScanRequest, ?> generated = PartitionServiceGrpc.getScanMethod();
    return generated.toBuilder(generated.getRequestMarshaller(), new ScanFrameMarshaller(allocator))
        .build();
  }
}
