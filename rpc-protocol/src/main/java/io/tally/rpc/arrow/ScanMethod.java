package io.tally.rpc.arrow;

import io.grpc.MethodDescriptor;
import io.tally.rpc.v1.ScanRequest;
import org.apache.arrow.memory.BufferAllocator;

/**
 * The method {@code tally.v1.PartitionService/Scan}, with frames in place of generated responses.
 */
public final class ScanMethod {
  private ScanMethod() {}

  /**
   * For either side. Bodies of received frames are allocated from {@code allocator}; a client may
   * use one descriptor per call and so account each stream's memory by itself.
   */
  public static MethodDescriptor<ScanRequest, ScanFrame> descriptor(BufferAllocator allocator) {
    throw new UnsupportedOperationException("skeleton");
  }
}
