package io.tally.rpc;

import java.util.Arrays;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;
import java.util.stream.Collectors;

/** The scalar functions of {@code expression.proto}, whose table defines arguments and results. */
public enum ScalarFunction {
  EQ("eq"),
  NE("ne"),
  LT("lt"),
  LE("le"),
  GT("gt"),
  GE("ge"),
  EQ_NULL_SAFE("eq_null_safe"),
  IN("in"),
  IS_NULL("is_null"),
  IS_NOT_NULL("is_not_null"),
  AND("and"),
  OR("or"),
  NOT("not"),
  STARTS_WITH("starts_with"),
  ENDS_WITH("ends_with"),
  CONTAINS("contains");

  private static final Map<String, ScalarFunction> BY_WIRE_NAME =
      Arrays.stream(values())
          .collect(Collectors.toUnmodifiableMap(ScalarFunction::wireName, Function.identity()));

  private final String wireName;

  ScalarFunction(String wireName) {
    this.wireName = wireName;
  }

  /** The name in {@code Call.function}. */
  public String wireName() {
    return wireName;
  }

  /** The name in {@code DescribeNodeResponse.features}. */
  public String feature() {
    return "fn." + wireName;
  }

  /** The function of that wire name, or empty if this version does not know it. */
  public static Optional<ScalarFunction> ofWireName(String wireName) {
    return Optional.ofNullable(BY_WIRE_NAME.get(wireName));
  }
}
