package io.tally.tests.differential;

import java.time.Instant;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.time.LocalTime;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.List;
import java.util.Locale;

/** Makes dates and times, many of them at the edges of years, weeks and calendars. */
final class TimeValues {
  private static final List<String> DATES =
      List.of(
          "1970-01-01",
          "1969-12-31",
          "0001-01-01",
          "9999-12-31",
          "1582-10-04",
          "1582-10-15",
          "1899-12-31",
          "1900-02-28",
          "2000-02-29",
          "2001-03-31",
          "2001-12-31",
          "2004-01-01",
          "2005-01-01",
          "2016-01-03",
          "2020-12-31",
          "2021-01-01",
          "2024-02-29",
          "2026-03-29");
  private static final List<String> TIMES =
      List.of(
          "00:00:00",
          "23:59:59.999999",
          "12:34:56.789",
          "02:30:00",
          "01:59:59.999999",
          "08:00:00",
          "00:00:00.000001",
          "10:00:00",
          "09:59:59");
  private static final DateTimeFormatter TIMESTAMP_TEXT =
      DateTimeFormatter.ofPattern("uuuu-MM-dd HH:mm:ss.SSSSSS", Locale.ROOT);

  private final Dice dice;

  TimeValues(Dice dice) {
    this.dice = dice;
  }

  Object any(Type type) {
    return switch (type.kind()) {
      case DATE -> date();
      case TIMESTAMP -> timestamp().toInstant(ZoneOffset.UTC);
      case TIMESTAMP_NTZ -> timestamp();
      default -> LocalTime.parse(dice.pick(TIMES));
    };
  }

  static String literal(Type type, Object value) {
    return switch (type.kind()) {
      case DATE -> "DATE'" + value + "'";
      case TIMESTAMP ->
          "TIMESTAMP'" + TIMESTAMP_TEXT.format(((Instant) value).atOffset(ZoneOffset.UTC)) + "Z'";
      case TIMESTAMP_NTZ -> "TIMESTAMP_NTZ'" + TIMESTAMP_TEXT.format((LocalDateTime) value) + "'";
      default -> "TIME'" + DateTimeFormatter.ISO_LOCAL_TIME.format((LocalTime) value) + "'";
    };
  }

  private LocalDate date() {
    return dice.chance(60)
        ? LocalDate.parse(dice.pick(DATES))
        : LocalDate.ofEpochDay(dice.between(-30_000, 30_000));
  }

  private LocalDateTime timestamp() {
    LocalDateTime time = LocalDateTime.parse(date() + "T" + dice.pick(TIMES));
    // The ends of the range leave it when they are shown in another zone.
    return time.getYear() < 2 || time.getYear() > 9998 ? time.withYear(2001) : time;
  }
}
