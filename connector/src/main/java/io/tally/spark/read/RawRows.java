package io.tally.spark.read;

import io.tally.rpc.AggregateFunction;
import io.tally.rpc.v1.AggregateCall;
import io.tally.rpc.v1.Aggregation;
import io.tally.rpc.v1.Expression;
import io.tally.rpc.v1.Open;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/**
 * Takes an Open with an aggregation that a node does not know, and hands on the Open for the rows
 * themselves: every row is the partial aggregate of itself, which {@link RawRowBatches} makes of
 * it. Only columns can be asked for as rows, not what expressions make of them; and what Spark does
 * not add up has to be added up by the node.
 */
final class RawRows {
  private RawRows() {}

  /** Empty if rows are no substitute. */
  static Optional<Open> of(Open open, ReadShape shape) {
    boolean selects = open.hasLimit() || open.getOrderByCount() > 0 || open.getOffset() > 0;
    if (!open.hasAggregation() || shape.complete() || selects || !merges(open.getAggregation())) {
      return Optional.empty();
    }
    Set<String> columns = new LinkedHashSet<>();
    for (Expression operand : operands(open.getAggregation())) {
      if (!operand.hasColumn()) {
        return Optional.empty();
      }
      columns.add(operand.getColumn());
    }
    return Optional.of(open.toBuilder().clearAggregation().addAllColumns(columns).build());
  }

  private static boolean merges(Aggregation aggregation) {
    return aggregation.getAggregatesList().stream()
        .map(call -> AggregateFunction.ofWireName(call.getFunction()))
        .allMatch(function -> function.map(AggregateFunction::merges).orElse(false));
  }

  private static List<Expression> operands(Aggregation aggregation) {
    List<Expression> operands = new ArrayList<>(aggregation.getGroupByList());
    for (AggregateCall call : aggregation.getAggregatesList()) {
      operands.addAll(call.getArgumentsList());
    }
    return operands;
  }
}
