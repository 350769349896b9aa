package io.tally.tests;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.Map;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** The keys that a broadcast table has left reach the nodes of the table that it is joined with. */
class RuntimeFilterTest {
  private static final String[] NO_ROWS = {};

  /** Spark looks for a filter that it applies itself, so the dimension is not a table of nodes. */
  private static final String DIM = " (SELECT concat('p', id) AS p, id AS x FROM range(4)) d ";

  private static Cases cases;

  @BeforeAll
  static void startNodes() {
    cases =
        new Cases.Builder()
            .table("fact", partition("p0"), partition("p1"), partition("p2"), partition("p3"))
            .start();
  }

  private static String partition(String name) {
    return "SELECT '%s' AS p, (i %% 50)::BIGINT AS k, i::INT AS v FROM range(1000) r(i)"
        .formatted(name);
  }

  @AfterAll
  static void stopNodes() {
    if (cases != null) {
      cases.close();
    }
  }

  @Test
  @DisplayName("A star join reads the partitions that the dimension's keys can be in")
  void starJoin() {
    String sql =
        "SELECT d.x, count(*), sum(f.v) FROM fact f JOIN"
            + DIM
            + "ON f.p = d.p WHERE d.x IN (1, 2) GROUP BY d.x";
    ThreeWays.Outcome filtered = cases.spread().check(sql, "1|1000|499500", "2|1000|499500");
    ThreeWays.Outcome whole =
        cases
            .ways(Map.of("spark.sql.optimizer.dynamicPartitionPruning.enabled", "false"))
            .check(sql);
    assertEquals(4000, whole.pushing().rowsScanned());
    assertEquals(4000, whole.pushing().rowsReceived());
    assertEquals(2000, filtered.pushing().rowsScanned());
    assertEquals(2000, filtered.pushing().rowsReceived());
    cases.check(sql);
  }

  @Test
  @DisplayName("Within a partition, nodes send the rows that have one of the keys")
  void rowsWithinPartitions() {
    String sql = "SELECT count(*), sum(f.v) FROM fact f JOIN" + DIM + "ON f.k = d.x WHERE d.x < 3";
    ThreeWays.Outcome outcome = cases.spread().check(sql, "240|114240");
    assertEquals(4000, outcome.pushing().rowsScanned());
    assertEquals(240, outcome.pushing().rowsReceived());
    cases.check(sql);
  }

  @Test
  @DisplayName("Groups are filtered by their key before the nodes make them")
  void groups() {
    String sql =
        "SELECT f.p, f.n, d.x FROM (SELECT p, count(*) AS n FROM fact GROUP BY p) f JOIN"
            + DIM
            + "ON f.p = d.p WHERE d.x = 3";
    ThreeWays.Outcome outcome = cases.spread().check(sql, "p3|1000|3");
    assertTrue(outcome.plan().contains("PushedAggregates"), outcome::plan);
    assertEquals(1000, outcome.pushing().rowsScanned());
    cases.check(sql);
  }

  @Test
  @DisplayName("PLN-2: a runtime filter may leave no partition")
  void nothingLeft() {
    cases.check("SELECT f.v FROM fact f JOIN" + DIM + "ON f.p = d.p WHERE d.x = -1", NO_ROWS);
    cases.check("SELECT count(*) FROM fact f JOIN" + DIM + "ON f.p = d.p WHERE d.x = -1", "0");
  }

  @Test
  @DisplayName("A limit below a join is not filtered afterwards")
  void limitBelowAJoin() {
    String sql =
        "SELECT f.p, f.v, d.x FROM (SELECT * FROM fact ORDER BY v, p LIMIT 3) f JOIN"
            + DIM
            + "ON f.p = d.p WHERE d.x >= 2";
    cases.check(sql, "p2|0|2");
  }

  @Test
  @DisplayName("A scan that is filtered at one place of a plan is whole at the other")
  void twoPlaces() {
    cases.check(
        "SELECT (SELECT count(*) FROM fact), count(*), count(DISTINCT f.k) FROM fact f JOIN"
            + DIM
            + "ON f.p = d.p WHERE d.x = 2",
        "4000|1000|50");
    cases.check(
        "WITH f AS (SELECT p, k, v FROM fact)"
            + " SELECT count(*) FROM f JOIN"
            + DIM
            + "ON f.p = d.p WHERE d.x = 2 UNION ALL SELECT count(v + 1) FROM f",
        "1000",
        "4000");
  }
}
