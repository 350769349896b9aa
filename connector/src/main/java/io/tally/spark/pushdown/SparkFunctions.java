package io.tally.spark.pushdown;

import io.tally.rpc.ScalarFunction;
import io.tally.rpc.WireTypes;
import io.tally.rpc.v1.Literal;
import io.tally.spark.pushdown.Translation.Refused;
import io.tally.spark.pushdown.Translation.Translated;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/**
 * The registry of what Spark's {@code V2ExpressionBuilder} offers: one line a function, with the
 * wire function that is equal to it, or the reason why there is none.
 */
final class SparkFunctions {
  /** The name that stands for what a catalog defines. */
  static final String USER_DEFINED = "user-defined";

  /** Makes the wire call of a function out of its translated arguments. */
  interface Rule {
    Translation apply(WireCalls calls, List<Translated> arguments);
  }

  private static final String LAST_DIGIT =
      "Java and the node's engine may differ in the last digit of it";
  private static final String LETTERS =
      "Spark maps letters of all alphabets, one to many and by context; the node's engine one to one";
  private static final String NO_COUNTERPART = "the node's engine has no function that is equal";

  /**
   * A line of the registry.
   *
   * @param name as {@code V2ExpressionBuilder} writes it
   * @param targets the wire functions that its calls become
   * @param refusal why there is none; empty if there is
   */
  record Entry(String name, List<ScalarFunction> targets, String refusal, Rule rule) {
    Entry {
      targets = List.copyOf(targets);
    }
  }

  private static final Map<String, Entry> ENTRIES = new LinkedHashMap<>();

  static {
    // Conditions
    to("=", ScalarFunction.EQ);
    to("<>", ScalarFunction.NE);
    to("!=", ScalarFunction.NE);
    to("<", ScalarFunction.LT);
    to("<=", ScalarFunction.LE);
    to(">", ScalarFunction.GT);
    to(">=", ScalarFunction.GE);
    to("<=>", ScalarFunction.EQ_NULL_SAFE);
    to("IN", ScalarFunction.IN);
    to("IS_NULL", ScalarFunction.IS_NULL);
    to("IS_NOT_NULL", ScalarFunction.IS_NOT_NULL);
    to("AND", ScalarFunction.AND);
    to("OR", ScalarFunction.OR);
    to("NOT", ScalarFunction.NOT);
    to("STARTS_WITH", ScalarFunction.STARTS_WITH);
    to("ENDS_WITH", ScalarFunction.ENDS_WITH);
    to("CONTAINS", ScalarFunction.CONTAINS);
    to("BOOLEAN_EXPRESSION", (calls, arguments) -> arguments.get(0));
    // Choices
    to("COALESCE", ScalarFunction.COALESCE);
    to("GREATEST", ScalarFunction.GREATEST);
    to("LEAST", ScalarFunction.LEAST);
    to("CASE_WHEN", ScalarFunction.CASE_WHEN);
    // Numbers
    to("+", ScalarFunction.ADD);
    to("-", SparkFunctions::minus, ScalarFunction.SUBTRACT, ScalarFunction.NEGATE);
    to("*", ScalarFunction.MULTIPLY);
    to("/", ScalarFunction.DIVIDE);
    to("%", ScalarFunction.REMAINDER);
    to("&", ScalarFunction.BIT_AND);
    to("|", ScalarFunction.BIT_OR);
    to("^", ScalarFunction.BIT_XOR);
    to("~", ScalarFunction.BIT_NOT);
    to("ABS", ScalarFunction.ABS);
    to("SQRT", ScalarFunction.SQRT);
    to("FLOOR", whole(ScalarFunction.FLOOR), ScalarFunction.FLOOR);
    to("CEIL", whole(ScalarFunction.CEIL), ScalarFunction.CEIL);
    to("ROUND", ScalarFunction.ROUND);
    for (String name :
        List.of(
            "LOG", "LOG10", "LOG2", "LN", "EXP", "POWER", "CBRT", "SIN", "SINH", "COS", "COSH",
            "TAN", "TANH", "COT", "ASIN", "ASINH", "ACOS", "ACOSH", "ATAN", "ATANH", "ATAN2")) {
      refuse(name, LAST_DIGIT);
    }
    refuse("RAND", "it is another number each time");
    to("SIGN", SparkFunctions::sign, ScalarFunction.CASE_WHEN);
    to("DEGREES", times(Math.toDegrees(1)), ScalarFunction.MULTIPLY);
    to("RADIANS", times(Math.toRadians(1)), ScalarFunction.MULTIPLY);
    refuse("WIDTH_BUCKET", NO_COUNTERPART);
    // Texts
    to("CHAR_LENGTH", ScalarFunction.CHAR_LENGTH);
    to("BIT_LENGTH", ScalarFunction.BIT_LENGTH);
    to("SUBSTRING", SparkFunctions::substring, ScalarFunction.SUBSTRING, ScalarFunction.RIGHT);
    to("CONCAT", ScalarFunction.CONCAT);
    to("TRANSLATE", ScalarFunction.TRANSLATE);
    to("TRIM", trimming(ScalarFunction.TRIM), ScalarFunction.TRIM);
    to("LTRIM", trimming(ScalarFunction.LTRIM), ScalarFunction.LTRIM);
    to("RTRIM", trimming(ScalarFunction.RTRIM), ScalarFunction.RTRIM);
    to("LPAD", ScalarFunction.LPAD);
    to("RPAD", ScalarFunction.RPAD);
    to("MD5", ScalarFunction.MD5);
    to("SHA1", ScalarFunction.SHA1);
    to("SHA2", SparkFunctions::sha2, ScalarFunction.SHA256);
    refuse("UPPER", LETTERS);
    refuse("LOWER", LETTERS);
    to("OVERLAY", SparkFunctions::overlay, ScalarFunction.CONCAT);
    refuse("CRC32", NO_COUNTERPART);
    refuse("AES_ENCRYPT", "keys do not leave Spark");
    refuse("AES_DECRYPT", "keys do not leave Spark");
    // Dates and times
    to("DATE_ADD", SparkFunctions::dateAdd, ScalarFunction.DATE_ADD);
    to("DATE_DIFF", ScalarFunction.DATE_DIFF);
    to("TRUNC", SparkFunctions::truncateDate, ScalarFunction.TRUNCATE_DATE);
    to("EXTRACT YEAR", ScalarFunction.YEAR);
    to("EXTRACT QUARTER", ScalarFunction.QUARTER);
    to("EXTRACT MONTH", ScalarFunction.MONTH);
    to("EXTRACT DAY", ScalarFunction.DAY);
    to("EXTRACT DAY_OF_YEAR", ScalarFunction.DAY_OF_YEAR);
    to("EXTRACT DAY_OF_WEEK", ScalarFunction.ISO_DAY_OF_WEEK);
    to("EXTRACT WEEK", ScalarFunction.ISO_WEEK);
    to("EXTRACT YEAR_OF_WEEK", ScalarFunction.ISO_YEAR);
    to("EXTRACT HOUR", ScalarFunction.HOUR);
    to("EXTRACT MINUTE", ScalarFunction.MINUTE);
    to("EXTRACT SECOND", ScalarFunction.SECOND);
    refuse(USER_DEFINED, "nodes do not know it");
  }

