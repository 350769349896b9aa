package io.tally.spark.read;

import io.tally.rpc.Features;
import io.tally.rpc.v1.Sample;
import io.tally.spark.pushdown.CommonFeatures;
import java.util.List;
import java.util.Optional;

/**
 * Takes the sample that Spark offers before anything else and hands on what nodes are to sample, or
 * the reason why Spark has to. A node chooses rows by their positions, so that the same seed gives
 * the same rows however partitions are split; Spark by the order in which its tasks see rows.
 */
final class SampleDraft {
  private final ReadSettings settings;
  private Optional<Sample> sample = Optional.empty();
  private Optional<NotPushed> notPushed = Optional.empty();

  SampleDraft(ReadSettings settings) {
    this.settings = settings;
  }

  /**
   * @param features of all nodes that may have to answer
   * @param positions whether every row has a stable position
   */
  boolean push(
      double lower,
      double upper,
      boolean withReplacement,
      long seed,
      CommonFeatures features,
      boolean positions) {
    // Spark accepts bounds that are beyond 0 and 1 by a rounding error.
    double from = Math.max(0, lower);
    double to = Math.min(1, upper);
    if (!settings.pushDown()) {
      return false;
    }
    if (withReplacement) {
      return refuse("nodes do not sample with replacement");
    }
    if (!(from <= to)) {
      return refuse("its bounds are " + lower + " and " + upper);
    }
    if (!features.has(Features.SAMPLE)) {
      return refuse(features.lacking(Features.SAMPLE));
    }
    if (!positions) {
      return refuse("rows of some partition have no stable position");
    }
    sample = Optional.of(Sample.newBuilder().setLower(from).setUpper(to).setSeed(seed).build());
    return true;
  }

  private boolean refuse(String reason) {
    notPushed = Optional.of(new NotPushed("TABLESAMPLE", reason));
    return false;
  }

  Optional<Sample> sample() {
    return sample;
  }

  /** What was taken, for EXPLAIN; empty if nothing was. */
  List<String> texts() {
    return sample.stream()
        .map(
            taken ->
                "PushedSample: ["
                    + taken.getLower()
                    + ", "
                    + taken.getUpper()
                    + ") seed "
                    + taken.getSeed())
        .toList();
  }

  List<NotPushed> notPushed() {
    return notPushed.stream().toList();
  }
}
