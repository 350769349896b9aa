package io.tally.server.scan;

import io.tally.rpc.NearestName;
import io.tally.rpc.ShownText;
import io.tally.rpc.TallyException;
import io.tally.rpc.v1.ErrorCode;
import java.util.List;

/** Takes a name that a request uses and that this node does not know, and gives the refusal. */
final class UnknownName {
  private UnknownName() {}

  /** UNSUPPORTED_FEATURE, offering the nearest of {@code known}. */
  static TallyException of(String kind, String name, List<String> known) {
    return new TallyException(
        ErrorCode.UNSUPPORTED_FEATURE,
        "This node does not know the %s \"%s\"%s."
            .formatted(
                kind,
                ShownText.name(name),
                NearestName.of(name, known)
                    .map(nearest -> "; the nearest that it knows is \"" + nearest + "\"")
                    .orElse("")));
  }
}
