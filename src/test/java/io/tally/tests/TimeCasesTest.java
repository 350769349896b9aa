package io.tally.tests;

import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.Map;
import java.util.TimeZone;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/**
 * Dates and times that other systems shifted or numbered differently when they pushed them down.
 */
class TimeCasesTest {
  private static Cases cases;

  @BeforeAll
  static void startNodes() {
    cases =
        new Cases.Builder()
            .table(
                "tim1",
                "SELECT TIMESTAMPTZ '2024-01-01 08:00:00Z' AS ts, TIMESTAMP '2024-03-10 02:30:00' AS n",
                "SELECT TIMESTAMPTZ '1969-12-31 23:59:59.999999Z' AS ts, NULL::TIMESTAMP AS n")
            .table("tim3", "SELECT DATE '2026-01-04' AS d, TIMESTAMP '2026-01-04 00:00:05.25' AS n")
            .table("tim4", "SELECT DATE '2024-01-31' AS d", "SELECT DATE '2024-01-30' AS d")
            .start();
  }

  @AfterAll
  static void stopNodes() {
    if (cases != null) {
      cases.close();
    }
  }

  @Test
  @DisplayName("TIM-1: literals and dates are those of the session's zone, not the JVM's")
  void zones() {
    TimeZone before = TimeZone.getDefault();
    try {
      TimeZone.setDefault(TimeZone.getTimeZone("Asia/Shanghai"));
      ThreeWays ways = cases.ways(Map.of("spark.sql.session.timeZone", "America/Los_Angeles"));
      String count = "SELECT count(*) FROM tim1 WHERE ";
      ways.check(count + "ts >= TIMESTAMP '2024-01-01 00:00:00'", "1");
      ways.check(count + "ts = TIMESTAMP '2024-01-01 00:00:00'", "1");
      ways.check(count + "ts = TIMESTAMP '1969-12-31 15:59:59.999999'", "1");
      ways.check(count + "n = TIMESTAMP_NTZ '2024-03-10 02:30:00'", "1");
      ThreeWays.Outcome days =
          ways.check(
              "SELECT CAST(to_date(ts) AS STRING), count(*) FROM tim1 GROUP BY to_date(ts)",
              "1969-12-31|1",
              "2024-01-01|1");
      assertTrue(days.plan().contains("to_local"), days::plan);
    } finally {
      TimeZone.setDefault(before);
    }
  }

  @Test
  @DisplayName("TIM-1: a zone that was changed after the table was loaded is not guessed")
  void zoneOfAView() {
    ThreeWays ways = cases.ways(Map.of("spark.sql.session.timeZone", "America/Los_Angeles"));
    ways.check("SELECT count(*) FROM tim1 WHERE hour(ts) = 0", "1");
    ways.set("spark.sql.session.timeZone", "Asia/Tokyo");
    ThreeWays.Outcome outcome =
        ways.check("SELECT hour(ts) AS h, count(*) FROM tim1 GROUP BY 1", "17|1", "8|1");
    assertTrue(outcome.plan().contains("zone"), outcome::plan);
  }

  @Test
  @DisplayName("TIM-3: days of the week, weeks and seconds are numbered as in Spark")
  void parts() {
    cases.check(
        "SELECT dayofweek(d), weekday(d), weekofyear(d), count(*) FROM tim3 GROUP BY 1, 2, 3",
        "1|6|1|1");
    cases.check(
        "SELECT CAST(extract(SECOND FROM n) AS STRING), second(n), count(*) FROM tim3 GROUP BY 1, 2",
        "5.250000|5|1");
  }

  @Test
  @DisplayName("TIM-4: intervals in predicates")
  void intervals() {
    cases.check("SELECT count(*) FROM tim4 WHERE d + INTERVAL '1' MONTH = DATE '2024-02-29'", "2");
    cases.check(
        "SELECT CAST(d AS STRING) FROM tim4 WHERE d + INTERVAL '1' DAY = DATE '2024-02-01'",
        "2024-01-31");
    cases.check("SELECT count(*) FROM tim4 WHERE d - DATE '2024-01-01' > INTERVAL '29' DAY", "1");
  }
}
