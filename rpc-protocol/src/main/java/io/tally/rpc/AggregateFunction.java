package io.tally.rpc;

import java.util.Arrays;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;
import java.util.stream.Collectors;

/**
 * The aggregate functions of {@code partition_service.proto}, whose table defines arguments and
 * results.
 */
public enum AggregateFunction {
  COUNT_ALL("count_all", true, 0, 0),
  COUNT("count", true, Integer.MAX_VALUE, 0),
  SUM("sum", true, 1, 0),
  MIN("min", true, 1, 0),
  MAX("max", true, 1, 0),
  COUNT_DISTINCT("count_distinct", false, 1, 0),
  SUM_DISTINCT("sum_distinct", false, 1, 0),
  VAR_POP("var_pop", false, 1, 0),
  VAR_SAMP("var_samp", false, 1, 0),
  STDDEV_POP("stddev_pop", false, 1, 0),
  STDDEV_SAMP("stddev_samp", false, 1, 0),
  COVAR_POP("covar_pop", false, 2, 0),
  COVAR_SAMP("covar_samp", false, 2, 0),
  REGR_R2("regr_r2", false, 2, 0),
  REGR_SLOPE("regr_slope", false, 2, 0),
  REGR_SXY("regr_sxy", false, 2, 0),
  PERCENTILE_CONT("percentile_cont", false, 1, 2),
  PERCENTILE_DISC("percentile_disc", false, 1, 2),
  MODE("mode", false, 1, 1);

  private static final Map<String, AggregateFunction> BY_WIRE_NAME =
      Arrays.stream(values())
          .collect(Collectors.toUnmodifiableMap(AggregateFunction::wireName, Function.identity()));

  private final String wireName;
  private final boolean merges;
  private final int operands;
  private final int parameters;

  AggregateFunction(String wireName, boolean merges, int operands, int parameters) {
    this.wireName = wireName;
    this.merges = merges;
    this.operands = operands;
    this.parameters = parameters;
  }

  /** The name in {@code AggregateCall.function}. */
  public String wireName() {
    return wireName;
  }

  /** Whether results of several scans can be added up or compared to the result of all. */
  public boolean merges() {
    return merges;
  }

  /** How many literals stand behind the operands. */
  public int parameters() {
    return parameters;
  }

  /** Whether that is a right number of arguments, parameters included. */
  public boolean takes(int arguments) {
    return this == COUNT ? arguments >= 1 : arguments == operands + parameters;
  }

  /** The name in {@code DescribeNodeResponse.features}. */
  public String feature() {
    return "agg." + wireName;
  }

  /** The function of that wire name, or empty if this version does not know it. */
  public static Optional<AggregateFunction> ofWireName(String wireName) {
    return Optional.ofNullable(BY_WIRE_NAME.get(wireName));
  }
}
