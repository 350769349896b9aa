package io.tally.tests.differential;

import java.math.BigDecimal;
import java.math.BigInteger;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import org.apache.spark.sql.RowFactory;
import scala.jdk.javaapi.CollectionConverters;

/**
 * Makes values of a {@link Type}, rich in those that break things, and writes them as literals of
 * Spark's SQL. A value is what Spark hands out with {@code java8API}, with {@code List} for ARRAY
 * and STRUCT, {@code Map} for MAP, and JSON for VARIANT; null is NULL.
 */
final class Values {
  private static final List<String> TEXTS =
      List.of(
          "",
          " ",
          "a",
          "A",
          "b",
          "ab",
          "abc",
          "aBc",
          "a_b",
          "a%b",
          "a\\b",
          "\\",
          "it's",
          "\"q\"",
          "%",
          "_",
          "äöü",
          "ß",
          "ÄÖÜ",
          "İ",
          "ı",
          "ǆ",
          "日本",
          "日本語",
          "\uD83D\uDE00",
          "\uD83D\uDE00x",
          "e\u0301",
          "\u0000",
          "a\u0000b",
          "a\nb",
          "\t",
          " a ",
          "a  ",
          "NULL",
          "null",
          "0",
          "1",
          "-1",
          "12",
          " 7 ",
          "1.5",
          "1e3",
          "NaN",
          "true",
          "2001-02-03",
          "2001-02-30",
          "2001-02-03 04:05:06",
          "zzzzzzzzzzzzzzzzzzzz",
          "ab ab ab",
          "\u00A0x\u00A0");
  private static final List<String> CASES =
      List.of(
          "", " ", "a", "A", "b", "B", "ab", "aB", "Ab", "AB", "abc", "ABC", " a", " A", "a ", "zz",
          "ZZ", "äöü", "ÄÖÜ", "ß", "日本", "1");

  /** Without JSON's own null, which nodes do not serve. */
  private static final List<String> VARIANTS =
      List.of(
          "1",
          "-7",
          "9223372036854775807",
          "1.5",
          "-0.25",
          "1e100",
          "12345678901234567890.5",
          "true",
          "\"\"",
          "\"a\"",
          "\"é\uD83D\uDE00\"",
          "\"it's\"",
          "[]",
          "{}",
          "[1, null, \"x\"]",
          "{\"a\": 1}",
          "{\"a\": \"7\", \"b\": [true, 2.5]}",
          "{\"z\": null, \"a\": {\"c\": 3}}",
          "{\"b\": 0, \"A\": 2, \"a\": -1}");

  private final Dice dice;
  private final TimeValues times;
  private final IntervalValues intervals;

  Values(Dice dice) {
    this.dice = dice;
    this.times = new TimeValues(dice);
    this.intervals = new IntervalValues(dice);
  }

  /**
   * A value that is not NULL.
   *
   * @param tame true for numbers that can be added up in any order with the same result
   */
  Object any(Type type, boolean tame) {
    return switch (type.kind()) {
      case BOOLEAN -> dice.chance(50);
      case BYTE -> (byte) integer(Byte.MIN_VALUE, Byte.MAX_VALUE, false);
      case SHORT -> (short) integer(Short.MIN_VALUE, Short.MAX_VALUE, false);
      case INT -> (int) integer(Integer.MIN_VALUE, Integer.MAX_VALUE, tame && dice.chance(70));
      case LONG -> integer(Long.MIN_VALUE, Long.MAX_VALUE, tame);
      case FLOAT -> tame ? (float) eighths() : wildFloat();
      case DOUBLE -> tame ? eighths() : wildDouble();
      case DECIMAL -> decimal(type.width(), type.scale(), tame);
      case STRING -> text(type);
      case BINARY -> dice.pick(TEXTS).getBytes(StandardCharsets.UTF_16BE);
      case COLLATED -> dice.pick(CASES);
      case DATE, TIMESTAMP, TIMESTAMP_NTZ, TIME -> times.any(type);
      case YEAR_MONTH, DAY_TIME -> intervals.any(type, tame);
      case ARRAY -> list(type.parts().get(0), dice.below(4));
      case MAP -> map(type);
      case STRUCT -> type.parts().stream().map(this::orNull).collect(Collectors.toList());
      case VARIANT -> dice.pick(VARIANTS);
    };
  }

  /** The largest BIGINT for the smallest, whose absolute value is none. */
  static Object absolute(Object value) {
    if (value instanceof Long number) {
      return number == Long.MIN_VALUE ? Long.MAX_VALUE : Math.abs(number);
    }
    return ((BigDecimal) value).abs();
  }

  private Object orNull(Type type) {
    return dice.chance(15) ? null : any(type, false);
  }

  private List<Object> list(Type element, int size) {
    List<Object> list = new ArrayList<>();
    for (int i = 0; i < size; i++) {
      list.add(orNull(element));
    }
    return list;
  }

  private Map<Object, Object> map(Type type) {
    Map<Object, Object> map = new LinkedHashMap<>();
    int size = dice.below(3);
    for (int i = 0; i < size; i++) {
      map.put(any(type.parts().get(0), true), orNull(type.parts().get(1)));
    }
    return map;
  }

