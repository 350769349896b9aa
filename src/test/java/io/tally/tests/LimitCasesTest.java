package io.tally.tests;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** Orders, limits and offsets that other systems got wrong when they pushed them down. */
class LimitCasesTest {
  private static final String[] NO_ROWS = {};

  private static Cases cases;

  @BeforeAll
  static void startNodes() {
    cases =
        new Cases.Builder()
            .table("lim1", "SELECT unnest([NULL, 1])::INT AS a", "SELECT 2::INT AS a")
            .table(
                "lim1_types",
                "SELECT * FROM (VALUES (1, 'NaN'::DOUBLE, 'b', 1.5::DECIMAL(3,1), true, '\\xFF'::BLOB),"
                    + " (2, -0.0, 'Z', NULL, NULL, '\\x00'::BLOB), (3, NULL, 'é', -9.9, false, NULL))"
                    + " v(i, d, s, m, b, x)",
                "SELECT * FROM (VALUES (4, 0.0::DOUBLE, NULL, 0.0::DECIMAL(3,1), true, ''::BLOB),"
                    + " (5, '-Infinity', '', 9.9, NULL, '\\x7F'::BLOB), (6, 'Infinity', 'a', 1.4, false, '\\x00\\x01'::BLOB))"
                    + " v(i, d, s, m, b, x)")
            .table(
                "lim3",
                "SELECT i::INT AS a FROM range(10) r(i)",
                "SELECT i::INT AS a FROM range(10, 20) r(i)")
            .table("lim4", "SELECT unnest([1, 3])::INT AS a", "SELECT unnest([2, 4])::INT AS a")
            .table(
                "lim6", "SELECT unnest([0, 1, 2])::INT AS x", "SELECT unnest([2, 1, 0])::INT AS x")
            .table("lim7", "SELECT unnest(['b', '3']) AS s", "SELECT unnest(['1', '2']) AS s")
            .table(
                "lim8",
                "SELECT i::BIGINT AS i, i % 20 = 0 AS rare FROM range(100000) r(i)",
                "SELECT i::BIGINT AS i, i % 20 = 0 AS rare FROM range(100000, 200000) r(i)")
            .table(
                "agg7",
                "SELECT unnest(['A', 'B']) AS k UNION ALL SELECT 'A' FROM range(99)",
                "SELECT 'A' AS k FROM range(100) UNION ALL SELECT 'B' FROM range(1000)")
            .table(
                "apart",
                "SELECT (i % 3)::INT AS k, i::INT AS a FROM range(30) r(i)",
                "SELECT (3 + i % 3)::INT AS k, i::INT AS a FROM range(60) r(i)")
            .start();
  }

  @AfterAll
  static void stopNodes() {
    if (cases != null) {
      cases.close();
    }
  }

  private static void assertPlan(ThreeWays ways, String sql, String... parts) {
    String plan = ways.check(sql).plan();
    for (String part : parts) {
      assertTrue(plan.contains(part), () -> part + " is not in " + plan);
    }
  }

  @Test
  @DisplayName("LIM-1: NULL stands where Spark puts it")
  void nullOrdering() {
    cases.check("SELECT a FROM lim1 ORDER BY a LIMIT 2", "null", "1");
    cases.check("SELECT a FROM lim1 ORDER BY a DESC LIMIT 2", "2", "1");
    cases.check("SELECT a FROM lim1 ORDER BY a NULLS LAST LIMIT 2", "1", "2");
    cases.check("SELECT a FROM lim1 ORDER BY a DESC NULLS FIRST LIMIT 2", "null", "2");
    assertPlan(
        cases.spread(),
        "SELECT a FROM lim1 ORDER BY a DESC LIMIT 2",
        "PushedOrder: [a DESC NULLS LAST], PushedLimit: 2 (partial)");
    assertPlan(
        cases.together(),
        "SELECT a FROM lim1 ORDER BY a DESC LIMIT 2",
        "PushedLimit: 2 (complete)");
  }

  @Test
  @DisplayName("LIM-1 for other types: NaN, -0.0, bytes of strings, decimals")
  void orderOfOtherTypes() {
    for (String key : new String[] {"d", "s", "m", "b", "x"}) {
      for (String order : new String[] {"ASC", "DESC", "ASC NULLS LAST", "DESC NULLS FIRST"}) {
        cases.check(
            "SELECT i, %s FROM lim1_types ORDER BY %s %s, i DESC LIMIT 3"
                .formatted(key, key, order));
      }
    }
    cases.check("SELECT i FROM lim1_types ORDER BY d, i LIMIT 6", "3", "5", "2", "4", "6", "1");
  }

