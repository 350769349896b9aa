package io.tally.spark.pushdown;

import io.tally.rpc.AggregateFunction;
import io.tally.rpc.ScalarFunction;
import io.tally.rpc.WireTypes;
import io.tally.rpc.v1.Call;
import io.tally.rpc.v1.Expression;
import io.tally.rpc.v1.Partition;
import io.tally.spark.pushdown.AggregationTranslation.Refused;
import io.tally.spark.pushdown.OutputColumn.Role;
import io.tally.spark.types.TableSchema;
import java.math.BigInteger;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.apache.spark.sql.connector.expressions.aggregate.AggregateFunc;
import org.apache.spark.sql.connector.expressions.aggregate.Aggregation;
import org.apache.spark.sql.connector.expressions.aggregate.Count;
import org.apache.spark.sql.connector.expressions.aggregate.CountStar;
import org.apache.spark.sql.connector.expressions.aggregate.GeneralAggregateFunc;
import org.apache.spark.sql.connector.expressions.aggregate.Max;
import org.apache.spark.sql.connector.expressions.aggregate.Min;
import org.apache.spark.sql.connector.expressions.aggregate.Sum;
import org.apache.spark.sql.types.DataType;
import org.apache.spark.sql.types.DataTypes;

/**
 * Takes an aggregation as Spark offers it, with the partitions that each stream would answer for,
 * and gives the plan by which nodes compute it, or the reason why Spark has to. Asking twice gives
 * the same answer. Immutable; safe for any thread.
 */
public final class AggregationTranslator {
  private static final BigInteger LARGEST_LONG = BigInteger.valueOf(Long.MAX_VALUE);
  private static final int MAX_PRECISION = 38;

  /** So many are accepted by every node. */
  private static final int MAX_KEYS_AND_AGGREGATES = 1_000;

  /** Spark adds decimals of p digits up in p + 10 digits: {@code Sum.resultType}. */
  private static final int EXTRA_SUM_DIGITS = 10;

  /** Of Spark's general aggregates, those that nodes compute. */
  private static final Map<String, AggregateFunction> MOMENTS =
      Map.of(
          "VAR_POP", AggregateFunction.VAR_POP,
          "VAR_SAMP", AggregateFunction.VAR_SAMP,
          "STDDEV_POP", AggregateFunction.STDDEV_POP,
          "STDDEV_SAMP", AggregateFunction.STDDEV_SAMP,
          "COVAR_POP", AggregateFunction.COVAR_POP,
          "COVAR_SAMP", AggregateFunction.COVAR_SAMP);