  private SparkFunctions() {}

  /** The call of the function that Spark names so, or why there is none. */
  static Translation translate(WireCalls calls, String name, List<Translated> arguments) {
    Entry entry = ENTRIES.get(name);
    return entry == null
        ? new Refused("nodes do not evaluate the function " + name)
        : entry.rule().apply(calls, arguments);
  }

  /** All lines. */
  static List<Entry> entries() {
    return List.copyOf(ENTRIES.values());
  }

  private static void to(String name, ScalarFunction function) {
    to(name, (calls, arguments) -> calls.of(function, arguments), function);
  }

  private static void to(String name, Rule rule, ScalarFunction... targets) {
    ENTRIES.put(name, new Entry(name, List.of(targets), "", rule));
  }

  private static void refuse(String name, String reason) {
    Rule rule = (calls, arguments) -> new Refused(reason);
    ENTRIES.put(name, new Entry(name, List.of(), reason, rule));
  }

  private static Translation minus(WireCalls calls, List<Translated> arguments) {
    return calls.of(
        arguments.size() == 1 ? ScalarFunction.NEGATE : ScalarFunction.SUBTRACT, arguments);
  }

  /** What is whole already stays as it is. */
  private static Rule whole(ScalarFunction function) {
    return (calls, arguments) -> {
      Translated argument = arguments.get(0);
      boolean isWhole =
          argument.type().equals(WireTypes.BIGINT)
              || (WireTypes.isDecimal(argument.type()) && argument.type().getScale() == 0);
      return arguments.size() == 1 && isWhole ? argument : calls.of(function, arguments);
    };
  }

  /** Zero, negative zero, NaN and NULL are their own sign. */
  private static Translation sign(WireCalls calls, List<Translated> arguments) {
    Translated number = arguments.get(0);
    if (!number.type().equals(WireTypes.DOUBLE)) {
      return new Refused("nodes know the sign of a DOUBLE only");
    }
    Translation zero = WireCalls.real(0);
    Translation notNan =
        calls.of(ScalarFunction.LE, number, WireCalls.real(Double.POSITIVE_INFINITY));
    return calls.of(
        ScalarFunction.CASE_WHEN,
        calls.of(ScalarFunction.LT, number, zero),
        WireCalls.real(-1),
        calls.of(ScalarFunction.AND, calls.of(ScalarFunction.GT, number, zero), notNan),
        WireCalls.real(1),
        number);
  }

