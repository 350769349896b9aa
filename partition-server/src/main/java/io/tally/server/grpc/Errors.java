package io.tally.server.grpc;

import io.grpc.ServerCall;
import io.tally.rpc.ShownText;
import io.tally.rpc.TallyException;
import io.tally.rpc.TallyStatus;
import io.tally.rpc.v1.ErrorCode;

/** Turns what a call failed with into what its client is told. */
final class Errors {
  /**
   * Headers have to fit 8 KiB at many clients, and the message travels twice: percent-encoded and
   * in base64.
   */
  private static final int MAX_MESSAGE_CHARS = 500;

  private static final int MAX_LOGGED_CHARS = 2_000;

  private Errors() {}

  /**
   * {@code error} itself if it is typed, otherwise INTERNAL with what to look for in the log. Names
   * in its message may come from a client, who must not get control characters into a log.
   */
  static TallyException typed(String nodeId, String what, Throwable error) {
    if (error instanceof TallyException typed) {
      String line = ShownText.line(typed.getMessage(), MAX_LOGGED_CHARS);
      return line.equals(typed.getMessage())
          ? typed
          : new TallyException(typed.code(), line, typed.getCause());
    }
    return new TallyException(
        ErrorCode.INTERNAL,
        "%s failed on node \"%s\" in a way that it does not expect; its log has the cause."
            .formatted(what, nodeId),
        error);
  }

  /** Closes a call with {@code error}. */
  static void close(ServerCall<?, ?> call, TallyException error) {
    TallyException sendable = sendable(error);
    call.close(TallyStatus.status(sendable), TallyStatus.trailers(sendable));
  }

  /** {@code error} with a message that fits. */
  static TallyException sendable(TallyException error) {
    String message = error.getMessage();
    return message.length() <= MAX_MESSAGE_CHARS
        ? error
        : new TallyException(
            error.code(), message.substring(0, MAX_MESSAGE_CHARS - 1) + "…", error);
  }
}
