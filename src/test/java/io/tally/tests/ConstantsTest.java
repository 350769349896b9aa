package io.tally.tests;

import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Constants that Spark's translation for data sources does not tell right, or never ends with. */
class ConstantsTest {
  private static final String ROWS =
      "SELECT (id %% 7)::INT AS k, CASE WHEN id %% 5 > 0 THEN id END::INT AS v FROM range(%d, %d) r(id)";

  private static Cases cases;

  @BeforeAll
  static void startNodes() {
    cases =
        new Cases.Builder()
            .table("rows", ROWS.formatted(0, 20), ROWS.formatted(20, 30))
            .table("empty", ROWS.formatted(0, 0))
            .start();
  }

  @AfterAll
  static void stopNodes() {
    if (cases != null) {
      cases.close();
    }
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "SELECT count(DISTINCT 5) FROM rows",
        "SELECT count(DISTINCT 5) FROM empty",
        "SELECT count(DISTINCT 5), count(*), count(DISTINCT 'a'), count(DISTINCT NULL) FROM rows WHERE v > 3",
        "SELECT count(DISTINCT 5), sum(v) FROM rows WHERE v > 1000",
        "SELECT k, count(DISTINCT 5) + 1 FROM rows GROUP BY k HAVING count(DISTINCT 6) > 0",
        "SELECT count(DISTINCT 5) FILTER (WHERE v > 1000), count(DISTINCT 5) FROM rows",
        "SELECT count(DISTINCT c), count(n) FROM (SELECT v, 7 AS c, CAST(NULL AS INT) AS n FROM rows)",
        "SELECT count(DISTINCT 5, 6), count(DISTINCT NULL, 5), count(5), count(NULL) FROM rows",
        "SELECT k, (SELECT count(DISTINCT 5) FROM empty) FROM rows WHERE k IN (SELECT count(DISTINCT 5) FROM rows)",
        "SELECT count(DISTINCT 5) FROM rows a JOIN rows b ON a.k = b.k",
        "SELECT k, v, count(DISTINCT 5) FROM rows GROUP BY GROUPING SETS ((k), (v), ())",
        "SELECT avg(DISTINCT 5), sum(DISTINCT 7), max(DISTINCT 3) FROM rows",
      })
  void aConstantIsCountedOnceIfDistinct(String sql) {
    cases.check(sql);
  }

  @Test
  void nodesCountTheRowsForIt() {
    String plan = cases.spread().check("SELECT count(DISTINCT 5) FROM rows", "1").plan();
    assertTrue(plan.contains("PushedAggregates: [COUNT(*)]"), plan);
  }

  /** Where names are not replaced before the query is offered, Spark replaces them while it is. */
  @Test
  void aConstantBehindANameIsOneToo() {
    ThreeWays ways =
        cases.ways(
            Map.of(
                "spark.sql.optimizer.excludedRules",
                "org.apache.spark.sql.catalyst.optimizer.CollapseProject, "
                    + "org.apache.spark.sql.catalyst.optimizer.FoldablePropagation"));
    ways.check("SELECT count(DISTINCT c) FROM (SELECT v, 7 AS c FROM rows)", "1");
    ways.check("SELECT count(c) FROM (SELECT v, CAST(NULL AS INT) AS c FROM rows)", "0");
  }

  @Test
  void withoutTheRuleNothingIsCountedThatMayBeDistinct() {
    ThreeWays ways =
        cases.ways(
            Map.of(
                "spark.sql.optimizer.excludedRules",
                "io.tally.spark.optimizer.CountsOfConstants, io.tally.spark.optimizer.CountsOfConstants"));
    ways.check("SELECT count(DISTINCT 5) FROM rows", "1");
    String plan = ways.check("SELECT count(*) FROM rows", "30").plan();
    assertFalse(plan.contains("PushedAggregates"), plan);
    assertTrue(plan.contains("COUNT(DISTINCT constant)"), plan);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "SELECT max(IF(k < 0, CAST(exp(1000D) AS INT), 7)) FROM rows",
        "SELECT k, v FROM rows WHERE CASE WHEN k < 0 THEN CAST(exp(1000D) AS INT) ELSE k END > 3",
        "SELECT sum(v) FROM rows WHERE k > 2 AND coalesce(k, 1 / 0) > 3",
        "SELECT k + IF(k < 0, CAST('x' AS INT), 1), count(*) FROM rows GROUP BY 1",
        "SELECT k FROM rows ORDER BY IF(k < 0, CAST('x' AS INT), k), v DESC LIMIT 5",
        "SELECT k, v FROM rows WHERE (k NOT IN (1, NULL)) IS NULL",
        "SELECT count(IF(v > 3 OR CAST(NULL AS BOOLEAN), 1, 2)), max((v > 3 AND NULL) IS NULL) FROM rows",
      })
  void aBranchThatWouldFailIsNotTaken(String sql) {
    cases.check(sql);
  }

  @Test
  void aBranchThatFailsAndIsTakenFailsAsInSpark() {
    cases
        .spread()
        .failsAlike(
            "SELECT max(IF(k > 5, CAST('x' AS INT), 7)) FROM rows", Set.of("CAST_INVALID_INPUT"));
    cases
        .together()
        .failsAlike("SELECT v FROM rows WHERE IF(k > 5, 1 / 0, k) > 3", Set.of("DIVIDE_BY_ZERO"));
  }
}
