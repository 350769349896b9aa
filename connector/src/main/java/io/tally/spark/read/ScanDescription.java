package io.tally.spark.read;

import io.tally.rpc.BodyCodec;
import io.tally.spark.pushdown.AggregationPlan;
import io.tally.spark.types.NestedParts;
import java.util.List;

/**
 * Takes what a scan builder pushed, and what it did not and why, and gives the line that EXPLAIN
 * and Spark's UI show. Immutable.
 *
 * @param sample texts for people, like those that follow; empty: nothing of it was pushed
 * @param predicates pushed ones
 * @param selection order, limit and offset
 * @param notPushed what Spark offered and has to do itself
 * @param totalPartitions of the table, before pruning
 */
record ScanDescription(
    List<String> sample,
    List<String> predicates,
    List<String> selection,
    List<NotPushed> notPushed,
    int totalPartitions) {
  ScanDescription {
    sample = List.copyOf(sample);
    predicates = List.copyOf(predicates);
    selection = List.copyOf(selection);
    notPushed = List.copyOf(notPushed);
  }

  String of(ScanPlan plan) {
    StringBuilder text = new StringBuilder("tally ").append(plan.table());
    sample.forEach(part -> text.append(' ').append(part).append(','));
    text.append(" PushedPredicates: ").append(predicates);
    plan.aggregation().ifPresent(aggregation -> append(text, aggregation));
    selection.forEach(part -> text.append(", ").append(part));
    List<String> parts = plan.columns().projection().stream().flatMap(NestedParts::paths).toList();
    if (!parts.isEmpty()) {
      text.append(", Parts: ").append(parts);
    }
    text.append(", Partitions: ").append(plan.partitions().size()).append(" of ");
    text.append(totalPartitions).append(", Streams: ").append(plan.streams().size());
    plan.keys().ifPresent(keys -> text.append(" by ").append(keys.columns()));
    if (plan.settings().codec() != BodyCodec.NONE) {
      text.append(", Compression: ").append(plan.settings().codec().optionName());
    }
    if (!notPushed.isEmpty()) {
      text.append(", NotPushed: [");
      text.append(String.join("; ", notPushed.stream().map(NotPushed::toString).toList()));
      text.append(']');
    }
    return text.toString();
  }

  private static void append(StringBuilder text, AggregationPlan aggregation) {
    text.append(", PushedAggregates: ").append(aggregation.aggregates());
    text.append(", PushedGroupBy: ").append(aggregation.keys());
    text.append(aggregation.complete() ? " (complete)" : " (partial)");
  }
}
