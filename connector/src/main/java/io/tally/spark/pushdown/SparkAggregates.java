package io.tally.spark.pushdown;

import io.tally.rpc.AggregateFunction;
import io.tally.spark.pushdown.AggregateTranslation.Refused;
import io.tally.spark.pushdown.AggregateTranslation.Translated;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.apache.spark.sql.connector.expressions.aggregate.AggregateFunc;
import org.apache.spark.sql.connector.expressions.aggregate.Avg;
import org.apache.spark.sql.connector.expressions.aggregate.Count;
import org.apache.spark.sql.connector.expressions.aggregate.CountStar;
import org.apache.spark.sql.connector.expressions.aggregate.GeneralAggregateFunc;
import org.apache.spark.sql.connector.expressions.aggregate.Max;
import org.apache.spark.sql.connector.expressions.aggregate.Min;
import org.apache.spark.sql.connector.expressions.aggregate.Sum;

/**
 * The registry of the aggregates that Spark's {@code V2ExpressionBuilder} offers: one line each,
 * with the wire function that is equal to it, or the reason why there is none.
 */
final class SparkAggregates {
  /** The name that stands for what a catalog defines. */
  static final String USER_DEFINED = "user-defined";

  /** Makes the wire call of an aggregate out of its translated operands. */
  interface Rule {
    AggregateTranslation apply(AggregateArguments arguments);
  }

  /**
   * A line of the registry.
   *
   * @param name as {@code V2ExpressionBuilder} writes it
   * @param targets the wire functions that its calls become
   * @param takes its operands, for people
   * @param refusal why there is none; empty if there is
   */
  record Entry(
      String name, List<AggregateFunction> targets, String takes, String refusal, Rule rule) {
    Entry {
      targets = List.copyOf(targets);
    }
  }

  private static final String EXACT = "integers, DECIMAL up to 15 digits";
  private static final Map<String, Entry> ENTRIES = new LinkedHashMap<>();

  static {
    to("COUNT(*)", "", Sums::countAll, AggregateFunction.COUNT_ALL);
    to("COUNT", "T", Sums::count, AggregateFunction.COUNT, AggregateFunction.COUNT_DISTINCT);
    to("SUM", "N, intervals", Sums::sum, AggregateFunction.SUM, AggregateFunction.SUM_DISTINCT);
    to("MIN", "T", extremum(AggregateFunction.MIN), AggregateFunction.MIN);
    to("MAX", "T", extremum(AggregateFunction.MAX), AggregateFunction.MAX);
    refuse("AVG", "Spark offers SUM and COUNT in its place");
    moment("VAR_POP", AggregateFunction.VAR_POP);
    moment("VAR_SAMP", AggregateFunction.VAR_SAMP);
    moment("STDDEV_POP", AggregateFunction.STDDEV_POP);
    moment("STDDEV_SAMP", AggregateFunction.STDDEV_SAMP);
    moment("COVAR_POP", AggregateFunction.COVAR_POP);
    moment("COVAR_SAMP", AggregateFunction.COVAR_SAMP);
    refuse(
        "CORR",
        "Spark fails where a variance is zero, with ANSI on, is NULL there, with ANSI off, and does"
            + " not tell which");
    refuse(
        "REGR_INTERCEPT",
        "it is a difference of averages, which programs round differently: of (25.5, 8.5), (26.4,"
            + " 8.8), (14.1, 4.7) Spark makes 0.0, the node's engine 3.6E-15");
    regression("REGR_R2", AggregateFunction.REGR_R2);
    regression("REGR_SLOPE", AggregateFunction.REGR_SLOPE);
    regression("REGR_SXY", AggregateFunction.REGR_SXY);
    percentile("PERCENTILE_CONT", AggregateFunction.PERCENTILE_CONT);
    percentile("PERCENTILE_DISC", AggregateFunction.PERCENTILE_DISC);
    to("MODE", "T except FLOAT, DOUBLE, BINARY; ordered", Statistics::mode, AggregateFunction.MODE);
    refuse(USER_DEFINED, "nodes do not know it");
  }

  private SparkAggregates() {}

  /** The name under which an aggregate stands here. */
  static String nameOf(AggregateFunc function) {
    if (function instanceof CountStar) {
      return "COUNT(*)";
    }
    if (function instanceof Count) {
      return "COUNT";
    }
    if (function instanceof Sum) {
      return "SUM";
    }
    if (function instanceof Min) {
      return "MIN";
    }
    if (function instanceof Max) {
      return "MAX";
    }
    if (function instanceof Avg) {
      return "AVG";
    }
    return function instanceof GeneralAggregateFunc general ? general.name() : USER_DEFINED;
  }

  /** The line of an aggregate. */
  static Entry of(AggregateFunc function) {
    String name = nameOf(function);
    Entry entry = ENTRIES.get(name);
    return entry == null ? refusal(name, "nodes do not compute it") : entry;
  }

  /** All lines. */
  static List<Entry> entries() {
    return List.copyOf(ENTRIES.values());
  }

  private static Rule extremum(AggregateFunction function) {
    return arguments -> {
      Operand operand = arguments.operand();
      OutputColumn output =
          new OutputColumn(OutputColumn.Role.OTHER, operand.type(), operand.type());
      return Translated.merging(function, operand, arguments.text(), output);
    };
  }

  private static void moment(String name, AggregateFunction function) {
    to(name, EXACT, Statistics.moment(function), function);
  }

  private static void regression(String name, AggregateFunction function) {
    to(name, EXACT, Statistics.regression(function), function);
  }

  private static void percentile(String name, AggregateFunction function) {
    to(name, EXACT, Statistics.percentile(function), function);
  }

  private static void to(String name, String takes, Rule rule, AggregateFunction... targets) {
    ENTRIES.put(name, new Entry(name, List.of(targets), takes, "", rule));
  }

  private static void refuse(String name, String reason) {
    ENTRIES.put(name, refusal(name, reason));
  }

  private static Entry refusal(String name, String reason) {
    return new Entry(name, List.of(), "", reason, arguments -> new Refused(reason));
  }
}
