package io.tally.spark.read;

import io.tally.rpc.client.ClusterView.OwnedPartition;
import io.tally.rpc.v1.DataType;
import io.tally.rpc.v1.Expression;
import io.tally.rpc.v1.Literal;
import io.tally.spark.pushdown.ExpressionBudget;
import io.tally.spark.pushdown.ExpressionTranslator;
import io.tally.spark.pushdown.PartitionPruner;
import io.tally.spark.pushdown.PredicateTranslator;
import io.tally.spark.pushdown.PushdownContext;
import io.tally.spark.pushdown.Translation;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.stream.Collectors;
import org.apache.spark.sql.connector.expressions.NamedReference;
import org.apache.spark.sql.connector.expressions.filter.Predicate;

/**
 * Takes the predicates that Spark finds while a query runs, such as the keys that a join's other
 * side has, and hands on what they leave to be read. They are hints: Spark joins in any case, so
 * what nodes do not evaluate is not used. Immutable.
 */
final class RuntimeFilters {
  /** For scans whose rows cannot be filtered afterwards with the same result. */
  static final RuntimeFilters IMPOSSIBLE =
      new RuntimeFilters(Optional.empty(), List.of(), Optional.empty());

  private static final Expression NEVER =
      Expression.newBuilder()
          .setLiteral(
              Literal.newBuilder()
                  .setType(DataType.newBuilder().setKind(DataType.Kind.BOOLEAN))
                  .setBoolean(false))
          .build();

  private final Optional<PushdownContext> context;
  private final List<String> columns;
  private final Optional<ExpressionBudget> budget;

  private RuntimeFilters(
      Optional<PushdownContext> context, List<String> columns, Optional<ExpressionBudget> budget) {
    this.context = context;
    this.columns = List.copyOf(columns);
    this.budget = budget;
  }

  /**
   * @param columns by which rows may be filtered; each is a column of the scan's output, too
   * @param budget what the other expressions of the scan leave
   */
  static RuntimeFilters by(PushdownContext context, List<String> columns, ExpressionBudget budget) {
    return new RuntimeFilters(Optional.of(context), columns, Optional.of(budget.copy()));
  }

  NamedReference[] attributes() {
    return columns.stream().map(ColumnReference::of).toArray(NamedReference[]::new);
  }

  /** What all of {@code predicates} leave of the partitions. */
  RuntimeFilter of(Predicate[] predicates, List<OwnedPartition> partitions) {
    if (context.isEmpty()) {
      return RuntimeFilter.NONE;
    }
    PredicateTranslator translator =
        new PredicateTranslator(new ExpressionTranslator(context.get()));
    List<Expression> used = new ArrayList<>();
    ExpressionBudget left = budget.orElseThrow().copy();
    for (Predicate predicate : predicates) {
      if (predicate.name().equals("IN") && predicate.children().length == 1) {
        used.add(NEVER); // The other side has no key at all.
      } else if (translator.translate(predicate) instanceof Translation.Translated translated
          && left.take(translated)) {
        used.add(translated.expression());
      }
    }
    PartitionPruner pruner = new PartitionPruner(context.get().schema());
    return new RuntimeFilter(
        used,
        Optional.of(
            partitions.stream()
                .filter(owned -> pruner.mayMatch(owned.partition(), used))
                .map(owned -> owned.partition().getId())
                .collect(Collectors.toSet())));
  }
}
