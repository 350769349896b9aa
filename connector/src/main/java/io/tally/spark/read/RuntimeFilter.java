package io.tally.spark.read;

import io.tally.rpc.v1.Expression;
import io.tally.rpc.v1.ScanPartition;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/**
 * What became known when a query had begun: further predicates, and which partitions they leave.
 * Takes the planned streams and hands on those that still have something to read. Partitions stay
 * with the node that they were planned for, because what was proved about groups holds for those
 * streams only. Immutable.
 *
 * @param predicates all of them must be TRUE
 * @param partitions ids of those that may hold such rows; empty: all
 */
record RuntimeFilter(List<Expression> predicates, Optional<Set<String>> partitions) {
  static final RuntimeFilter NONE = new RuntimeFilter(List.of(), Optional.empty());

  RuntimeFilter {
    predicates = List.copyOf(predicates);
    partitions = partitions.map(Set::copyOf);
  }

  List<PlannedStream> apply(List<PlannedStream> streams) {
    return streams.stream()
        .map(stream -> new PlannedStream(stream.node(), left(stream.partitions())))
        .filter(stream -> !stream.partitions().isEmpty())
        .toList();
  }

  private List<ScanPartition> left(List<ScanPartition> planned) {
    return planned.stream()
        .filter(piece -> partitions.map(ids -> ids.contains(piece.getId())).orElse(true))
        .toList();
  }
}
