package io.tally.spark.pushdown;

import io.tally.rpc.v1.AggregateCall;
import io.tally.rpc.v1.SortKey;
import io.tally.spark.pushdown.SortTranslation.Refused;
import io.tally.spark.pushdown.SortTranslation.Translated;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import org.apache.spark.sql.connector.expressions.NullOrdering;
import org.apache.spark.sql.connector.expressions.SortDirection;
import org.apache.spark.sql.connector.expressions.SortOrder;
import org.apache.spark.sql.connector.expressions.aggregate.AggregateFunc;
import org.apache.spark.sql.connector.expressions.aggregate.Aggregation;

/**
 * Takes an order as Spark offers it and gives the sort keys by which nodes sort rows, or the groups
 * of a pushed aggregation, in the same way; or the reason why they cannot. For one thread.
 */
public final class SortTranslator {
  /** What every node accepts, see partition_service.proto. */
  private static final int MAX_KEYS = 64;

  private final ExpressionTranslator expressions;
  private final AggregationTranslator aggregates;
  private final Optional<AggregationPlan> aggregation;
  private final ExpressionBudget budget;

  /**
   * @param aggregation what was pushed; empty: rows are sorted
   * @param budget what the other expressions of the scan leave; it is not spent
   */
  public SortTranslator(
      ExpressionTranslator expressions,
      AggregationTranslator aggregates,
      Optional<AggregationPlan> aggregation,
      ExpressionBudget budget) {
    this.expressions = expressions;
    this.aggregates = aggregates;
    this.aggregation = aggregation;
    this.budget = budget.copy();
  }

  /** Translates all keys or none. */
  public SortTranslation translate(SortOrder[] orders) {
    if (orders.length > MAX_KEYS) {
      return new Refused("it has " + orders.length + " keys; nodes accept " + MAX_KEYS);
    }
    List<SortKey> keys = new ArrayList<>();
    List<String> texts = new ArrayList<>();
    ExpressionBudget left = budget.copy();
    for (SortOrder order : orders) {
      SortKey.Builder key =
          SortKey.newBuilder()
              .setDescending(order.direction() == SortDirection.DESCENDING)
              .setNullsLast(order.nullOrdering() == NullOrdering.NULLS_LAST);
      String text;
      if (aggregation.isPresent()) {
        OptionalInt output = output(aggregation.get(), order);
        if (output.isEmpty()) {
          return new Refused(
              Described.of(order.expression()) + " is neither a key nor an aggregate alone");
        }
        key.setOutput(output.getAsInt());
        text = aggregation.get().readSchema().fields()[output.getAsInt()].name();
      } else {
        Translation translation = expressions.translate(order.expression());
        if (translation instanceof Translation.Refused refused) {
          return new Refused(refused.reason());
        }
        Translation.Translated translated = (Translation.Translated) translation;
        if (!left.take(translated)) {
          return new Refused("together with the predicates it has more parts than nodes accept");
        }
        key.setExpression(translated.expression());
        text = WireText.of(translated.expression());
      }
      keys.add(key.build());
      texts.add(
          text
              + (key.getDescending() ? " DESC" : " ASC")
              + (key.getNullsLast() ? " NULLS LAST" : " NULLS FIRST"));
    }
    return new Translated(keys, texts);
  }

  /** The column of the answer that holds what is sorted by. */
  private OptionalInt output(AggregationPlan plan, SortOrder order) {
    int keys = plan.aggregation().getGroupByCount();
    if (order.expression() instanceof AggregateFunc function) {
      Optional<AggregateCall> call = call(function);
      int position = call.map(plan.aggregation().getAggregatesList()::indexOf).orElse(-1);
      return position < 0 ? OptionalInt.empty() : OptionalInt.of(keys + position);
    }
    if (expressions.translate(order.expression()) instanceof Translation.Translated translated) {
      int position = plan.aggregation().getGroupByList().indexOf(translated.expression());
      return position < 0 ? OptionalInt.empty() : OptionalInt.of(position);
    }
    return OptionalInt.empty();
  }

  /** The aggregate as it would be sent: equal calls have equal values. */
  private Optional<AggregateCall> call(AggregateFunc function) {
    Aggregation alone =
        new Aggregation(
            new AggregateFunc[] {function},
            new org.apache.spark.sql.connector.expressions.Expression[0]);
    return aggregates.translate(alone) instanceof AggregationTranslation.Translated translated
        ? Optional.of(translated.plan().aggregation().getAggregates(0))
        : Optional.empty();
  }
}
