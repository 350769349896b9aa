package io.tally.tests;

import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.apache.spark.sql.SparkSession;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Fields of structs and items of arrays, in the rows of two partitions on two nodes: what is NULL
 * stays NULL at every depth, and what is not needed does not travel.
 */
class NestedColumnsTest {
  private static final String[] ROWS = {
    """
    SELECT 1 AS k,
      named_struct('a', 1, 'b', 'x', 'in', named_struct('d', 2.5D, 'e.f', 'y'), 'p', 1.25BD) AS st,
      array(named_struct('a', 1, 'b', 'p'), NULL, named_struct('a', NULL, 'b', 'q')) AS ls,
      map('m', named_struct('a', 1, 'b', 2)) AS ms,
      array(10, NULL, 30) AS nums, array(array('u'), NULL) AS deep, 7 AS `st.a`,
      map(named_struct('x', 1, 'y', 2), named_struct('z', 3, 'w', 4)) AS keyed
    UNION ALL SELECT 2, NULL, NULL, NULL, NULL, NULL, 8, NULL
    UNION ALL SELECT 3, named_struct('a', NULL, 'b', NULL, 'in', NULL, 'p', NULL), array(), map(),
      array(), array(), NULL, map()""",
    """
    SELECT 4 AS k,
      named_struct('a', 1, 'b', 'z', 'in', named_struct('d', double('NaN'), 'e.f', NULL), 'p', -1.25BD)
        AS st,
      array(named_struct('a', 2147483647, 'b', '')) AS ls,
      map('m', NULL, 'n', named_struct('a', 5, 'b', NULL)) AS ms,
      array(-1) AS nums, array(array(), array('v', 'w')) AS deep, 1 AS `st.a`,
      map(named_struct('x', 1, 'y', 9), CAST(NULL AS STRUCT<z: INT, w: INT>)) AS keyed
    UNION ALL SELECT 5, named_struct('a', -5, 'b', 'x', 'in', named_struct('d', -0.0D, 'e.f', 'y'),
      'p', NULL), array(NULL), map('m', named_struct('a', NULL, 'b', 7)), array(10), NULL, 2, map()""",
  };

  private static SparkFiles files;
  private static TallyCluster cluster;
  private static ThreeWays ansi;
  private static ThreeWays notAnsi;

  @BeforeAll
  static void writeFilesAndStartNodes() {
    SparkSession spark = LocalSpark.newSession();
    files = new SparkFiles();
    List<Path> paths = List.of(ROWS).stream().map(sql -> files.parquet(spark.sql(sql))).toList();
    cluster =
        TallyCluster.of(
            List.of(
                List.of(TableConfig.table("nested").parquet("a", paths.get(0))),
                List.of(TableConfig.table("nested").parquet("b", paths.get(1)))));
    List<ThreeWays.Table> tables = List.of(ThreeWays.Table.parquet(cluster, "nested", paths));
    ansi = ThreeWays.over(Map.of("spark.sql.ansi.enabled", "true"), tables);
    notAnsi = ThreeWays.over(Map.of("spark.sql.ansi.enabled", "false"), tables);
  }

