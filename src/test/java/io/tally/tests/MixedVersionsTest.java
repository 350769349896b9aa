package io.tally.tests;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.SparkSession;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/**
 * Three nodes, of which some are restarted as older releases: what was planned before the restart
 * gives the right rows nevertheless, or an error that says who lacks what; what is planned after it
 * is answered three ways, with the reasons in the plan. Table {@code mixed} is on all nodes, {@code
 * on_b} and {@code on_c} on one each.
 */
class MixedVersionsTest {
  private static final String ROWS =
      """
      SELECT nullif(concat('k', id %% 3), 'k2') AS k, cast(id AS INT) AS i,
        cast(id %% 100 - 50 AS TINYINT) AS t, cast(id * 7 AS SMALLINT) AS s,
        if(id %% 11 = 0, NULL, 4611686018427387 * (id - 10)) AS l,
        if(id %% 5 = 0, NULL, cast(id - 9.75 AS DECIMAL(5,2))) AS m,
        cast(1234567890123456789012345.67 AS DECIMAL(38,2)) * (id %% 2) AS w,
        if(id %% 7 = 0, double('NaN'), if(id %% 7 = 1, -0.0D, id * 0.5D)) AS d,
        cast(id * 0.25D AS FLOAT) AS f, nullif(concat('x', id), 'x4') AS x,
        cast(concat('b', id) AS BINARY) AS b, date_add(DATE'2001-12-25', cast(id AS INT)) AS dt,
        TIMESTAMP'2001-12-25 12:00:00' + make_dt_interval(cast(id AS INT)) AS ts,
        TIMESTAMP_NTZ'2001-12-25 12:00:00' AS n, id %% 4 = 0 AS bo,
        make_ym_interval(0, cast(id AS INT)) AS ym, make_dt_interval(cast(id AS INT)) AS dti,
        named_struct('a', cast(id AS INT), 'z', 'z') AS st
      FROM range(%d, %d)""";

  private static final String ALL_AGGREGATES =
      "count(*), count(x), sum(t), sum(s), sum(i), sum(l), sum(m), sum(w), sum(d), sum(f),"
          + " avg(i), avg(m), min(x), max(x), min(t), max(m), max(w), min(d), max(f), min(b),"
          + " min(dt), max(ts), min(n), max(bo), min(ym), max(dti), sum(ym), avg(dti) FROM mixed";

  // ---- of columns alone

  private static final String UNGROUPED = "SELECT " + ALL_AGGREGATES;
  private static final String GROUPED = "SELECT k, " + ALL_AGGREGATES + " GROUP BY k";
  private static final String BY_ODD_KEYS =
      "SELECT d, ym, dti, b, count(l), max(k) FROM mixed GROUP BY d, ym, dti, b";
  private static final String DISTINCT_KEYS = "SELECT DISTINCT bo, n FROM mixed";
  private static final String NO_ROWS_ANYWHERE =
      "SELECT count(*), count(i), sum(i), min(x) FROM mixed WHERE x = 'x145'";
  private static final String NO_ROWS_ON_C =
      "SELECT count(*), count(i), sum(i), min(x) FROM mixed WHERE x IN ('x1', 'x145')";

  // ---- that need more

  private static final String BY_EXPRESSION = "SELECT year(dt), count(*) FROM mixed GROUP BY 1";
  private static final String OF_FIELD = "SELECT max(st.a) FROM mixed";
  private static final String COMPLETE =
      "SELECT k, count(*), count(DISTINCT i) FROM on_c GROUP BY k";
  private static final String FILTER = "SELECT i FROM mixed WHERE x <= 'x2'";
  private static final String LIMIT_OF_ALL = "SELECT count(*) FROM (SELECT k FROM mixed LIMIT 5)";
  private static final String LIMIT_OF_ONE = "SELECT bo IS NULL FROM on_c LIMIT 5";
  private static final String FIRST_OF_ALL = "SELECT i, x FROM mixed ORDER BY x DESC, i LIMIT 4";
  private static final String FIRST_OF_C = "SELECT i, x FROM on_c ORDER BY x DESC, i LIMIT 4";
  private static final String FIRST_OF_B = "SELECT i, x FROM on_b ORDER BY x DESC, i LIMIT 4";
  private static final String BEHIND_TWO = "SELECT i FROM on_b ORDER BY i LIMIT 3 OFFSET 2";
  private static final String NESTED = "SELECT st.a FROM mixed";
  private static final String RANGES = "SELECT sum(hash(x)) FROM in_ranges";
  private static final String SAMPLE =
      "SELECT count(*) >= 0 FROM (SELECT i, hash(x) FROM mixed TABLESAMPLE (40 PERCENT))";

