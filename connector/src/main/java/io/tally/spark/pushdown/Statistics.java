package io.tally.spark.pushdown;

import io.tally.rpc.AggregateFunction;
import io.tally.rpc.WireTypes;
import io.tally.rpc.v1.Expression;
import io.tally.rpc.v1.Literal;
import io.tally.spark.pushdown.AggregateTranslation.Refused;
import io.tally.spark.pushdown.AggregateTranslation.Translated;
import java.util.List;
import org.apache.spark.sql.types.DataTypes;

/**
 * Takes aggregates that need all rows of a group, and gives them where nodes compute what Spark
 * does.
 */
final class Statistics {
  /** Whole numbers that are so small have a DOUBLE between each two of them. */
  private static final IntegerRange FINE = IntegerRange.of(-(1L << 52), 1L << 52);

  private static final int DOUBLE_DIGITS = 15;
  private static final String DOES_NOT_ADD_UP = "results of several streams do not add up";

  private Statistics() {}

  /**
   * Variances and their kin. Spark and the node's engine compute them in the same way, row by row;
   * the order of rows decides on the last bits in both.
   */
  static SparkAggregates.Rule moment(AggregateFunction function) {
    return arguments -> {
      if (arguments.distinct()) {
        return new Refused("nodes compute it of all values only");
      }
      if (!arguments
          .facts()
          .session()
          .rules()
          .map(rules -> !rules.nanForOneValue())
          .orElse(false)) {
        return new Refused("it may have to be NaN for one value, which is NULL on nodes");
      }
      for (Operand operand : arguments.operands()) {
        if (arguments.exact(operand).isEmpty()) {
          return new Refused("nodes fail on NaN and infinities, which its argument may be");
        }
      }
      return Translated.whole(
          function,
          arguments.operands().stream().map(Operand::expression).toList(),
          arguments.text(),
          DataTypes.DoubleType,
          DOES_NOT_ADD_UP);
    };
  }

  /**
   * What also asks whether a variance is zero: whether it is must not depend on the order of rows,
   * as it does where an average of two values is one of them.
   */
  static SparkAggregates.Rule regression(AggregateFunction function) {
    SparkAggregates.Rule moment = moment(function);
    return arguments -> {
      boolean fine =
          arguments.operands().stream()
              .flatMap(operand -> arguments.exact(operand).stream())
              .allMatch(range -> range.isWithin(FINE));
      return fine
          ? moment.apply(arguments)
          : new Refused("statistics do not prove that its arguments are less than 2^52");
    };
  }

  static SparkAggregates.Rule percentile(AggregateFunction function) {
    return arguments -> {
      Operand operand = arguments.operand();
      boolean exact =
          WireTypes.isInteger(operand.wireType())
              || (WireTypes.isDecimal(operand.wireType())
                  && operand.wireType().getPrecision() <= DOUBLE_DIGITS);
      if (!exact || arguments.distinct()) {
        return new Refused(
            "nodes compute it of integers and DECIMAL of at most " + DOUBLE_DIGITS + " digits");
      }
      if (!arguments
          .facts()
          .session()
          .rules()
          .map(rules -> !rules.discreteByPlace())
          .orElse(false)) {
        return new Refused("it may have to be computed as in Spark 3.3");
      }
      if (!(arguments.parameters().size() == 1
          && arguments.parameters().get(0)
              instanceof org.apache.spark.sql.connector.expressions.Literal<?> literal
          && literal.value() instanceof Double fraction)) {
        return new Refused("its fraction is not one literal");
      }
      return Translated.whole(
          function,
          List.of(
              operand.expression(), WireCalls.real(fraction).expression(), descending(arguments)),
          arguments.name() + "(" + fraction + ")" + within(arguments),
          DataTypes.DoubleType,
          DOES_NOT_ADD_UP);
    };
  }

  static AggregateTranslation mode(AggregateArguments arguments) {
    Operand operand = arguments.operand();
    if (WireTypes.isFloatingPoint(operand.wireType())) {
      return new Refused("nodes may show -0.0 where Spark shows 0.0");
    }
    if (operand.wireType().equals(WireTypes.BINARY)) {
      return new Refused("Spark counts each value of type BINARY alone");
    }
    return Translated.whole(
        AggregateFunction.MODE,
        List.of(operand.expression(), descending(arguments)),
        arguments.name() + "()" + within(arguments),
        operand.type(),
        DOES_NOT_ADD_UP);
  }

  private static String within(AggregateArguments arguments) {
    return " WITHIN GROUP (ORDER BY "
        + arguments.operand().text()
        + (arguments.descending() ? " DESC)" : ")");
  }

  private static Expression descending(AggregateArguments arguments) {
    Literal.Builder literal = Literal.newBuilder().setType(WireTypes.BOOLEAN);
    return WireCalls.literal(literal.setBoolean(arguments.descending()).build()).expression();
  }
}
