package io.tally.rpc;

import java.util.Arrays;
import java.util.EnumSet;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Function;
import java.util.stream.Collectors;

/** The scalar functions of {@code expression.proto}, whose table defines arguments and results. */
public enum ScalarFunction {
  EQ("eq", Signatures.comparison()),
  NE("ne", Signatures.comparison()),
  LT("lt", Signatures.comparison()),
  LE("le", Signatures.comparison()),
  GT("gt", Signatures.comparison()),
  GE("ge", Signatures.comparison()),
  EQ_NULL_SAFE("eq_null_safe", Signatures.comparison()),
  IN("in", Signatures.in()),
  IS_NULL("is_null", Signatures.nullTest()),
  IS_NOT_NULL("is_not_null", Signatures.nullTest()),
  AND("and", Signatures.connective()),
  OR("or", Signatures.connective()),
  NOT("not", Signatures.negation()),
  STARTS_WITH("starts_with", Signatures.textTest()),
  ENDS_WITH("ends_with", Signatures.textTest()),
  CONTAINS("contains", Signatures.textTest()),

  COALESCE("coalesce", Signatures.sameTypes("T, T…", type -> true)),
  GREATEST("greatest", Signatures.sameTypes("T, T…", type -> !WireTypes.isFloatingPoint(type))),
  LEAST("least", Signatures.sameTypes("T, T…", type -> !WireTypes.isFloatingPoint(type))),
  CASE_WHEN("case_when", Signatures.caseWhen()),
  CAST("cast", Signatures.cast()),

  ADD("add", Signatures.arithmetic("N", Signatures::sumOf)),
  SUBTRACT("subtract", Signatures.arithmetic("N", Signatures::sumOf)),
  MULTIPLY("multiply", Signatures.arithmetic("N", Signatures::productOf)),
  DIVIDE("divide", Signatures.byLiteral("FLOAT or DOUBLE, not 0", WireTypes::isFloatingPoint)),
  REMAINDER(
      "remainder",
      Signatures.byLiteral(
          "N except DECIMAL, not 0",
          type -> WireTypes.isInteger(type) || WireTypes.isFloatingPoint(type))),
  NEGATE("negate", Signatures.sameTypes("N", 1, WireTypes::isNumeric)),
  ABS("abs", Signatures.sameTypes("N", 1, WireTypes::isNumeric)),
  BIT_AND("bit_and", Signatures.sameTypes("I, I", 2, WireTypes::isInteger)),
  BIT_OR("bit_or", Signatures.sameTypes("I, I", 2, WireTypes::isInteger)),
  BIT_XOR("bit_xor", Signatures.sameTypes("I, I", 2, WireTypes::isInteger)),
  BIT_NOT("bit_not", Signatures.sameTypes("I", 1, WireTypes::isInteger)),
  SQRT("sqrt", Signatures.squareRoot()),
  FLOOR("floor", Signatures.toWhole()),
  CEIL("ceil", Signatures.toWhole()),
  ROUND("round", Signatures.round()),

  CHAR_LENGTH("char_length", Signatures.textToInteger()),
  BIT_LENGTH("bit_length", Signatures.textToInteger()),
  SUBSTRING("substring", Signatures.substring()),
  RIGHT("right", Signatures.lastCharacters()),
  CONCAT("concat", Signatures.concat()),
  TRANSLATE("translate", Signatures.translate()),
  TRIM("trim", Signatures.trim()),
  LTRIM("ltrim", Signatures.trim()),
  RTRIM("rtrim", Signatures.trim()),
  LPAD("lpad", Signatures.pad()),
  RPAD("rpad", Signatures.pad()),
  MD5("md5", Signatures.digest()),
  SHA1("sha1", Signatures.digest()),
  SHA256("sha256", Signatures.digest()),

  DATE_ADD("date_add", Signatures.dateAdd()),
  DATE_DIFF("date_diff", Signatures.dateDiff()),
  TRUNCATE_DATE("truncate_date", Signatures.truncateDate()),
  YEAR("year", Signatures.datePart()),
  QUARTER("quarter", Signatures.datePart()),
  MONTH("month", Signatures.datePart()),
  DAY("day", Signatures.datePart()),
  DAY_OF_YEAR("day_of_year", Signatures.datePart()),
  ISO_DAY_OF_WEEK("iso_day_of_week", Signatures.datePart()),
  ISO_WEEK("iso_week", Signatures.datePart()),
  ISO_YEAR("iso_year", Signatures.datePart()),
  HOUR("hour", Signatures.timePart()),
  MINUTE("minute", Signatures.timePart()),
  SECOND("second", Signatures.timePart()),
  TO_LOCAL("to_local", Signatures.toLocal());

  /** Those whose result may not fit its type, so that they fail for some arguments. */
  private static final Set<ScalarFunction> OVERFLOWING =
      EnumSet.of(
          CAST, ADD, SUBTRACT, MULTIPLY, NEGATE, ABS, DATE_ADD, DATE_DIFF, TRUNCATE_DATE, TO_LOCAL);

  private static final Map<String, ScalarFunction> BY_WIRE_NAME =
      Arrays.stream(values())
          .collect(Collectors.toUnmodifiableMap(ScalarFunction::wireName, Function.identity()));

  private final String wireName;

  @SuppressWarnings("ImmutableEnumChecker") // rules have no state
  private final Signature signature;

  ScalarFunction(String wireName, Signature signature) {
    this.wireName = wireName;
    this.signature = signature;
  }

  /** The name in {@code Call.function}. */
  public String wireName() {
    return wireName;
  }

  /** What it takes and gives. */
  public Signature signature() {
    return signature;
  }

  /** Whether it fails, with ARITHMETIC_OVERFLOW, for some arguments. */
  public boolean canOverflow() {
    return OVERFLOWING.contains(this);
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