  /** Each is run once: what Spark has found out by running it, it would use again. */
  private static final Map<String, Deque<Dataset<Row>>> PLANNED = new HashMap<>();

  private static final int MOST_USES = 2;

  private static Dataset<Row> partitionIds;
  private static SparkFiles files;
  private static TallyCluster cluster;
  private static ThreeWays ways;

  @BeforeAll
  static void planWhileAllNodesAreNew() {
    SparkSession spark = LocalSpark.newSession();
    files = new SparkFiles();
    List<Path> paths =
        List.of(rows(spark, 0, 6), rows(spark, 6, 12), rows(spark, 12, 19), rows(spark, 19, 19));
    cluster =
        TallyCluster.of(
            List.of(
                List.of(TableConfig.table("mixed").parquet("p0", paths.get(0))),
                List.of(
                    TableConfig.table("mixed").parquet("p1", paths.get(1)),
                    TableConfig.table("on_b").parquet("all", paths.get(1))),
                List.of(
                    TableConfig.table("mixed")
                        .parquet("p2", paths.get(2))
                        .parquet("p3", paths.get(3)),
                    TableConfig.table("on_c").parquet("all", paths.get(2)))));
    ThreeWays.Table onC = ThreeWays.Table.parquet(cluster, "on_c", List.of(paths.get(2)));
    Map<String, String> inRanges = new HashMap<>(onC.options());
    inRanges.put("split-rows", "3");
    ways =
        ThreeWays.over(
            Map.of(),
            List.of(
                ThreeWays.Table.parquet(cluster, "mixed", paths),
                ThreeWays.Table.parquet(cluster, "on_b", List.of(paths.get(1))),
                onC,
                new ThreeWays.Table("in_ranges", inRanges, onC.plain())));
    List.of(
            UNGROUPED,
            GROUPED,
            BY_ODD_KEYS,
            DISTINCT_KEYS,
            NO_ROWS_ANYWHERE,
            NO_ROWS_ON_C,
            BY_EXPRESSION,
            OF_FIELD,
            COMPLETE,
            FILTER,
            LIMIT_OF_ALL,
            LIMIT_OF_ONE,
            FIRST_OF_ALL,
            FIRST_OF_C,
            FIRST_OF_B,
            BEHIND_TWO,
            NESTED,
            RANGES,
            SAMPLE)
        .forEach(MixedVersionsTest::planForAllTests);
    partitionIds =
        spark.read().format("tally").options(onC.options()).load().select("i", "_partition");
    partitionIds.queryExecution().executedPlan();
  }

  private static void planForAllTests(String sql) {
    Deque<Dataset<Row>> plans = new ArrayDeque<>();
    for (int use = 0; use < MOST_USES; use++) {
      plans.add(ways.plan(sql));
    }
    PLANNED.put(sql, plans);
  }

  private static Dataset<Row> planned(String sql) {
    return PLANNED.get(sql).pop();
  }

  private static Path rows(SparkSession spark, int from, int end) {
    return files.parquet(spark.sql(ROWS.formatted(from, end)));
  }

  @AfterAll
  static void stopNodes() {
    SparkFiles written = files;
    try (written) {
      if (cluster != null) {
        cluster.close();
      }
    }
  }

  @Test
  @DisplayName("A node that does not aggregate sends rows, which are partial aggregates")
  void withoutAggregation() {
    restart(2, "agg.*");
    for (String sql :
        List.of(UNGROUPED, GROUPED, BY_ODD_KEYS, DISTINCT_KEYS, NO_ROWS_ANYWHERE, NO_ROWS_ON_C)) {
      readsAsPlanned(sql, "lacks the feature agg.");
    }
    failsAsPlanned(BY_EXPRESSION, "node-c", "the aggregation (features agg.count_all)");
    failsAsPlanned(OF_FIELD, "node-c", "the aggregation (features agg.max)");
    failsAsPlanned(COMPLETE, "node-c", "the aggregation (features agg.count_all, agg.count_dist");
  }

