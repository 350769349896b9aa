package io.tally.tests.faults;

import io.tally.rpc.TallyException;
import java.util.Optional;

/** Looks for our own error among the causes of another. */
final class Causes {
  private Causes() {}

  static Optional<TallyException> typed(Throwable error) {
    for (Throwable cause = error; cause != null; cause = cause.getCause()) {
      if (cause instanceof TallyException typed) {
        return Optional.of(typed);
      }
    }
    return Optional.empty();
  }
}