  /** As {@code Math} turns angles, which are DOUBLE. */
  private static Rule times(double factor) {
    return (calls, arguments) ->
        calls.of(ScalarFunction.MULTIPLY, arguments.get(0), WireCalls.real(factor));
  }

  /** What stands before the place, the replacement, and what follows behind the length. */
  private static Translation overlay(WireCalls calls, List<Translated> arguments) {
    Literal place = arguments.get(2).expression().getLiteral();
    Literal replacement = arguments.get(1).expression().getLiteral();
    Literal length =
        arguments.size() == 4
            ? arguments.get(3).expression().getLiteral()
            : WireCalls.integer(replacement.getString().codePoints().count())
                .expression()
                .getLiteral();
    boolean known =
        place.hasInteger()
            && place.getInteger() >= 1
            && length.hasInteger()
            && length.getInteger() >= 0
            && (arguments.size() == 4 || replacement.hasString());
    if (!known) {
      return new Refused("its place and length are not literals, or negative");
    }
    Translated text = arguments.get(0);
    long end = Math.min(place.getInteger() + length.getInteger(), Integer.MAX_VALUE);
    return calls.of(
        ScalarFunction.CONCAT,
        calls.of(
            ScalarFunction.SUBSTRING,
            text,
            WireCalls.integer(1),
            WireCalls.integer(place.getInteger() - 1)),
        arguments.get(1),
        calls.of(ScalarFunction.SUBSTRING, text, WireCalls.integer(end)));
  }

  /** Spark counts from 1, takes 0 for 1, and counts from the end where the position is negative. */
  private static Translation substring(WireCalls calls, List<Translated> arguments) {
    Literal position = arguments.get(1).expression().getLiteral();
    boolean hasLength = arguments.size() == 3;
    if (!position.hasInteger()
        || (hasLength && !arguments.get(2).expression().getLiteral().hasInteger())) {
      return new Refused("its position and length are not literals");
    }
    long from = position.getInteger();
    if (from < 0) {
      return hasLength
          ? new Refused("it counts from the end, and not up to it")
          : calls.of(
              ScalarFunction.RIGHT,
              List.of(arguments.get(0), WireCalls.integer(Math.min(-from, Integer.MAX_VALUE))));
    }
    List<Translated> adapted = new ArrayList<>(arguments);
    adapted.set(1, WireCalls.integer(Math.max(from, 1)));
    if (hasLength) {
      long length = arguments.get(2).expression().getLiteral().getInteger();
      adapted.set(2, WireCalls.integer(Math.max(length, 0)));
    }
    return calls.of(ScalarFunction.SUBSTRING, adapted);
  }

  /** Without characters of its own, Spark removes spaces. */
  private static Rule trimming(ScalarFunction function) {
    return (calls, arguments) ->
        calls.of(
            function,
            arguments.size() == 1 ? List.of(arguments.get(0), WireCalls.string(" ")) : arguments);
  }

  private static Translation sha2(WireCalls calls, List<Translated> arguments) {
    Literal bits = arguments.get(1).expression().getLiteral();
    boolean is256 = bits.hasInteger() && (bits.getInteger() == 256 || bits.getInteger() == 0);
    return is256
        ? calls.of(ScalarFunction.SHA256, arguments.subList(0, 1))
        : new Refused("nodes know it with 256 bits only");
  }

  private static Translation dateAdd(WireCalls calls, List<Translated> arguments) {
    Translation days = calls.cast(arguments.get(1), WireTypes.INTEGER);
    return days instanceof Translated translated
        ? calls.of(ScalarFunction.DATE_ADD, List.of(arguments.get(0), translated))
        : days;
  }

  /** The names are those of {@code DateTimeUtils.parseTruncLevel}. */
  private static Translation truncateDate(WireCalls calls, List<Translated> arguments) {
    Literal unit = arguments.get(1).expression().getLiteral();
    String name =
        switch (unit.getString().toUpperCase(Locale.ROOT)) {
          case "YEAR", "YYYY", "YY" -> "year";
          case "QUARTER" -> "quarter";
          case "MONTH", "MM", "MON" -> "month";
          case "WEEK" -> "week";
          default -> "";
        };
    return name.isEmpty()
        ? new Refused("its unit is not a literal that nodes know")
        : calls.of(ScalarFunction.TRUNCATE_DATE, List.of(arguments.get(0), WireCalls.string(name)));
  }
}
