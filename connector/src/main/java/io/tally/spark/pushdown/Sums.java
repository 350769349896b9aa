package io.tally.spark.pushdown;

import io.tally.rpc.AggregateFunction;
import io.tally.rpc.WireTypes;
import io.tally.rpc.v1.DataType;
import io.tally.spark.pushdown.AggregateTranslation.Refused;
import io.tally.spark.pushdown.AggregateTranslation.Translated;
import io.tally.spark.pushdown.OutputColumn.Role;
import java.math.BigInteger;
import java.util.List;
import java.util.Optional;
import org.apache.spark.sql.types.DataTypes;

/**
 * Takes counts and sums and gives them with the types that Spark casts partial ones to, and whether
 * they are proved to fit.
 */
final class Sums {
  /** Spark adds decimals of p digits up in p + 10 digits: {@code Sum.resultType}. */
  private static final int EXTRA_DIGITS = 10;

  private static final OutputColumn COUNT =
      new OutputColumn(Role.COUNT, DataTypes.LongType, DataTypes.LongType);

  private Sums() {}

  static AggregateTranslation countAll(AggregateArguments arguments) {
    return new Translated(
        AggregateFunction.COUNT_ALL, List.of(), arguments.name(), COUNT, Optional.empty(), true);
  }

  static AggregateTranslation count(AggregateArguments arguments) {
    return added(arguments, AggregateFunction.COUNT, AggregateFunction.COUNT_DISTINCT, COUNT, true);
  }

  static AggregateTranslation sum(AggregateArguments arguments) {
    Operand operand = arguments.operand();
    if (WireTypes.isFloatingPoint(operand.wireType())) {
      return sum(
          arguments,
          new OutputColumn(Role.OTHER, DataTypes.DoubleType, DataTypes.DoubleType),
          true);
    }
    if (WireTypes.isInteger(operand.wireType())) {
      return wholeSum(arguments, WireTypes.BIGINT);
    }
    if (WireTypes.isInterval(operand.wireType())) {
      return wholeSum(arguments, operand.wireType());
    }
    return WireTypes.isDecimal(operand.wireType())
        ? decimalSum(arguments)
        : new Refused("nodes do not add up " + operand.type().sql());
  }

  /**
   * @param read the type of the sum in Spark
   */
  private static AggregateTranslation wholeSum(AggregateArguments arguments, DataType read) {
    OutputColumn output =
        new OutputColumn(
            Role.INTEGER_SUM,
            DataTypes.createDecimalType(WireTypes.MAX_PRECISION, 0),
            SparkTypes.of(read));
    BigInteger largest = IntegerRange.ofType(read).orElseThrow().upper();
    return sum(arguments, output, arguments.sumBound().compareTo(largest) <= 0);
  }

  private static AggregateTranslation decimalSum(AggregateArguments arguments) {
    Operand operand = arguments.operand();
    BigInteger bound = arguments.sumBound();
    if (bound.compareTo(SumBound.largestDecimal(WireTypes.MAX_PRECISION)) > 0) {
      return new Refused(
          "statistics do not prove that a node's sum fits " + WireTypes.MAX_PRECISION + " digits");
    }
    int precision =
        Math.min(WireTypes.MAX_PRECISION, operand.wireType().getPrecision() + EXTRA_DIGITS);
    OutputColumn output =
        new OutputColumn(
            Role.DECIMAL_SUM,
            DataTypes.createDecimalType(WireTypes.MAX_PRECISION, operand.wireType().getScale()),
            operand.type());
    return sum(arguments, output, bound.compareTo(SumBound.largestDecimal(precision)) <= 0);
  }

  private static AggregateTranslation sum(
      AggregateArguments arguments, OutputColumn output, boolean fits) {
    return added(arguments, AggregateFunction.SUM, AggregateFunction.SUM_DISTINCT, output, fits);
  }

  private static AggregateTranslation added(
      AggregateArguments arguments,
      AggregateFunction function,
      AggregateFunction distinct,
      OutputColumn output,
      boolean fits) {
    if (arguments.distinct() && arguments.operand().expression().hasLiteral()) {
      return new Refused(
          "of AVG(DISTINCT constant), Spark offers the count as COUNT(*), which is not DISTINCT");
    }
    return new Translated(
        arguments.distinct() ? distinct : function,
        List.of(arguments.operand().expression()),
        arguments.text(),
        output,
        arguments.distinct()
            ? Optional.of("DISTINCT values of several streams overlap")
            : Optional.empty(),
        fits);
  }
}
