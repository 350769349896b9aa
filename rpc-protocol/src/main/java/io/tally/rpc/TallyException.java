package io.tally.rpc;

import io.tally.rpc.v1.ErrorCode;
import java.util.Objects;

/**
 * Any failure that Tally can name: what is wrong, where, and what to do. The code, never the
 * message text, is what programs look at. {@link TallyStatus} carries it across gRPC.
 */
public final class TallyException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  private final ErrorCode code;
  private final boolean retryable;

  /**
   * A failure that the same request would meet again, unless {@code code} is one of the retryable
   * ones.
   */
  public TallyException(ErrorCode code, String message) {
    this(code, message, null);
  }

  /**
   * As {@link #TallyException(ErrorCode, String)}, keeping the cause; {@code cause} may be null.
   */
  public TallyException(ErrorCode code, String message, Throwable cause) {
    this(code, isRetryable(code), message, cause);
  }

  TallyException(ErrorCode code, boolean retryable, String message, Throwable cause) {
    super(Objects.requireNonNull(message), cause);
    this.code = Objects.requireNonNull(code);
    this.retryable = retryable;
  }

  /** What kind of failure this is. */
  public ErrorCode code() {
    return code;
  }

  /** Whether the same request may succeed later or elsewhere without anybody changing anything. */
  public boolean retryable() {
    return retryable;
  }

  /**
   * With the code in brackets, as Spark shows those of its own errors: a stack trace is mostly all
   * that people see.
   */
  // Not getMessage(): messages become parts of others and travel beside their code.
  @SuppressWarnings("OverrideThrowableToString")
  @Override
  public String toString() {
    return getClass().getName() + ": [" + code + "] " + getMessage();
  }

  private static boolean isRetryable(ErrorCode code) {
    return switch (code) {
      case TOO_MANY_SCANS, SHUTTING_DOWN, SCAN_LOST, NODE_UNREACHABLE, NODE_SILENT -> true;
      default -> false;
    };
  }
}