  private final TableSchema schema;
  private final CommonFeatures features;
  private final ExpressionTranslator expressions;
  private final List<List<Partition>> streams;
  private final List<Partition> partitions;
  private final boolean nullForOneValue;
  private final ExpressionBudget budget;

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
    this.nullForOneValue = context.session().map(rules -> !rules.nanForOneValue()).orElse(false);
    this.partitions = streams.stream().flatMap(List::stream).toList();
    this.expressions =
        new ExpressionTranslator(
            new PushdownContext(schema, features, partitions, context.session()));
  }

  /** Translates all of it or nothing: one aggregate that nodes do not know blocks the others. */
  public AggregationTranslation translate(Aggregation offered) {
    return new Walk().walk(offered);
  }

  /**
   * What is aggregated or grouped by.
   *
   * @param text for people
   */
  private record Operand(
      String text, Expression expression, io.tally.rpc.v1.DataType wireType, DataType type) {}

  /** The state of one translation. */
  private final class Walk {
    private final AggregationDraft draft = new AggregationDraft();
    private final ExpressionBudget left = budget.copy();
    private final Set<Operand> counted = new HashSet<>();
    private final Set<Operand> sumsThatMayOverflow = new HashSet<>();
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
      Set<Operand> averaged = new HashSet<>(counted);
      averaged.retainAll(sumsThatMayOverflow);
      if (!averaged.isEmpty()) {
        String averagedText = averaged.iterator().next().text();
        return new Refused(
            "SUM(" + averagedText + ") with COUNT(" + averagedText + ")",
            "Spark offers AVG so, but averages in DOUBLE itself, and statistics do not prove that"
                + " the sum fits BIGINT");
      }
      boolean complete =
          resultsFit && keysAreExact && DisjointGroups.proved(schema, streams, draft.groupBy());
      if (!complete && unlessComplete.isPresent()) {
        return unlessComplete.get();
      }
      return new AggregationTranslation.Translated(draft.finish(complete));
    }

    private Optional<Refused> addKey(org.apache.spark.sql.connector.expressions.Expression key) {
      String what = "GROUP BY " + Described.of(key);
      Translation translation = translate(key);
      if (!(translation instanceof Translation.Translated translated)) {
        return refuse(what, ((Translation.Refused) translation).reason());
      }
      Operand operand = operand(translated);
      // Spark shows -0.0 as 0.0 in keys that it groups by itself; a node may show either.
      keysAreExact &= !WireTypes.isFloatingPoint(operand.wireType());
      draft.addKey(operand.expression(), operand.text(), operand.type());
      return Optional.empty();
    }

    private Translation translate(
        org.apache.spark.sql.connector.expressions.Expression expression) {
      Translation translation = expressions.translate(expression);
      return translation instanceof Translation.Translated translated && !left.take(translated)
          ? new Translation.Refused(
              "together with the predicates there are more parts than nodes accept")
          : translation;
    }

    private Optional<Refused> add(AggregateFunc function) {
      String what = Described.of(function);
      if (function instanceof CountStar) {
        OutputColumn output = new OutputColumn(Role.COUNT, DataTypes.LongType, DataTypes.LongType);
        return addCall(AggregateFunction.COUNT_ALL, Optional.empty(), "COUNT(*)", output);
      }
      if (function instanceof Count count) {
        return withArgument(what, count.column(), operand -> addCount(operand, count.isDistinct()));
      }
      if (function instanceof Sum sum) {
        return withArgument(what, sum.column(), operand -> addSum(operand, sum.isDistinct()));
      }
      if (function instanceof Min min) {
        return withArgument(
            what, min.column(), operand -> addExtremum(AggregateFunction.MIN, operand));
      }
      if (function instanceof Max max) {
        return withArgument(
            what, max.column(), operand -> addExtremum(AggregateFunction.MAX, operand));
      }
      if (function instanceof GeneralAggregateFunc general && MOMENTS.containsKey(general.name())) {
        return addMoment(what, MOMENTS.get(general.name()), general);
      }
      return refuse(what, "nodes do not compute it");
    }

    private Optional<Refused> withArgument(
        String what,
        org.apache.spark.sql.connector.expressions.Expression argument,
        java.util.function.Function<Operand, Optional<Refused>> next) {
      Translation translation = translate(argument);
      return translation instanceof Translation.Translated translated
          ? next.apply(operand(translated))
          : refuse(what, ((Translation.Refused) translation).reason());
    }

    private Optional<Refused> addCount(Operand operand, boolean distinct) {
      OutputColumn output = new OutputColumn(Role.COUNT, DataTypes.LongType, DataTypes.LongType);
      if (distinct) {
        return addDistinct(AggregateFunction.COUNT_DISTINCT, operand, "COUNT", output);
      }
      counted.add(operand);
      return addCall(AggregateFunction.COUNT, Optional.of(operand), "COUNT", output);
    }

    private Optional<Refused> addDistinct(
        AggregateFunction function, Operand operand, String name, OutputColumn output) {
      String text = name + "(DISTINCT " + operand.text() + ")";
      needComplete(text, "DISTINCT values of several streams overlap");
      return addCall(function, List.of(operand), text, output);
    }

    /** Takes back everything if it turns out that Spark has to add results up. */
    private void needComplete(String what, String reason) {
      unlessComplete = unlessComplete.or(() -> refuse(what, reason));
    }

    /**
     * Variances and their kin. Spark and the node's engine compute them in the same way, row by
     * row; the order of rows decides on the last bits in both.
     */
    private Optional<Refused> addMoment(
        String what, AggregateFunction function, GeneralAggregateFunc general) {
      if (general.isDistinct()) {
        return refuse(what, "nodes compute it of all values only");
      }
      if (!nullForOneValue) {
        return refuse(what, "it may have to be NaN for one value, which is NULL on nodes");
      }
      List<Operand> operands = new ArrayList<>();
      for (org.apache.spark.sql.connector.expressions.Expression argument : general.children()) {
        Translation translation = translate(argument);
        if (!(translation instanceof Translation.Translated translated)) {
          return refuse(what, ((Translation.Refused) translation).reason());
        }
        if (!isFinite(translated.expression())) {
          return refuse(what, "nodes fail on NaN and infinities, which its argument may be");
        }
        operands.add(operand(translated));
      }
      needComplete(what, "results of several streams do not add up");
      OutputColumn output =
          new OutputColumn(Role.OTHER, DataTypes.DoubleType, DataTypes.DoubleType);
      String text =
          general.name()
              + "("
              + String.join(", ", operands.stream().map(Operand::text).toList())
              + ")";
      return addCall(function, operands, text, output);
    }

    /** Whether it is a DOUBLE made of an exact number. */
    private boolean isFinite(Expression expression) {
      Call call = expression.getCall();
      return call.getFunction().equals(ScalarFunction.CAST.wireName())
          && expressions.isExact(call.getArguments(0));
    }

    private Optional<Refused> addExtremum(AggregateFunction function, Operand operand) {
      OutputColumn output = new OutputColumn(Role.OTHER, operand.type(), operand.type());
      return addCall(function, Optional.of(operand), function.name(), output);
    }

    private Optional<Refused> addSum(Operand operand, boolean distinct) {
      if (WireTypes.isFloatingPoint(operand.wireType())) {
        OutputColumn output =
            new OutputColumn(Role.OTHER, DataTypes.DoubleType, DataTypes.DoubleType);
        return addSum(operand, distinct, output);
      }
      if (WireTypes.isInteger(operand.wireType())) {
        return addIntegerSum(operand, distinct);
      }
      if (WireTypes.isDecimal(operand.wireType())) {
        return addDecimalSum(operand, distinct);
      }
      return refuse("SUM(" + operand.text() + ")", "nodes do not add up " + operand.type().sql());
    }

    private Optional<Refused> addSum(Operand operand, boolean distinct, OutputColumn output) {
      return distinct
          ? addDistinct(AggregateFunction.SUM_DISTINCT, operand, "SUM", output)
          : addCall(AggregateFunction.SUM, Optional.of(operand), "SUM", output);
    }

    private Optional<Refused> addIntegerSum(Operand operand, boolean distinct) {
      BigInteger bound = SumBound.of(schema, partitions, operand.expression());
      if (bound.compareTo(LARGEST_LONG) > 0) {
        resultsFit = false;
        if (!distinct) {
          sumsThatMayOverflow.add(operand);
        }
      }
      OutputColumn output =
          new OutputColumn(
              Role.INTEGER_SUM, DataTypes.createDecimalType(MAX_PRECISION, 0), DataTypes.LongType);
      return addSum(operand, distinct, output);
    }

    private Optional<Refused> addDecimalSum(Operand operand, boolean distinct) {
      int precision = operand.wireType().getPrecision();
      BigInteger bound = SumBound.of(schema, partitions, operand.expression());
      if (bound.compareTo(SumBound.largestDecimal(MAX_PRECISION)) > 0) {
        return refuse(
            "SUM(" + operand.text() + ")",
            "statistics do not prove that a node's sum fits " + MAX_PRECISION + " digits");
      }
      int resultPrecision = Math.min(MAX_PRECISION, precision + EXTRA_SUM_DIGITS);
      resultsFit &= bound.compareTo(SumBound.largestDecimal(resultPrecision)) <= 0;
      OutputColumn output =
          new OutputColumn(
              Role.DECIMAL_SUM,
              DataTypes.createDecimalType(MAX_PRECISION, operand.wireType().getScale()),
              operand.type());
      return addSum(operand, distinct, output);
    }

    private Optional<Refused> addCall(
        AggregateFunction function, Optional<Operand> operand, String name, OutputColumn output) {
      String text = operand.map(argument -> name + "(" + argument.text() + ")").orElse(name);
      return addCall(function, operand.stream().toList(), text, output);
    }

    private Optional<Refused> addCall(
        AggregateFunction function, List<Operand> operands, String text, OutputColumn output) {
      if (!features.has(function.feature())) {
        return refuse(text, "not every node has the feature " + function.feature());
      }
      draft.add(function, operands.stream().map(Operand::expression).toList(), text, output);
      return Optional.empty();
    }

    private Operand operand(Translation.Translated translated) {
      return new Operand(
          WireText.of(translated.expression()),
          translated.expression(),
          translated.type(),
          SparkTypes.of(translated.type()));
    }
  }

  private static Optional<Refused> refuse(String what, String reason) {
    return Optional.of(new Refused(what, reason));
  }
}
