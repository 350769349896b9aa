package io.tally.spark.read;

import io.tally.rpc.AggregateFunction;
import io.tally.rpc.Features;
import io.tally.rpc.v1.AggregateCall;
import io.tally.rpc.v1.Applied;
import io.tally.rpc.v1.Open;
import io.tally.rpc.v1.ScanPartition;
import java.util.EnumSet;
import java.util.List;
import java.util.OptionalLong;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * Takes what a scan was asked and what the node says it applies of it, and tells which parts the
 * reader has to make up for, and which make the rows useless. A node applies less than was planned
 * if it was restarted into an older version in between. Immutable.
 */
final class Unapplied {
  private enum Part {
    PREDICATE("the predicate"),
    AGGREGATION("the aggregation"),
    LIMIT("the limit (feature " + Features.LIMIT + ")"),
    ORDER("the order (feature " + Features.ORDER + ")"),
    OFFSET("the offset (feature " + Features.OFFSET + ")"),
    SAMPLE("the sample (feature " + Features.SAMPLE + ")"),
    PARTITION_COLUMN("the column of partition ids (feature " + Features.PARTITION_COLUMN + ")"),
    ROW_RANGES("the row ranges (feature " + Features.ROW_RANGE + ")"),
    PROJECTION("the choice of fields (feature " + Features.NESTED_PROJECTION + ")");

    private final String text;

    Part(String text) {
      this.text = text;
    }

    private boolean isAsked(Open open) {
      return switch (this) {
        case PREDICATE -> open.hasPredicate();
        case AGGREGATION -> open.hasAggregation();
        case LIMIT -> open.hasLimit();
        case ORDER -> open.getOrderByCount() > 0;
        case OFFSET -> open.getOffset() > 0;
        case SAMPLE -> open.hasSample();
        case PARTITION_COLUMN -> !open.getPartitionColumn().isEmpty();
        case ROW_RANGES -> open.getPartitionsList().stream().anyMatch(ScanPartition::hasRange);
        case PROJECTION -> open.getProjectionCount() > 0;
      };
    }

    private boolean isIn(Applied applied) {
      return switch (this) {
        case PREDICATE -> applied.getPredicate();
        case AGGREGATION -> applied.getAggregation();
        case LIMIT -> applied.getLimit();
        case ORDER -> applied.getOrder();
        case OFFSET -> applied.getOffset();
        case SAMPLE -> applied.getSample();
        case PARTITION_COLUMN -> applied.getPartitionColumn();
        case ROW_RANGES -> applied.getRowRanges();
        case PROJECTION -> applied.getProjection();
      };
    }
  }

  private final Open open;
  private final Set<Part> missing = EnumSet.noneOf(Part.class);
  private final Set<Part> harmful;

  /**
   * @param complete whether Spark neither adds up nor sorts nor limits what is read
   */
  Unapplied(Open open, Applied applied, boolean complete) {
    this.open = open;
    for (Part part : Part.values()) {
      if (part.isAsked(open) && !part.isIn(applied)) {
        missing.add(part);
      }
    }
    harmful = EnumSet.copyOf(missing);
    boolean allRows = !open.hasLimit() || missing.contains(Part.LIMIT);
    if (!complete && allRows) {
      // Spark sorts, and takes the first, whatever comes.
      harmful.remove(Part.ORDER);
    }
    // Of rows in order, or of any rows, the reader itself takes the first.
    harmful.remove(Part.LIMIT);
  }

  /** Whether the rows are of no use as they come. */
  boolean isHarmful() {
    return !harmful.isEmpty();
  }

  /** So many of the rows that come are to be read; empty: all. */
  OptionalLong limit() {
    return missing.contains(Part.LIMIT) && !missing.contains(Part.ORDER)
        ? OptionalLong.of(open.getLimit())
        : OptionalLong.empty();
  }

  /** What is not applied, for people. */
  String text() {
    return harmful.stream()
        .map(part -> part == Part.AGGREGATION ? part.text + " " + aggregates() : part.text)
        .collect(Collectors.joining(", "));
  }

  private String aggregates() {
    List<String> features =
        open.getAggregation().getAggregatesList().stream()
            .map(AggregateCall::getFunction)
            .distinct()
            .flatMap(name -> AggregateFunction.ofWireName(name).stream())
            .map(AggregateFunction::feature)
            .toList();
    return features.isEmpty() ? "(GROUP BY)" : "(features " + String.join(", ", features) + ")";
  }
}
