package io.tally.server.scan;

import com.google.protobuf.ByteString;
import io.tally.rpc.v1.Call;
import io.tally.rpc.v1.DataType;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.time.DayOfWeek;
import java.time.LocalDate;
import java.time.temporal.IsoFields;
import java.time.temporal.TemporalAdjusters;
import java.util.HexFormat;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import java.util.function.IntPredicate;

/**
 * Evaluates what is no condition as {@code expression.proto} words it: whole numbers, choices,
 * texts, dates. Takes a call with the values of its arguments; hands on its value.
 */
final class ScalarEvaluator {
  private static final long DAY_MICROS = 86_400_000_000L;
  private static final long SECOND_MICROS = 1_000_000;

  private ScalarEvaluator() {}

  static Object call(Call call, List<Object> arguments) {
    return switch (call.getFunction()) {
      case "coalesce" -> arguments.stream().filter(Objects::nonNull).findFirst().orElse(null);
      case "greatest" ->
          arguments.stream().filter(Objects::nonNull).max(Evaluator::compare).orElse(null);
      case "least" ->
          arguments.stream().filter(Objects::nonNull).min(Evaluator::compare).orElse(null);
      case "case_when" -> choice(arguments);
      default -> arguments.stream().anyMatch(Objects::isNull) ? null : ofValues(call, arguments);
    };
  }

  private static Object choice(List<Object> arguments) {
    for (int i = 0; i + 1 < arguments.size(); i += 2) {
      if (Objects.equals(arguments.get(i), true)) {
        return arguments.get(i + 1);
      }
    }
    return arguments.size() % 2 == 0 ? null : arguments.get(arguments.size() - 1);
  }

  private static Object ofValues(Call call, List<Object> arguments) {
    Object first = arguments.get(0);
    if (call.getFunction().equals("cast")) {
      return cast(first, call.getType());
    }
    if (first instanceof ByteString bytes) {
      return digest(call.getFunction(), bytes);
    }
    return first instanceof String text
        ? ofText(call.getFunction(), text, arguments)
        : ofNumber(call.getFunction(), (Long) first, arguments);
  }

  private static Object cast(Object value, DataType target) {
    boolean fromText = value instanceof String;
    return switch (target.getKind()) {
      case BINARY -> ByteString.copyFrom((String) value, StandardCharsets.UTF_8);
      case BOOLEAN -> (Long) value != 0;
      case STRING -> fromText ? value : value.toString();
      case DATE -> Math.floorDiv((Long) value, DAY_MICROS);
      default -> value instanceof Boolean truth ? (Object) (truth ? 1L : 0L) : value;
    };
  }

  private static Object ofNumber(String function, long a, List<Object> arguments) {
    long b = arguments.size() > 1 && arguments.get(1) instanceof Long second ? second : 0;
    return switch (function) {
      case "add", "date_add" -> Math.addExact(a, b);
      case "subtract", "date_diff" -> Math.subtractExact(a, b);
      case "multiply" -> Math.multiplyExact(a, b);
      case "remainder" -> a % b;
      case "negate" -> Math.negateExact(a);
      case "abs" -> Math.absExact(a);
      case "bit_and" -> a & b;
      case "bit_or" -> a | b;
      case "bit_xor" -> a ^ b;
      case "bit_not" -> ~a;
      case "to_local" -> a + b * SECOND_MICROS;
      case "hour" -> Math.floorMod(a, DAY_MICROS) / (3600 * SECOND_MICROS);
      case "minute" -> Math.floorMod(a, DAY_MICROS) / (60 * SECOND_MICROS) % 60;
      case "second" -> Math.floorMod(a, DAY_MICROS) / SECOND_MICROS % 60;
      case "truncate_date" ->
          truncated(LocalDate.ofEpochDay(a), (String) arguments.get(1)).toEpochDay();
      default -> (long) datePart(function, LocalDate.ofEpochDay(a));
    };
  }

