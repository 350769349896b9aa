package io.tally.spark.pushdown;

import io.tally.rpc.ScalarFunction;
import io.tally.rpc.v1.Call;
import io.tally.rpc.v1.Partition;
import io.tally.spark.types.TableSchema;
import java.math.BigInteger;
import java.util.List;
import java.util.Optional;

/**
 * One aggregate as Spark offers it, with translated operands, and what is known of their values.
 *
 * @param name as {@code V2ExpressionBuilder} writes it
 * @param operands what it aggregates: its arguments, or what it is ordered by within the group
 * @param parameters its arguments, where it is ordered within the group
 * @param descending whether that order is
 */
record AggregateArguments(
    String name,
    boolean distinct,
    List<Operand> operands,
    List<org.apache.spark.sql.connector.expressions.Expression> parameters,
    boolean descending,
    Facts facts) {
  AggregateArguments {
    operands = List.copyOf(operands);
    parameters = List.copyOf(parameters);
  }

  /**
   * What is known of the rows.
   *
   * @param partitions whose rows are aggregated
   */
  record Facts(
      TableSchema schema,
      List<Partition> partitions,
      ExpressionTranslator expressions,
      PlanningSession session) {}

  Operand operand() {
    return operands.get(0);
  }

  /** As in {@code COVAR_POP(a, b)}. */
  String text() {
    return name
        + (distinct ? "(DISTINCT " : "(")
        + String.join(", ", operands.stream().map(Operand::text).toList())
        + ")";
  }

  /** The largest absolute value of a sum of the operand, in units of its last digit. */
  BigInteger sumBound() {
    return SumBound.of(facts.schema(), facts.partitions(), operand().expression());
  }

  /** What is known of the exact number that an operand is the DOUBLE of; empty: it is not one. */
  Optional<IntegerRange> exact(Operand operand) {
    Call call = operand.expression().getCall();
    return call.getFunction().equals(ScalarFunction.CAST.wireName())
        ? facts.expressions().known(call.getArguments(0))
        : Optional.empty();
  }
}
