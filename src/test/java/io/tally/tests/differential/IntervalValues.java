package io.tally.tests.differential;

import java.time.Duration;
import java.time.Period;
import java.time.temporal.ChronoUnit;
import java.util.Locale;

/** Makes intervals: {@code Period} for years and months, {@code Duration} for days to seconds. */
final class IntervalValues {
  private static final long MICROS_OF_A_SECOND = 1_000_000;
  private static final int NANOS_OF_A_MICRO = 1_000;

  private final Dice dice;

  IntervalValues(Dice dice) {
    this.dice = dice;
  }

  /**
   * A value of whole smallest fields.
   *
   * @param tame whether sums of thousands of them fit
   */
  Object any(Type type, boolean tame) {
    if (type.kind() == Kind.YEAR_MONTH) {
      int months = tame ? dice.between(-100, 100) : months();
      return Period.ofMonths(months - months % type.width()).normalized();
    }
    long micros = tame ? tameMicros() : micros();
    long unit = Math.max(1, type.width() * MICROS_OF_A_SECOND);
    return Duration.of(micros - micros % unit, ChronoUnit.MICROS);
  }

  private int months() {
    return switch (dice.below(7)) {
      case 0 -> Integer.MIN_VALUE;
      case 1 -> Integer.MAX_VALUE;
      case 2 -> dice.between(-1, 1) * 12;
      default -> dice.between(-30, 30);
    };
  }

  private long micros() {
    return switch (dice.below(7)) {
      case 0 -> Long.MIN_VALUE;
      case 1 -> Long.MAX_VALUE;
      case 2 -> dice.between(-1, 1);
      default -> tameMicros();
    };
  }

  private long tameMicros() {
    long seconds =
        switch (dice.below(4)) {
          case 0 -> dice.between(-2, 2) * 86_400L;
          case 1 -> dice.between(-30, 30) * 3_600L;
          case 2 -> dice.between(-90, 90) * 60L;
          default -> dice.between(-100_000, 100_000);
        };
    return seconds * MICROS_OF_A_SECOND + (dice.chance(30) ? dice.between(-999_999, 999_999) : 0);
  }

  static String literal(Type type, Object value) {
    if (value instanceof Period period) {
      long months = Math.abs(period.toTotalMonths());
      String sign = period.toTotalMonths() < 0 ? "-" : "";
      return cast(sign + months / 12 + "-" + months % 12, "YEAR TO MONTH", type);
    }
    Duration duration = (Duration) value;
    Duration positive = duration.abs();
    String text =
        String.format(
            Locale.ROOT,
            "%s%d %02d:%02d:%02d.%06d",
            duration.isNegative() ? "-" : "",
            positive.toDaysPart(),
            positive.toHoursPart(),
            positive.toMinutesPart(),
            positive.toSecondsPart(),
            positive.toNanosPart() / NANOS_OF_A_MICRO);
    return cast(text, "DAY TO SECOND", type);
  }

  private static String cast(String text, String fields, Type type) {
    return "CAST(INTERVAL '" + text + "' " + fields + " AS " + type.sql() + ")";
  }
}
