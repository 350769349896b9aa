package io.tally.server.grpc;

import com.google.protobuf.CodedInputStream;
import com.google.protobuf.InvalidProtocolBufferException;
import io.grpc.MethodDescriptor;
import io.tally.rpc.TallyException;
import io.tally.rpc.v1.ErrorCode;
import io.tally.rpc.v1.ScanRequest;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;

/** A message of a scan's client as it was parsed, or why it could not be. */
sealed interface ReceivedRequest {
  /** A request. */
  record Parsed(ScanRequest request) implements ReceivedRequest {}

  /** Bytes that are no request. */
  record Unreadable(TallyException error) implements ReceivedRequest {}

  /**
   * Parses requests. Expressions are two messages a level, so that Protobuf's own limit on nesting
   * would refuse what the protocol allows; and a request that gRPC fails to parse would end with an
   * untyped error.
   */
  final class Marshaller implements MethodDescriptor.Marshaller<ReceivedRequest> {
    /** Messages round and between expressions, with room to spare. */
    private static final int OTHER_LEVELS = 40;

    private static final int FEWEST_LEVELS = 600;

    private final int levels;

    Marshaller(int expressionDepth) {
      this.levels = Math.max(FEWEST_LEVELS, 2 * expressionDepth + OTHER_LEVELS);
    }

    @Override
    public InputStream stream(ReceivedRequest request) {
      throw new UnsupportedOperationException("a node does not send requests");
    }

    @Override
    public ReceivedRequest parse(InputStream stream) {
      try {
        CodedInputStream coded = CodedInputStream.newInstance(stream);
        coded.setRecursionLimit(levels);
        coded.setSizeLimit(Integer.MAX_VALUE); // gRPC has limited it already
        return new Parsed(ScanRequest.parseFrom(coded));
      } catch (InvalidProtocolBufferException e) {
        return new Unreadable(
            new TallyException(
                ErrorCode.INVALID_REQUEST,
                "A message of the scan is not a ScanRequest, or is nested deeper than %d messages: %s"
                    .formatted(levels, e.getMessage()),
                e));
      } catch (IOException e) {
        throw new UncheckedIOException(e);
      }
    }
  }
}