  @AfterAll
  static void stopNodes() {
    if (cluster != null) {
      cluster.close();
    }
    if (files != null) {
      files.close();
    }
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "SELECT * FROM nested",
        "SELECT k, st.a FROM nested",
        "SELECT k, st.b, st.in.`e.f` FROM nested",
        "SELECT k, st.in FROM nested",
        "SELECT k, st.in.d, st IS NULL FROM nested",
        "SELECT k, st.a, st FROM nested",
        "SELECT k, ls.a FROM nested",
        "SELECT k, ls.b, ls IS NULL, size(ls) FROM nested",
        "SELECT k, map_values(ms).b FROM nested",
        "SELECT k, ms['m'].a FROM nested",
        "SELECT k, map_keys(keyed).x FROM nested",
        "SELECT k, map_values(keyed).z FROM nested",
        "SELECT k, nums[1], deep[1][0] FROM nested WHERE k < 0",
        "SELECT k, st.a FROM nested WHERE st.b = 'x'",
        "SELECT st.b, k FROM nested WHERE st.a IN (1, -5)",
        "SELECT st.b, k FROM nested WHERE st.a >= -5 AND k > 0",
        "SELECT k FROM nested WHERE st.in.`e.f` IS NULL",
        "SELECT k FROM nested WHERE st.in IS NULL",
        "SELECT k FROM nested WHERE st.a IS NOT NULL AND st.p > 0",
        "SELECT k FROM nested WHERE st.a = 1 OR `st.a` = 8",
        "SELECT k FROM nested WHERE `st.a` = 7",
        "SELECT st.b, count(*), sum(st.a), min(st.in.d), max(st.in.`e.f`) FROM nested GROUP BY st.b",
        "SELECT st.a, `st.a`, count(*) FROM nested GROUP BY st.a, `st.a`",
        "SELECT sum(st.a), sum(st.p), avg(st.a), count(st.b), min(st.in.d), max(st.in.d) FROM nested",
        "SELECT st.in.d, count(*) FROM nested GROUP BY st.in.d",
        "SELECT st.in, count(*) FROM nested GROUP BY st.in",
        "SELECT k FROM nested WHERE NOT (st IS NULL OR ls IS NULL)",
        "SELECT sum(k) FROM nested WHERE st.in IS NULL AND get(ls, 0) IS NULL",
        "SELECT ms IS NULL, deep IS NULL, count(st), count(st.in) FROM nested GROUP BY 1, 2",
        "SELECT st.b FROM nested WHERE st.a IN (1, -5) ORDER BY st.p LIMIT 2",
        "SELECT item.a FROM (SELECT explode(ls) AS item FROM nested)",
      })
  void fieldsAndItems(String sql) {
    ansi.check(sql);
    notAnsi.check(sql);
  }

  @Test
  void fieldsAreEvaluatedByNodes() {
    ThreeWays.Outcome outcome =
        ansi.check("SELECT st.b, sum(st.a) FROM nested WHERE st.a > 0 GROUP BY st.b", "x|1", "z|1");
    assertTrue(outcome.plan().contains("st.a > 0"), outcome::plan);
    assertTrue(outcome.plan().contains("PushedAggregates: [SUM(st.a)]"), outcome::plan);
    assertTrue(outcome.plan().contains("PushedGroupBy: [st.b]"), outcome::plan);
  }

  @Test
  void whatIsNullOfAnyTypeIsCountedByNodes() {
    ThreeWays.Outcome counts =
        ansi.check(
            "SELECT count(st), count(ls), count(st.in), count(keyed) FROM nested", "4|4|3|4");
    assertTrue(
        counts
            .plan()
            .contains("PushedAggregates: [COUNT(st), COUNT(ls), COUNT(st.in), COUNT(keyed)]"),
        counts::plan);
    for (String column : List.of("st", "ls", "ms", "nums", "deep", "keyed", "st.in")) {
      ThreeWays.Outcome with =
          ansi.check("SELECT count(*), min(k) FROM nested WHERE %s IS NOT NULL".formatted(column));
      assertTrue(with.plan().contains(column + " IS NOT NULL"), with::plan);
      assertTrue(with.plan().contains("PushedAggregates: [COUNT(*), MIN(k)]"), with::plan);
      ThreeWays.Outcome without =
          ansi.check("SELECT max(k), count(*) FROM nested WHERE %s IS NULL".formatted(column));
      assertTrue(without.plan().contains("PushedAggregates: [MAX(k), COUNT(*)]"), without::plan);
    }
  }

  @Test
  void itemsAreEvaluatedByNodesWhereSparkDoesNotFail() {
    SparkRelease.assumeAtLeast(1, "way to offer items of arrays");
    ThreeWays.Outcome outcome =
        notAnsi.check("SELECT k FROM nested WHERE nums[0] = 10 OR nums[2] = 30", "1", "5");
    assertTrue(outcome.plan().contains("(nums[0] = 10) OR (nums[2] = 30)"), outcome::plan);
    notAnsi.check("SELECT nums[0], count(*), sum(nums[2]) FROM nested GROUP BY nums[0]");
    notAnsi.check("SELECT k FROM nested WHERE nums[-1] = 10 OR nums[2147483647] IS NOT NULL");
    ThreeWays.Outcome got =
        ansi.check(
            "SELECT get(nums, 0), count(*) FROM nested WHERE get(nums, 2) IS NULL GROUP BY 1",
            "-1|1",
            "10|1",
            "null|2");
    assertTrue(got.plan().contains("nums[2] IS NULL"), got::plan);
    assertTrue(got.plan().contains("PushedGroupBy: [nums[0]]"), got::plan);
    ThreeWays.Outcome counts = ansi.check("SELECT count(get(deep, 0)) FROM nested", "2");
    assertTrue(counts.plan().contains("PushedAggregates: [COUNT(deep[0])]"), counts::plan);
    ThreeWays.Outcome failing =
        ansi.check("SELECT k FROM nested WHERE k IN (1, 4, 5) AND nums[0] = 10", "1", "5");
    assertTrue(
        failing.plan().contains("Spark fails where an array has no such item"), failing::plan);
  }

  @Test
  void onlyNeededFieldsTravel() {
    ThreeWays.Outcome outcome = ansi.check("SELECT k, st.in.d, ls.b FROM nested");
    String plan = outcome.plan();
    assertTrue(plan.contains("Parts: [st.in.d, ls.element.b]"), plan);
  }
}
