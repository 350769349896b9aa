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
  COUNT_ALL("count_all"),
  COUNT("count"),
  SUM("sum"),
  MIN("min"),
  MAX("max");

  private static final Map<String, AggregateFunction> BY_WIRE_NAME =
      Arrays.stream(values())
          .collect(Collectors.toUnmodifiableMap(AggregateFunction::wireName, Function.identity()));

  private final String wireName;

  AggregateFunction(String wireName) {
    this.wireName = wireName;
  }

  /** The name in {@code AggregateCall.function}. */
  public String wireName() {
    return wireName;
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
