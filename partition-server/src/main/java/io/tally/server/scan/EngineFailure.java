package io.tally.server.scan;

import io.tally.rpc.TallyException;
import io.tally.rpc.v1.ErrorCode;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Receives an exception of the engine and hands on the typed error. The driver's exceptions carry
 * no code, but begin with the name of the engine's exception type; that decides, never the text
 * behind it.
 *
 * @param type the engine's exception type, for example "IO" or "Out of Range"
 * @param message the first line of the engine's message
 */
record EngineFailure(String type, String message) {
  /** The start is preceded by a wrapper's words where the error came through an Arrow stream. */
  private static final Pattern FORM =
      Pattern.compile("(?:^|message=)([A-Z][A-Za-z /]{1,40}?) Error: ([^\\n]*)");

  private static final String OUT_OF_MEMORY = "Out of Memory";

  /** What the engine says in {@code error}; empty if the engine did not say it. */
  static Optional<EngineFailure> of(Exception error) {
    Matcher matcher = FORM.matcher(String.valueOf(error.getMessage()));
    return matcher.find()
        ? Optional.of(new EngineFailure(matcher.group(1), matcher.group(2)))
        : Optional.empty();
  }

  /** Whether the memory limit was reached, and there was no space on disk for what does not fit. */
  boolean isOutOfMemory() {
    return type.equals(OUT_OF_MEMORY);
  }

  /** The error to report for a scan that met this. */
  TallyException toError(ScanPlan plan, Exception cause) {
    return switch (type) {
      case "Out of Range", "Conversion" ->
          plan.computes ? overflow(plan, cause) : unreadable(plan, cause);
      case "IO", "Serialization", "Invalid Input", "Invalid", "HTTP" -> unreadable(plan, cause);
      case OUT_OF_MEMORY ->
          new TallyException(
              ErrorCode.INTERNAL,
              "The node ran out of memory while it scanned %s. Raise its memory limit, or ask for less at once. (%s)"
                  .formatted(plan.where(), message),
              cause);
      default -> unexpected(plan, cause);
    };
  }

  /** The error for an exception that does not say what it is. */
  static TallyException unexpected(ScanPlan plan, Exception cause) {
    return new TallyException(
        ErrorCode.INTERNAL,
        "The scan of %s failed in a way that the node does not expect; its log has the cause under the scan's id."
            .formatted(plan.where()),
        cause);
  }

  private TallyException unreadable(ScanPlan plan, Exception cause) {
    return new TallyException(
        ErrorCode.DATA_UNREADABLE,
        "Stored data of %s cannot be read: %s. Check the files of the partition; if they were replaced, restart the node."
            .formatted(plan.where(), message),
        cause);
  }

  private TallyException overflow(ScanPlan plan, Exception cause) {
    return new TallyException(
        ErrorCode.ARITHMETIC_OVERFLOW,
        "A sum or another value that was computed of %s does not fit its type: %s."
            .formatted(plan.where(), message),
        cause);
  }
}
