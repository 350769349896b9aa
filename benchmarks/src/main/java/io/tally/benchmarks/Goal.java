package io.tally.benchmarks;

import com.fasterxml.jackson.annotation.JsonProperty;
import java.util.Locale;

/**
 * A promise about a measured figure: what was measured and the bound it should keep.
 *
 * @param id {@code BENCHMARK.FIGURE}
 * @param measured a ratio within one run
 * @param comparison which side of the target is good
 * @param target the bound
 */
record Goal(String id, double measured, Comparison comparison, double target) {

  enum Comparison {
    @JsonProperty("<=")
    AT_MOST("<="),
    @JsonProperty(">=")
    AT_LEAST(">=");

    private final String sign;

    Comparison(String sign) {
      this.sign = sign;
    }
  }

  static Goal atMost(String id, double measured, double target) {
    return new Goal(id, measured, Comparison.AT_MOST, target);
  }

  static Goal atLeast(String id, double measured, double target) {
    return new Goal(id, measured, Comparison.AT_LEAST, target);
  }

  @JsonProperty
  boolean met() {
    return comparison == Comparison.AT_MOST ? measured <= target : measured >= target;
  }

  /** The line that is printed: {@code goal ID MEASURED <=|>= TARGET ok|short}. */
  String line() {
    return String.format(
        Locale.ROOT,
        "goal %s %.3f %s %s %s",
        id,
        measured,
        comparison.sign,
        target,
        met() ? "ok" : "short");
  }
}
