package io.tally.rpc;

import com.google.common.base.Throwables;
import io.grpc.Metadata;
import io.grpc.Status;
import io.grpc.StatusRuntimeException;
import io.grpc.protobuf.ProtoUtils;
import io.tally.rpc.v1.ErrorCode;
import io.tally.rpc.v1.ErrorDetail;

/**
 * Carries a {@link TallyException} over gRPC: a status that generic tools understand, and the exact
 * error behind it.
 */
public final class TallyStatus {
  private static final Metadata.Key<ErrorDetail> DETAIL =
      Metadata.Key.of(
          "tally-error" + Metadata.BINARY_HEADER_SUFFIX,
          ProtoUtils.metadataMarshaller(ErrorDetail.getDefaultInstance()));

  /** A web server's whole page may stand in what gRPC says. */
  private static final int MAX_DESCRIPTION_CHARS = 200;

  private TallyStatus() {}

  /** The status to close a call with. Its trailers come from {@link #trailers}. */
  public static Status status(TallyException error) {
    return Status.fromCode(statusCode(error.code()))
        .withDescription(error.getMessage())
        .withCause(error);
  }

  /** The trailers that carry {@code error} exactly. */
  public static Metadata trailers(TallyException error) {
    Metadata trailers = new Metadata();
    trailers.put(
        DETAIL,
        ErrorDetail.newBuilder()
            .setCode(error.code())
            .setRetryable(error.retryable())
            .setMessage(error.getMessage())
            .build());
    return trailers;
  }

  /** Status and trailers in one, for unary calls. */
  public static StatusRuntimeException exception(TallyException error) {
    return status(error).asRuntimeException(trailers(error));
  }

  /**
   * What a client reports for a call that {@code peer} closed with {@code status}: the node's own
   * error if it sent one, otherwise what the transport says.
   *
   * @param peer how to name the other side in the message, for example {@code node "a"
   *     (10.0.0.1:7070)}
   * @param trailers may be null
   */
  public static TallyException fromStatus(String peer, Status status, Metadata trailers) {
    ErrorDetail detail = trailers == null ? null : trailers.get(DETAIL);
    Throwable cause = status.asRuntimeException();
    if (detail != null) {
      return new TallyException(
          detail.getCode(), detail.getRetryable(), detail.getMessage() + " [" + peer + "]", cause);
    }
    return switch (isForeign(status) ? Status.Code.UNIMPLEMENTED : status.getCode()) {
      case UNAVAILABLE ->
          new TallyException(
              ErrorCode.NODE_UNREACHABLE,
              "Cannot reach "
                  + peer
                  + ": "
                  + describe(status)
                  + ". Check that the node is running and that the address is right.",
              cause);
      case UNIMPLEMENTED, UNKNOWN ->
          new TallyException(
              ErrorCode.NOT_A_TALLY_NODE,
              "What answers at "
                  + peer
                  + " is not a Tally node: "
                  + (isForeign(status) ? "it does not speak HTTP/2" : describe(status))
                  + ". Check host and port of the endpoint.",
              cause);
      case DEADLINE_EXCEEDED ->
          new TallyException(
              ErrorCode.NODE_SILENT,
              "No answer in time from "
                  + peer
                  + ": "
                  + describe(status)
                  + ". The node may be overloaded, stopped or cut off.",
              cause);
      case CANCELLED ->
          new TallyException(ErrorCode.CANCELLED, "The call to " + peer + " was cancelled.", cause);
      default ->
          new TallyException(
              ErrorCode.PROTOCOL_VIOLATION,
              "The call to " + peer + " failed below Tally: " + describe(status) + ".",
              cause);
    };
  }

  /**
   * Whether what answers does not even speak HTTP/2. Netty's exception is known by its name alone,
   * because it moves to another package where Netty is relocated.
   */
  private static boolean isForeign(Status status) {
    return status.getCause() != null
        && Throwables.getCausalChain(status.getCause()).stream()
            .anyMatch(cause -> cause.getClass().getSimpleName().equals("Http2Exception"));
  }

  private static String describe(Status status) {
    String text = status.getCode().toString();
    if (status.getDescription() != null) {
      text += ", " + ShownText.line(status.getDescription(), MAX_DESCRIPTION_CHARS);
    }
    if (status.getCause() != null) {
      String cause = String.valueOf(status.getCause().getMessage());
      text += " (" + ShownText.line(cause, MAX_DESCRIPTION_CHARS) + ")";
    }
    return text;
  }

  private static Status.Code statusCode(ErrorCode code) {
    return switch (code) {
      case INVALID_REQUEST, EXPRESSION_TOO_LARGE -> Status.Code.INVALID_ARGUMENT;
      case TABLE_NOT_FOUND, COLUMN_NOT_FOUND, PARTITION_NOT_FOUND -> Status.Code.NOT_FOUND;
      case LAYOUT_CHANGED, CLUSTER_INCONSISTENT -> Status.Code.FAILED_PRECONDITION;
      case UNSUPPORTED_FEATURE, NOT_A_TALLY_NODE -> Status.Code.UNIMPLEMENTED;
      case TOO_MANY_SCANS -> Status.Code.RESOURCE_EXHAUSTED;
      case ROW_TOO_LARGE, ARITHMETIC_OVERFLOW -> Status.Code.OUT_OF_RANGE;
      case DATA_UNREADABLE, PROTOCOL_VIOLATION -> Status.Code.DATA_LOSS;
      case SHUTTING_DOWN, NODE_UNREACHABLE, PARTITION_WITHOUT_OWNER -> Status.Code.UNAVAILABLE;
      case SCAN_LOST -> Status.Code.ABORTED;
      case NODE_SILENT -> Status.Code.DEADLINE_EXCEEDED;
      case CANCELLED -> Status.Code.CANCELLED;
      case INTERNAL, ERROR_CODE_UNSPECIFIED, UNRECOGNIZED -> Status.Code.INTERNAL;
    };
  }
}