  @Test
  @DisplayName("LIM-3: a limit of each stream is not the limit of all")
  void limitIsGlobal() {
    cases.check("SELECT count(*) FROM (SELECT * FROM lim3 LIMIT 5)", "5");
    cases.check("SELECT count(*) FROM (SELECT * FROM lim3 LIMIT 15)", "15");
    cases.check("SELECT count(*) FROM (SELECT * FROM lim3 LIMIT 0)", "0");
    cases.check("SELECT count(*) FROM (SELECT * FROM lim3 WHERE a >= 8 LIMIT 5)", "5");
    cases.check("SELECT count(*) FROM (SELECT * FROM lim3 WHERE a >= 8 LIMIT 100)", "12");
    assertEquals(5, cases.spread().pushed("SELECT * FROM lim3 LIMIT 5").rows().size());
    ThreeWays.Outcome outcome =
        cases.spread().check("SELECT count(*) FROM (SELECT a FROM lim3 LIMIT 5)");
    assertTrue(outcome.plan().contains("PushedLimit: 5 (partial)"), outcome::plan);
    assertEquals(10, outcome.pushing().rowsReceived());
  }

  @Test
  @DisplayName("LIM-4: an offset is applied once, over all partitions")
  void offsetIsGlobal() {
    cases.check("SELECT a FROM lim4 ORDER BY a LIMIT 2 OFFSET 1", "2", "3");
    cases.check("SELECT count(*) FROM (SELECT * FROM (SELECT * FROM lim4 OFFSET 1) LIMIT 2)", "2");
    cases.check("SELECT count(*) FROM (SELECT * FROM lim4 OFFSET 1)", "3");
    cases.check("SELECT count(*) FROM (SELECT * FROM lim4 LIMIT 3 OFFSET 2)", "2");
    cases.check("SELECT count(*) FROM (SELECT * FROM lim4 LIMIT 9 OFFSET 3)", "1");
    cases.check("SELECT a FROM lim4 ORDER BY a LIMIT 2 OFFSET 9", NO_ROWS);
    cases.check("SELECT a FROM lim4 ORDER BY a DESC OFFSET 3", "1");
    assertPlan(
        cases.spread(),
        "SELECT a FROM lim4 ORDER BY a LIMIT 2 OFFSET 1",
        "PushedLimit: 3 (partial)");
    assertPlan(
        cases.together(),
        "SELECT a FROM lim4 ORDER BY a LIMIT 2 OFFSET 1",
        "PushedLimit: 2 (complete), PushedOffset: 1");
  }

  @Test
  @DisplayName("LIM-6: DISTINCT with ORDER and LIMIT is long enough")
  void distinctThenLimit() {
    cases.check("SELECT DISTINCT x FROM lim6 ORDER BY x LIMIT 3", "0", "1", "2");
    cases.check("SELECT DISTINCT x FROM lim6 ORDER BY x DESC LIMIT 2", "2", "1");
    cases.check("SELECT count(*) FROM (SELECT DISTINCT x FROM lim6 LIMIT 3)", "3");
  }

  @Test
  @DisplayName("LIM-7: a sort key that is a cast")
  void orderByCast() {
    cases.check(
        "SELECT try_cast(s AS INT) FROM lim7 ORDER BY try_cast(s AS INT) LIMIT 2", "null", "1");
  }

  @Test
  @DisplayName("LIM-7 for keys that nodes compute: no row is left out by a bound of another order")
  void orderByComputedKeys() {
    cases.check("SELECT i FROM lim8 ORDER BY CAST(i AS STRING) LIMIT 3", "0", "1", "10");
    cases.check(
        "SELECT i FROM lim8 ORDER BY CAST(i AS STRING) DESC LIMIT 3", "99999", "99998", "99997");
    cases.check("SELECT i FROM lim8 ORDER BY -i LIMIT 2", "199999", "199998");
    cases.check("SELECT i FROM lim8 ORDER BY i % 1000 DESC, i LIMIT 2", "999", "1999");
    cases.check("SELECT i FROM lim8 ORDER BY abs(i - 150000), i LIMIT 2", "150000", "149999");
  }

