package io.tally.server.scan;

import io.tally.rpc.AggregateFunction;
import io.tally.server.scan.AggregateSql.Operand;
import java.util.List;
import java.util.Optional;
import java.util.stream.Collectors;

/**
 * Takes an aggregate and hands on the SQL of its partial result over a single row: every row is the
 * partial aggregate of itself.
 */
final class OneRowSql {
  private OneRowSql() {}

  /**
   * In terms of the operands; empty if results of the function do not merge.
   *
   * @param type of the result
   */
  static Optional<String> of(AggregateFunction function, List<Operand> operands, ValueType type) {
    return switch (function) {
      case COUNT_ALL -> Optional.of("CAST(1 AS BIGINT)");
      case COUNT ->
          Optional.of(
              operands.stream()
                  .map(operand -> operand.column() + " IS NOT NULL")
                  .collect(Collectors.joining(" AND ", "CAST((", ") AS BIGINT)")));
      case SUM -> Optional.of("CAST(%s AS %s)".formatted(operands.get(0).column(), type.sql()));
      case MIN, MAX -> Optional.of(operands.get(0).column());
      case COUNT_DISTINCT,
          SUM_DISTINCT,
          VAR_POP,
          VAR_SAMP,
          STDDEV_POP,
          STDDEV_SAMP,
          COVAR_POP,
          COVAR_SAMP,
          REGR_R2,
          REGR_SXY,
          REGR_SLOPE,
          PERCENTILE_CONT,
          PERCENTILE_DISC,
          MODE ->
          Optional.empty();
    };
  }
}
