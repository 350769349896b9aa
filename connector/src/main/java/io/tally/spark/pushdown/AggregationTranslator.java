package io.tally.spark.pushdown;

import io.tally.rpc.AggregateFunction;
import io.tally.rpc.WireTypes;
import io.tally.rpc.v1.Expression;
import io.tally.rpc.v1.Partition;
import io.tally.spark.pushdown.AggregationTranslation.Refused;
import io.tally.spark.types.TableSchema;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.apache.spark.sql.connector.expressions.SortDirection;
import org.apache.spark.sql.connector.expressions.SortValue;
import org.apache.spark.sql.connector.expressions.aggregate.AggregateFunc;
import org.apache.spark.sql.connector.expressions.aggregate.Aggregation;
import org.apache.spark.sql.connector.expressions.aggregate.Count;
import org.apache.spark.sql.connector.expressions.aggregate.CountStar;
import org.apache.spark.sql.connector.expressions.aggregate.GeneralAggregateFunc;
import org.apache.spark.sql.connector.expressions.aggregate.Sum;

/**
 * Takes an aggregation as Spark offers it, with the partitions that each stream would answer for,
 * and gives the plan by which nodes compute it, or the reason why Spark has to. Each aggregate goes
 * through its line of {@link SparkAggregates}. Asking twice gives the same answer. Immutable; safe
 * for any thread.
 */
public final class AggregationTranslator {
  /** So many are accepted by every node. */
  private static final int MAX_KEYS_AND_AGGREGATES = 1_000;

  private static final String NO_PLAIN_COUNTS =
      "Spark writes COUNT(DISTINCT constant) so, too, unless the connector's rules are at work:"
          + " its jar has to be on the class path when the session is created, and the rule"
          + " CountsOfConstants not be excluded";

  private final TableSchema schema;
  private final CommonFeatures features;
  private final ExpressionTranslator expressions;
  private final List<List<Partition>> streams;
  private final AggregateArguments.Facts facts;
  private final ExpressionBudget budget;
  private final boolean plainCounts;

  /**
   * @param streams the partitions that remain after pruning, by the stream that answers for them;
   *     those of the context are not used
   * @param budget what the predicates of the scan leave; it is not spent
   */
  public AggregationTranslator(
      PushdownContext context, List<List<Partition>> streams, ExpressionBudget budget) {
    this.budget = budget.copy();
    this.schema = context.schema();
    this.features = context.features();
    this.streams = List.copyOf(streams);
    this.plainCounts = context.session().plainCounts();
    List<Partition> partitions = streams.stream().flatMap(List::stream).toList();
    this.expressions =
        new ExpressionTranslator(
            new PushdownContext(schema, features, partitions, context.session()));
    this.facts = new AggregateArguments.Facts(schema, partitions, expressions, context.session());
  }

  /** Translates all of it or nothing: one aggregate that nodes do not know blocks the others. */
  public AggregationTranslation translate(Aggregation offered) {
    return new Walk().walk(offered);
  }

  /** The state of one translation. */
  private final class Walk {
    private final AggregationDraft draft = new AggregationDraft();
    private final ExpressionBudget left = budget.copy();
    private final Set<Expression> counted = new HashSet<>();
    private final Set<Expression> sumsThatMayOverflow = new HashSet<>();
    private Optional<Refused> unlessComplete = Optional.empty();
    private boolean resultsFit = true;
    private boolean keysAreExact = true;

    AggregationTranslation walk(Aggregation offered) {
      if (offered.groupByExpressions().length == 0 && offered.aggregateExpressions().length == 0) {
        // As in SELECT typeof(sum(a)), of which Spark makes a constant.
        return new Refused("an aggregation", "it has neither keys nor aggregates");
      }
      int outputs = offered.groupByExpressions().length + offered.aggregateExpressions().length;
      if (outputs > MAX_KEYS_AND_AGGREGATES) {
        return new Refused(
            "an aggregation",
            "it has " + outputs + " keys and aggregates; nodes accept " + MAX_KEYS_AND_AGGREGATES);
      }
      String counting = AggregateFunction.COUNT_ALL.feature();
      if (offered.aggregateExpressions().length == 0 && !features.has(counting)) {
        // Whoever groups counts; whoever does not may not know of groups at all.
        return new Refused("GROUP BY", features.lacking(counting));
      }
      for (org.apache.spark.sql.connector.expressions.Expression key :
          offered.groupByExpressions()) {
        Optional<Refused> refused = addKey(key);
        if (refused.isPresent()) {
          return refused.get();
        }
      }
      for (AggregateFunc function : offered.aggregateExpressions()) {
        Optional<Refused> refused = add(function);
        if (refused.isPresent()) {
          return refused.get();
        }
      }
      Set<Expression> averaged = new HashSet<>(counted);
      averaged.retainAll(sumsThatMayOverflow);
      if (!averaged.isEmpty()) {
        String averagedText = WireText.of(averaged.iterator().next());
        return new Refused(
            "SUM(" + averagedText + ") with COUNT(" + averagedText + ")",
            "Spark offers AVG so, but AVG itself overflows elsewhere or not at all, and statistics"
                + " do not prove that the sum fits");
      }
      boolean complete =
          resultsFit && keysAreExact && DisjointGroups.proved(schema, streams, draft.groupBy());
      if (!complete && unlessComplete.isPresent()) {
        return unlessComplete.get();
      }
      return new AggregationTranslation.Translated(draft.finish(complete));
    }

