package io.tally.server.scan;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.tally.rpc.TallyException;
import io.tally.rpc.v1.ErrorCode;
import java.util.Optional;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Receives an exception of the engine and hands on the typed error. The driver's exceptions carry
 * no code; but a connection set to report errors as JSON puts the engine's exception type into
 * them, and that is what decides.
 *
 * @param type the engine's exception type, for example "IO" or "Out of Range"
 * @param message the engine's message
 */
record EngineFailure(String type, String message) {
  private static final Logger log = LoggerFactory.getLogger(EngineFailure.class);
  private static final ObjectMapper JSON = new ObjectMapper();
  private static final String START = "{\"exception_type\"";

  /** What the engine says in {@code error}; empty if it does not say it as JSON. */
  static Optional<EngineFailure> of(Exception error) {
    String text = error.getMessage();
    int start = text == null ? -1 : text.indexOf(START);
    if (start < 0) {
      return Optional.empty();
    }
    try {
      // Reads one value and ignores what wrappers have put behind it.
      JsonNode json = JSON.readTree(JSON.createParser(text.substring(start)));
      return Optional.of(
          new EngineFailure(
              json.path("exception_type").asText(), json.path("exception_message").asText()));
    } catch (JsonProcessingException e) {
      log.debug("Not JSON after all: {}", text, e);
      return Optional.empty();
    } catch (java.io.IOException e) {
      throw new IllegalStateException("reading from a string cannot fail", e);
    }
  }

  /** The error to report for a scan that met this. */
  TallyException toError(ScanPlan plan, Exception cause) {
    return switch (type) {
      case "Out of Range" -> plan.sums ? overflow(plan, cause) : unreadable(plan, cause);
      case "IO", "Serialization", "Invalid Input", "Conversion", "Invalid", "HTTP" ->
          unreadable(plan, cause);
      case "Out of Memory" ->
          new TallyException(
              ErrorCode.INTERNAL,
              "The node ran out of memory while it scanned %s. Raise its memory limit, or ask for less at once. (%s)"
                  .formatted(plan.where(), message),
              cause);
      default -> internal(plan, cause);
    };
  }

  /** The error for an exception that does not say what it is. */
  static TallyException unknown(ScanPlan plan, Exception cause) {
    return internal(plan, cause);
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
        "A sum over %s does not fit 38 decimal digits: %s.".formatted(plan.where(), message),
        cause);
  }

  private static TallyException internal(ScanPlan plan, Exception cause) {
    return new TallyException(
        ErrorCode.INTERNAL,
        "The scan of %s failed in a way that the node does not expect; its log has the cause under the scan's id."
            .formatted(plan.where()),
        cause);
  }
}