  @Test
  @DisplayName("A node that refuses names it does not know is asked for rows")
  void withoutSomeNames() {
    restart(2, "agg.min", "agg.sum", "agg.count_distinct", "fn.le", "fn.year", "expression.path");
    for (String sql : List.of(UNGROUPED, GROUPED)) {
      readsAsPlanned(sql, "lacks the feature agg.");
    }
    failsAsPlanned(FILTER, "node-c", "does not know the function \"le\"");
    failsAsPlanned(BY_EXPRESSION, "node-c", "does not know the function \"year\"");
    failsAsPlanned(OF_FIELD, "node-c", "of a kind that this node does not know");
    failsAsPlanned(COMPLETE, "node-c", "does not know the aggregate \"count_distinct\"");
  }

  @Test
  @DisplayName("A node that knows nothing of scans but rows")
  void withoutPartsOfScans() {
    restart(2, "scan.*");
    readsAsPlanned(LIMIT_OF_ALL, "lacks the feature scan.limit");
    readsAsPlanned(LIMIT_OF_ONE, "lacks the feature scan.limit");
    readsAsPlanned(FIRST_OF_ALL, "lacks the feature scan.order");
    failsAsPlanned(FIRST_OF_C, "node-c", "the order (feature scan.order)");
    failsAsPlanned(NESTED, "node-c", "the choice of fields (feature scan.nested_projection)");
    // What Spark was promised does not change without ranges, so that is planned anew.
    Dataset<Row> ranges = planned(RANGES);
    List<Row> rows = ranges.collectAsList();
    ThreeWays.checkPlanned(RANGES, ranges, rows, ways.check(RANGES));
    failsAsPlanned(SAMPLE, "node-c", "the sample (feature scan.sample)");
    assertFails(
        partitionIds, "_partition", "node-c", "partition ids (feature scan.partition_column)");
  }

  @Test
  @DisplayName("Order and limit belong together")
  void withoutOrderOrLimit() {
    restart(2, "scan.order");
    restart(1, "scan.limit", "scan.offset");
    readsAsPlanned(FIRST_OF_B, "lacks the feature scan.limit");
    failsAsPlanned(FIRST_OF_ALL, "node-c", "the order (feature scan.order)");
    failsAsPlanned(FIRST_OF_C, "node-c", "the order (feature scan.order)");
    failsAsPlanned(BEHIND_TWO, "node-b", "the offset (feature scan.offset)");
    restart(1);
  }

  private static void restart(int node, String... disabled) {
    cluster.node(node).restart("disabled-features", List.of(disabled));
  }

  /** What was planned before gives the right rows, and so does what is planned now. */
  private static void readsAsPlanned(String sql, String reason) {
    Dataset<Row> planned = planned(sql);
    List<Row> rows = planned.collectAsList();
    ThreeWays.checkPlanned(sql, planned, rows, checkAnew(sql, reason));
  }

  private static void failsAsPlanned(String sql, String node, String reason) {
    assertFails(planned(sql), sql, node, reason);
    checkAnew(sql, "lacks the feature");
  }

  private static ThreeWays.Outcome checkAnew(String sql, String reason) {
    ThreeWays.Outcome outcome = ways.check(sql);
    assertTrue(outcome.plan().contains(reason), () -> sql + "\n" + outcome.plan());
    return outcome;
  }

  private static void assertFails(Dataset<Row> planned, String sql, String... said) {
    Exception error = assertThrows(Exception.class, planned::collectAsList, sql);
    Refusal refusal = Refusal.of(error);
    assertEquals("UNSUPPORTED_FEATURE", refusal.code(), refusal::message);
    for (String words : said) {
      assertTrue(refusal.message().contains(words), refusal::message);
    }
    assertTrue(refusal.message().contains("Run the query again"), refusal::message);
  }
}
