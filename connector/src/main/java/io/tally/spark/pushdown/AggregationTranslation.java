package io.tally.spark.pushdown;

/** What became of an aggregation that Spark offered. */
public sealed interface AggregationTranslation {

  /** Nodes compute it. */
  record Translated(AggregationPlan plan) implements AggregationTranslation {}

  /**
   * Spark computes all of it.
   *
   * @param what the part that cannot be pushed, for people
   * @param reason a clause for people
   */
  record Refused(String what, String reason) implements AggregationTranslation {}
}
