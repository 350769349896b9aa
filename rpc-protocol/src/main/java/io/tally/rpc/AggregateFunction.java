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
  COUNT_ALL("count_all", true),
  COUNT("count", true),
  SUM("sum", true),
  MIN("min", true),
  MAX("max", true),
  COUNT_DISTINCT("count_distinct", false),
  SUM_DISTINCT("sum_distinct", false),
  VAR_POP("var_pop", false),
  VAR_SAMP("var_samp", false),
  STDDEV_POP("stddev_pop", false),
  STDDEV_SAMP("stddev_samp", false),
  COVAR_POP("covar_pop", false),
  COVAR_SAMP("covar_samp", false);

  private static final Map<String, AggregateFunction> BY_WIRE_NAME =
      Arrays.stream(values())
          .collect(Collectors.toUnmodifiableMap(AggregateFunction::wireName, Function.identity()));

  private final String wireName;
  private final boolean merges;

  AggregateFunction(String wireName, boolean merges) {
    this.wireName = wireName;
    this.merges = merges;
  }

  /** The name in {@code AggregateCall.function}. */
  public String wireName() {
    return wireName;
  }

  /** Whether results of several scans can be added up or compared to the result of all. */
  public boolean merges() {
    return merges;
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
