package io.tally.tests;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.tally.rpc.AggregateFunction;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** Aggregates whose results do not add up are left to a node that has all rows of each group. */
class CompleteAggregatesTest {
  private static final String ROWS =
      """
      SELECT (id %% 7)::INT AS k,
        CASE WHEN id %% 5 = 0 THEN NULL ELSE (id * id %% 31 - 15)::INT END AS v,
        ((id %% 13) * 0.25)::DECIMAL(8,2) AS w,
        [0.5::DOUBLE, '-0.0', 0.0, 'NaN', NULL][id %% 5 + 1]::DOUBLE AS x,
        ['a', 'b', NULL][id %% 3 + 1] AS s,
        [9223372036854775807, 9223372036854775806, 9007199254740993, NULL, -9223372036854775808]
          [id %% 5 + 1]::BIGINT AS big,
        DATE '2024-02-28' + (id %% 4)::INT AS d,
        (id %% 2 = 0) AS b
      FROM range(%d, %d) r(id)""";

  private static final long ROWS_OF_ONE = 300;

  private static Cases cases;

  @BeforeAll
  static void startNodes() {
    cases =
        new Cases.Builder()
            .table("one", ROWS.formatted(0, ROWS_OF_ONE))
            .table("spread", ROWS.formatted(0, 200), ROWS.formatted(200, 300))
            .table("single", "SELECT 1::INT AS k, 5::INT AS v")
            .start();
  }

  @AfterAll
  static void stopNodes() {
    if (cases != null) {
      cases.close();
    }
  }

  /** For what is rounded at each row. */
  private static ThreeWays statistics() {
    return cases.spread().addingUp(ROWS_OF_ONE);
  }

  private static String query(String table) {
    return """
        SELECT k, count(DISTINCT v), sum(DISTINCT v), count(DISTINCT s), sum(v), avg(v) FROM %s
        GROUP BY k ORDER BY k"""
        .formatted(table);
  }

  @Test
  void distinctValuesAreCountedByTheNodeThatHasAllOfThem() {
    ThreeWays.Outcome outcome = cases.spread().check(query("one"));
    assertTrue(outcome.plan().contains("COUNT(DISTINCT v)"), outcome::plan);
    assertTrue(outcome.plan().contains("(complete)"), outcome::plan);
    cases.check("SELECT count(DISTINCT x), sum(DISTINCT w), max(DISTINCT v) FROM one");
  }

  @Test
  void distinctValuesOfSeveralStreamsAreSparks() {
    ThreeWays.Outcome outcome = cases.spread().check(query("spread"));
    assertFalse(outcome.plan().contains("PushedAggregates"), outcome::plan);
    assertTrue(outcome.plan().contains("DISTINCT values of several streams"), outcome::plan);
  }

  /** Spark's SQL for each aggregate that nodes have, by its name on the wire. */
  private static final Map<String, String> CASES =
      Map.ofEntries(
          Map.entry("count_all", "count(*)"),
          Map.entry("count", "count(v)"),
          Map.entry("sum", "sum(w)"),
          Map.entry("min", "min(s)"),
          Map.entry("max", "max(d)"),
          Map.entry("count_distinct", "count(DISTINCT s)"),
          Map.entry("sum_distinct", "sum(DISTINCT v)"),
          Map.entry("var_pop", "var_pop(v)"),
          Map.entry("var_samp", "var_samp(w)"),
          Map.entry("stddev_pop", "stddev_pop(w)"),
          Map.entry("stddev_samp", "stddev(v)"),
          Map.entry("covar_pop", "covar_pop(w, v)"),
          Map.entry("covar_samp", "covar_samp(v, k)"),
          Map.entry("regr_r2", "regr_r2(w, v)"),
          Map.entry("regr_slope", "regr_slope(v, w)"),
          Map.entry("regr_sxy", "regr_sxy(w, v)"),
          Map.entry("percentile_cont", "percentile_cont(0.3) WITHIN GROUP (ORDER BY v)"),
          Map.entry("percentile_disc", "percentile_disc(0.35) WITHIN GROUP (ORDER BY v DESC)"),
          Map.entry("mode", "mode() WITHIN GROUP (ORDER BY s)"));

  @Test
  void eachHasACase() {
    assertEquals(
        Arrays.stream(AggregateFunction.values())
            .map(AggregateFunction::wireName)
            .collect(Collectors.toSet()),
        CASES.keySet());
  }

  @Test
  void allAreComputedByTheNodeThatHasAllRows() {
    List<String> cases = List.copyOf(CASES.values());
    ThreeWays.Outcome outcome =
        statistics()
            .check("SELECT k, " + String.join(", ", cases) + " FROM one GROUP BY k ORDER BY k");
    assertTrue(outcome.plan().contains("(complete)"), outcome::plan);
    for (String text : cases) {
      String name = text.substring(0, text.indexOf('(') + 1).replace("stddev(", "stddev_samp(");
      assertTrue(outcome.plan().contains(name.toUpperCase(Locale.ROOT)), outcome::plan);
    }
  }