  private static LocalDate truncated(LocalDate date, String unit) {
    return switch (unit) {
      case "year" -> date.withDayOfYear(1);
      case "quarter" -> LocalDate.of(date.getYear(), (date.getMonthValue() - 1) / 3 * 3 + 1, 1);
      case "month" -> date.withDayOfMonth(1);
      case "week" -> date.with(TemporalAdjusters.previousOrSame(DayOfWeek.MONDAY));
      default -> throw new IllegalArgumentException(unit);
    };
  }

  private static int datePart(String function, LocalDate date) {
    return switch (function) {
      case "year" -> date.getYear();
      case "quarter" -> (date.getMonthValue() - 1) / 3 + 1;
      case "month" -> date.getMonthValue();
      case "day" -> date.getDayOfMonth();
      case "day_of_year" -> date.getDayOfYear();
      case "iso_day_of_week" -> date.getDayOfWeek().getValue();
      case "iso_week" -> date.get(IsoFields.WEEK_OF_WEEK_BASED_YEAR);
      case "iso_year" -> date.get(IsoFields.WEEK_BASED_YEAR);
      default -> throw new IllegalArgumentException(function);
    };
  }

  private static Object ofText(String function, String text, List<Object> arguments) {
    int[] points = text.codePoints().toArray();
    return switch (function) {
      case "char_length" -> (long) points.length;
      case "bit_length" -> 8L * text.getBytes(StandardCharsets.UTF_8).length;
      case "substring" -> {
        int from = Math.min(number(arguments, 1) - 1, points.length);
        int most = arguments.size() > 2 ? number(arguments, 2) : points.length;
        yield new String(points, from, Math.min(most, points.length - from));
      }
      case "right" -> {
        int length = Math.min(number(arguments, 1), points.length);
        yield new String(points, points.length - length, length);
      }
      case "concat" -> {
        StringBuilder all = new StringBuilder();
        arguments.forEach(all::append);
        yield all.toString();
      }
      case "translate" -> translated(points, (String) arguments.get(1), (String) arguments.get(2));
      case "trim" -> trimmed(points, (String) arguments.get(1), true, true);
      case "ltrim" -> trimmed(points, (String) arguments.get(1), true, false);
      case "rtrim" -> trimmed(points, (String) arguments.get(1), false, true);
      case "lpad" -> padding(points, arguments) + cut(points, number(arguments, 1));
      case "rpad" -> cut(points, number(arguments, 1)) + padding(points, arguments);
      default -> throw new IllegalArgumentException(function);
    };
  }

  private static int number(List<Object> arguments, int place) {
    return Math.toIntExact((Long) arguments.get(place));
  }

  private static String translated(int[] points, String from, String to) {
    int[] wanted = from.codePoints().toArray();
    int[] instead = to.codePoints().toArray();
    StringBuilder text = new StringBuilder();
    for (int point : points) {
      int place = 0;
      while (place < wanted.length && wanted[place] != point) {
        place++;
      }
      if (place == wanted.length) {
        text.appendCodePoint(point);
      } else if (place < instead.length) {
        text.appendCodePoint(instead[place]);
      }
    }
    return text.toString();
  }

  private static String trimmed(int[] points, String characters, boolean start, boolean end) {
    IntPredicate removed = point -> characters.indexOf(point) >= 0;
    int from = 0;
    int to = points.length;
    while (start && from < to && removed.test(points[from])) {
      from++;
    }
    while (end && from < to && removed.test(points[to - 1])) {
      to--;
    }
    return new String(points, from, to - from);
  }

  private static String cut(int[] points, int length) {
    return new String(points, 0, Math.min(points.length, length));
  }

  private static String padding(int[] points, List<Object> arguments) {
    int[] filling = ((String) arguments.get(2)).codePoints().toArray();
    StringBuilder text = new StringBuilder();
    for (int i = 0; i < number(arguments, 1) - points.length; i++) {
      text.appendCodePoint(filling[i % filling.length]);
    }
    return text.toString();
  }

  private static String digest(String function, ByteString bytes) {
    String algorithm = function.toUpperCase(Locale.ROOT).replace("SHA", "SHA-");
    try {
      return HexFormat.of()
          .formatHex(MessageDigest.getInstance(algorithm).digest(bytes.toByteArray()));
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalArgumentException(function, e);
    }
  }
}