  private long integer(long min, long max, boolean tame) {
    if (tame) {
      return dice.chance(50) ? dice.between(-5, 10) : dice.between(-100_000, 100_000);
    }
    return switch (dice.below(8)) {
      case 0 -> min;
      case 1 -> max;
      case 2 -> min + 1;
      case 3 -> Math.max(min, Math.min(max, dice.anyLong() >> dice.below(64)));
      case 4 -> Math.max(min, Math.min(max, dice.between(-1000, 1000)));
      default -> dice.between(-3, 10);
    };
  }

  /** Sums of these are exact in any order. */
  private double eighths() {
    return dice.chance(15) ? 0.0 : dice.between(-8000, 8000) / 8.0;
  }

  private double wildDouble() {
    return switch (dice.below(16)) {
      case 0 -> Double.NaN;
      case 1 -> -0.0;
      case 2 -> 0.0;
      case 3 -> Double.POSITIVE_INFINITY;
      case 4 -> Double.NEGATIVE_INFINITY;
      case 5 -> dice.pick(Double.MAX_VALUE, -Double.MAX_VALUE, Double.MIN_VALUE);
      case 6 -> dice.pick(1e-7, 1e7, 1e16, 123456789.125, 0x1p63, 2147483648.0);
      case 7 -> dice.fraction();
      case 8 -> dice.pick(0.1, -0.1, 0.5, 1.5, 2.5, -0.5, -1.5);
      default -> dice.between(-20, 20) / 4.0;
    };
  }

  private float wildFloat() {
    return switch (dice.below(12)) {
      case 0 -> dice.pick(Float.MAX_VALUE, -Float.MAX_VALUE, Float.MIN_VALUE, 16777216f, 1e10f);
      case 1 -> dice.pick(0.1f, 1.1f, -2.75f);
      default -> (float) wildDouble();
    };
  }

  private BigDecimal decimal(int precision, int scale, boolean tame) {
    BigInteger most = BigInteger.TEN.pow(precision).subtract(BigInteger.ONE);
    BigInteger unscaled =
        switch (tame && precision > 20 ? 7 : dice.below(8)) {
          case 0 -> most;
          case 1 -> most.negate();
          case 2 -> BigInteger.valueOf(dice.anyLong());
          case 3 -> BigInteger.valueOf(dice.between(-3, 3)).multiply(BigInteger.TEN.pow(scale));
          case 4 -> BigInteger.ZERO;
          default -> BigInteger.valueOf(dice.between(-100_000, 100_000));
        };
    return new BigDecimal(unscaled.remainder(most.add(BigInteger.ONE)), scale);
  }

  private String text(Type type) {
    String text = dice.chance(80) ? dice.pick(TEXTS) : dice.pick(TEXTS) + dice.pick(TEXTS);
    if (!type.isCharacters()) {
      return text;
    }
    int length = Math.min(type.width(), text.codePointCount(0, text.length()));
    return text.substring(0, text.offsetByCodePoints(0, length));
  }

  /** The value in the form in which Spark takes it in a row. */
  static Object external(Type type, Object value) {
    if (value instanceof List<?> list) {
      List<Object> parts = new ArrayList<>();
      for (int i = 0; i < list.size(); i++) {
        Type part = type.parts().get(type.kind() == Kind.STRUCT ? i : 0);
        parts.add(external(part, list.get(i)));
      }
      return type.kind() == Kind.STRUCT
          ? RowFactory.create(parts.toArray())
          : CollectionConverters.asScala(parts).toSeq();
    }
    return value instanceof Map<?, ?> map ? CollectionConverters.asScala(map) : value;
  }

  /** The value as an expression of exactly this type. */
  static String literal(Type type, Object value) {
    if (value == null) {
      return "CAST(NULL AS " + type.storedSql() + ")";
    }
    return switch (type.kind()) {
      case BOOLEAN, INT -> "(" + value + ")";
      case BYTE -> "(" + value + "Y)";
      case SHORT -> "(" + value + "S)";
      case LONG -> "(" + value + "L)";
      case FLOAT, DOUBLE, DECIMAL -> "CAST('" + value + "' AS " + type.sql() + ")";
      case STRING, COLLATED -> quote((String) value);
      case BINARY -> "X'" + HexFormat.of().formatHex((byte[]) value) + "'";
      case DATE, TIMESTAMP, TIMESTAMP_NTZ, TIME -> TimeValues.literal(type, value);
      case YEAR_MONTH, DAY_TIME -> IntervalValues.literal(type, value);
      case ARRAY, STRUCT, MAP -> "CAST(" + nested(type, value) + " AS " + type.sql() + ")";
      case VARIANT -> "parse_json(" + quote((String) value) + ")";
    };
  }

  private static String nested(Type type, Object value) {
    List<String> parts = new ArrayList<>();
    if (value instanceof Map<?, ?> map) {
      map.forEach(
          (key, item) -> {
            parts.add(literal(type.parts().get(0), key));
            parts.add(literal(type.parts().get(1), item));
          });
      return "map(" + String.join(", ", parts) + ")";
    }
    List<?> list = (List<?>) value;
    for (int i = 0; i < list.size(); i++) {
      boolean struct = type.kind() == Kind.STRUCT;
      parts.add(literal(type.parts().get(struct ? i : 0), list.get(i)));
    }
    return (type.kind() == Kind.STRUCT ? "struct(" : "array(") + String.join(", ", parts) + ")";
  }

  /** A string literal. */
  static String quote(String text) {
    return "'" + text.replace("\\", "\\\\").replace("'", "\\'").replace("\u0000", "\\0") + "'";
  }
}