  /** Spark has other names for some. */
  @Test
  void booleansAreCountedAndCompared() {
    ThreeWays.Outcome outcome =
        cases
            .spread()
            .check("SELECT k, bool_and(b), some(b), count_if(v > 0) FROM spread GROUP BY k");
    assertTrue(outcome.plan().contains("PushedAggregates: [MIN(b), MAX(b), COUNT("), outcome::plan);
  }

  @Test
  void variancesAreComputedByTheNodeThatHasAllRows() {
    ThreeWays.Outcome outcome =
        cases
            .spread()
            .check(
                "SELECT stddev(v), var_pop(v), var_samp(v), covar_samp(v, k), covar_pop(v, k) FROM single",
                "null|0.0|null|null|0.0");
    assertTrue(outcome.plan().contains("(complete)"), outcome::plan);
    outcome = statistics().check("SELECT stddev(x), corr(v, w) FROM one");
    assertTrue(outcome.plan().contains("NaN and infinities"), outcome::plan);
  }

  @Test
  void regressionsAreNullWhereAllValuesAreEqual() {
    String statistics =
        "regr_slope(v, k), regr_slope(v, w), regr_r2(w, v), regr_r2(k, v), regr_sxy(w, v)";
    ThreeWays.Outcome outcome =
        statistics()
            .check("SELECT k, " + statistics + ", regr_avgx(v, w) FROM one GROUP BY k ORDER BY k");
    assertTrue(outcome.plan().contains("REGR_SLOPE(cast(v AS DOUBLE)"), outcome::plan);
    outcome =
        cases
            .spread()
            .check(
                "SELECT regr_slope(v, k), regr_r2(v, k), regr_sxy(v, k) FROM single",
                "null|null|0.0");
    assertTrue(outcome.plan().contains("REGR_R2"), outcome::plan);
    outcome = statistics().check("SELECT regr_slope(v, big) FROM one");
    assertTrue(outcome.plan().contains("less than 2^52"), outcome::plan);
  }

  @Test
  void correlationOfEqualValuesIsAnErrorOrNull() {
    cases.checkAnsiFails(
        "SELECT corr(v, k) FROM one GROUP BY k ORDER BY k LIMIT 2",
        Set.of("DIVIDE_BY_ZERO"),
        "null",
        "null");
  }

  @Test
  void percentilesAreEqualToTheLastBit() {
    ThreeWays.Outcome outcome =
        cases
            .spread()
            .check(
                "SELECT k, CAST(percentile_cont(0.3) WITHIN GROUP (ORDER BY v) AS STRING) AS a,"
                    + " CAST(percentile_cont(0.7) WITHIN GROUP (ORDER BY w DESC) AS STRING),"
                    + " CAST(percentile_cont(0.1) WITHIN GROUP (ORDER BY big) AS STRING),"
                    + " percentile_disc(0.35) WITHIN GROUP (ORDER BY v DESC),"
                    + " percentile_disc(0) WITHIN GROUP (ORDER BY big), median(w), percentile(v, 1)"
                    + " FROM one GROUP BY k HAVING median(w) > 1 ORDER BY median(w), k LIMIT 5");
    assertTrue(
        outcome.plan().contains("PERCENTILE_CONT(0.7) WITHIN GROUP (ORDER BY w DESC)"),
        outcome::plan);
    outcome = cases.spread().check("SELECT median(v) FROM spread");
    assertTrue(outcome.plan().contains("do not add up"), outcome::plan);
    cases.check(
        "SELECT median(v), percentile_disc(0.5) WITHIN GROUP (ORDER BY w) FROM one WHERE k < 0",
        "null|null");
  }

  @Test
  void modesAreTheLeastOrTheGreatest() {
    ThreeWays.Outcome outcome =
        cases
            .spread()
            .check(
                "SELECT k, mode() WITHIN GROUP (ORDER BY s), mode() WITHIN GROUP (ORDER BY s DESC),"
                    + " mode(v, true), mode() WITHIN GROUP (ORDER BY w DESC), mode(b, true),"
                    + " mode() WITHIN GROUP (ORDER BY d DESC), mode(big, true)"
                    + " FROM one GROUP BY k ORDER BY k");
    assertTrue(outcome.plan().contains("MODE() WITHIN GROUP (ORDER BY s DESC)"), outcome::plan);
    cases.check(
        "SELECT mode(s, true), mode(v, true) FROM one WHERE s IS NULL AND v IS NULL", "null|null");
  }
}
