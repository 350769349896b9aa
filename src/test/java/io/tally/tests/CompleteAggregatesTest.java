package io.tally.tests;

import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

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
        ['a', 'b', NULL][id %% 3 + 1] AS s
      FROM range(%d, %d) r(id)""";

  private static Cases cases;

  @BeforeAll
  static void startNodes() {
    cases =
        new Cases.Builder()
            .table("one", ROWS.formatted(0, 300))
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

  @Test
  void variancesAreComputedByTheNodeThatHasAllRows() {
    ThreeWays.Outcome outcome =
        cases
            .spread()
            .check(
                "SELECT k, stddev(v), var_pop(v), covar_samp(v, k), stddev_pop(w) FROM one"
                    + " GROUP BY k ORDER BY k");
    assertTrue(outcome.plan().contains("STDDEV_SAMP(cast(v AS DOUBLE))"), outcome::plan);
    outcome = cases.spread().check("SELECT stddev(v), var_pop(v), covar_samp(v, k) FROM single");
    assertTrue(outcome.plan().contains("(complete)"), outcome::plan);
    outcome = cases.spread().check("SELECT stddev(x), corr(v, w) FROM one");
    assertTrue(outcome.plan().contains("NaN and infinities"), outcome::plan);
  }
}