  @Test
  @DisplayName("LIM-8: a huge limit is read in parallel, a selective one is found")
  void hugeAndSelectiveLimits() {
    ThreeWays.Outcome huge =
        cases.spread().check("SELECT sum(i) FROM (SELECT * FROM lim8 LIMIT 1000000000)");
    assertTrue(huge.plan().contains("Streams: 2"), huge::plan);
    cases.check("SELECT count(*), sum(i) FROM (SELECT * FROM lim8 LIMIT 1000000000)");
    cases.check("SELECT count(*) FROM (SELECT * FROM lim8 WHERE rare LIMIT 5000)", "5000");
    cases.check("SELECT count(*) FROM (SELECT * FROM lim8 WHERE rare LIMIT 12000)", "10000");
    cases.check(
        "SELECT i FROM lim8 WHERE rare ORDER BY i DESC LIMIT 3", "199980", "199960", "199940");
    ThreeWays.Outcome few = cases.spread().check("SELECT i FROM lim8 ORDER BY i DESC LIMIT 3");
    assertEquals(6, few.pushing().rowsReceived());
  }

  @Test
  @DisplayName(
      "AGG-7: groups are sorted and cut after the merge, or where no group is on two nodes")
  void topGroups() {
    cases.check("SELECT k, count(*) c FROM agg7 GROUP BY k ORDER BY c DESC LIMIT 1", "B|1001");
    cases.check(
        "SELECT k, count(*) c, sum(a) FROM apart GROUP BY k ORDER BY c DESC, k DESC LIMIT 2",
        "5|20|610",
        "4|20|590");
    cases.check(
        "SELECT k, max(a) FROM apart GROUP BY k ORDER BY max(a), k LIMIT 2 OFFSET 1",
        "1|28",
        "2|29");
    cases.check("SELECT count(*) FROM (SELECT k, sum(a) FROM apart GROUP BY k LIMIT 4)", "4");
    cases.check(
        "SELECT k, avg(a) FROM apart GROUP BY k ORDER BY avg(a) DESC, k LIMIT 2",
        "5|30.5",
        "4|29.5");
    assertPlan(
        cases.spread(),
        "SELECT k, count(*) c FROM apart GROUP BY k ORDER BY c DESC, k LIMIT 2",
        "(complete), PushedOrder: [COUNT(*) DESC NULLS LAST, k ASC NULLS FIRST], PushedLimit: 2 (partial)");
    assertPlan(
        cases.together(),
        "SELECT k, count(*) c FROM apart GROUP BY k ORDER BY c DESC, k LIMIT 2",
        "PushedLimit: 2 (complete)");
  }

  @Test
  @DisplayName("AGG-7 for aggregates that do not add up, of groups that no two nodes share")
  void topGroupsOfWhatDoesNotAddUp() {
    ThreeWays.Outcome outcome =
        cases
            .spread()
            .check(
                "SELECT k, count(DISTINCT a), round(stddev(a), 6),"
                    + " percentile_cont(0.5) WITHIN GROUP (ORDER BY a), mode() WITHIN GROUP (ORDER BY a)"
                    + " FROM apart GROUP BY k HAVING max(a) > 27 ORDER BY k DESC LIMIT 4",
                "5|20|17.748239|30.5|2",
                "4|20|17.748239|29.5|1",
                "3|20|17.748239|28.5|0",
                "2|10|9.082951|15.5|2");
    for (String part :
        new String[] {
          "COUNT(DISTINCT a)",
          "STDDEV_SAMP(",
          "PERCENTILE_CONT(",
          "MODE()",
          "(complete)",
          "Streams: 2"
        }) {
      assertTrue(outcome.plan().contains(part), outcome::plan);
    }
  }

  @Test
  @DisplayName("Columns that are sorted by need not be selected, and none need be")
  void columnsOfAnOrder() {
    cases.check("SELECT 'x' FROM lim4 ORDER BY a LIMIT 3", "x", "x", "x");
    cases.check("SELECT i FROM lim1_types ORDER BY m DESC LIMIT 1", "5");
    cases.check("SELECT a + 1 FROM lim4 WHERE a <> 2 ORDER BY a DESC LIMIT 2", "5", "4");
    cases.check("SELECT count(*) FROM (SELECT 1 FROM lim4 LIMIT 3)", "3");
  }
}