    private Optional<Refused> addKey(org.apache.spark.sql.connector.expressions.Expression key) {
      Translation translation = fitting(expressions.translate(key));
      if (!(translation instanceof Translation.Translated translated)) {
        return refuse(
            "GROUP BY " + Described.of(key), ((Translation.Refused) translation).reason());
      }
      Operand operand = Operand.of(translated);
      // Spark shows -0.0 as 0.0 in keys that it groups by itself; a node may show either.
      keysAreExact &= !WireTypes.isFloatingPoint(operand.wireType());
      draft.addKey(operand.expression(), operand.text(), operand.type());
      return Optional.empty();
    }

    private Translation fitting(Translation translation) {
      return translation instanceof Translation.Translated translated && !left.take(translated)
          ? new Translation.Refused(
              "together with the predicates there are more parts than nodes accept")
          : translation;
    }

    private Optional<Refused> add(AggregateFunc function) {
      if (function instanceof CountStar && !plainCounts) {
        return refuse("COUNT(*)", NO_PLAIN_COUNTS);
      }
      SparkAggregates.Entry entry = SparkAggregates.of(function);
      if (!entry.refusal().isEmpty()) {
        return refuse(Described.of(function), entry.refusal());
      }
      List<Operand> operands = new ArrayList<>();
      for (org.apache.spark.sql.connector.expressions.Expression operand : operands(function)) {
        Translation translation =
            fitting(
                isCounted(function)
                    ? expressions.translateNullable(operand)
                    : expressions.translate(operand));
        if (!(translation instanceof Translation.Translated translated)) {
          return refuse(Described.of(function), ((Translation.Refused) translation).reason());
        }
        operands.add(Operand.of(translated));
      }
      AggregateTranslation translation = entry.rule().apply(arguments(entry, function, operands));
      if (!(translation instanceof AggregateTranslation.Translated aggregate)) {
        return refuse(
            Described.of(function), ((AggregateTranslation.Refused) translation).reason());
      }
      return add(aggregate);
    }

    private Optional<Refused> add(AggregateTranslation.Translated aggregate) {
      String feature = aggregate.function().feature();
      if (!features.has(feature)) {
        return refuse(aggregate.text(), features.lacking(feature));
      }
      unlessComplete =
          unlessComplete.or(
              () -> aggregate.unlessComplete().flatMap(reason -> refuse(aggregate.text(), reason)));
      resultsFit &= aggregate.fits();
      if (aggregate.function() == AggregateFunction.COUNT) {
        counted.addAll(aggregate.arguments());
      }
      if (aggregate.function() == AggregateFunction.SUM && !aggregate.fits()) {
        sumsThatMayOverflow.addAll(aggregate.arguments());
      }
      draft.add(aggregate.function(), aggregate.arguments(), aggregate.text(), aggregate.output());
      return Optional.empty();
    }

    private AggregateArguments arguments(
        SparkAggregates.Entry entry, AggregateFunc function, List<Operand> operands) {
      SortValue[] order = order(function);
      return new AggregateArguments(
          entry.name(),
          isDistinct(function),
          operands,
          order.length == 0 ? List.of() : Arrays.asList(function.children()),
          order.length > 0 && order[0].direction() == SortDirection.DESCENDING,
          facts);
    }
  }

  private static List<org.apache.spark.sql.connector.expressions.Expression> operands(
      AggregateFunc function) {
    SortValue[] order = order(function);
    return order.length == 0
        ? Arrays.asList(function.children())
        : Arrays.stream(order).map(SortValue::expression).toList();
  }

  private static SortValue[] order(AggregateFunc function) {
    return function instanceof GeneralAggregateFunc general
        ? general.orderingWithinGroups()
        : new SortValue[0];
  }

  /** Whether values are of no other use than to be NULL or not. */
  private static boolean isCounted(AggregateFunc function) {
    return function instanceof Count count && !count.isDistinct();
  }

  private static boolean isDistinct(AggregateFunc function) {
    return (function instanceof Count count && count.isDistinct())
        || (function instanceof Sum sum && sum.isDistinct())
        || (function instanceof GeneralAggregateFunc general && general.isDistinct());
  }

  private static Optional<Refused> refuse(String what, String reason) {
    return Optional.of(new Refused(what, reason));
  }
}
