package io.tally.tests;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.tally.examples.quickstart.TallyScans;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.NavigableSet;
import java.util.TreeSet;
import java.util.stream.Collectors;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.SparkSession;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/**
 * Nodes sample by the positions of rows. Spark's own sample of the same seed holds other rows, as
 * it does after any other split, so samples are compared with each other.
 */
class SampleTest {
  private static final int ROWS = 30_000;
  private static final String TENTH = " TABLESAMPLE (10 PERCENT) REPEATABLE (42)";

  private static final SampleFiles files = new SampleFiles();
  private static TallyCluster cluster;

  @BeforeAll
  static void startNodes() {
    cluster =
        TallyCluster.of(
            Map.of(),
            List.of(
                List.of(
                    TableConfig.table("t")
                        .parquet(
                            "files",
                            files.parquet("SELECT i FROM range(7000) r(i)"),
                            files.parquet("SELECT i FROM range(7000, 10000) r(i)"))
                        .duckdb(
                            "database",
                            files.duckdb(
                                "CREATE TABLE t AS SELECT i FROM range(10000, 20000) r(i)"),
                            "t"),
                    TableConfig.table("database")
                        .duckdb(
                            "database",
                            files.duckdb(
                                "CREATE TABLE t AS SELECT i, 's' || i AS s FROM range(1000) r(i)"),
                            "t"),
                    TableConfig.table("text")
                        .csv("text", files.bytes("csv", "i\n1\n2\n".getBytes(UTF_8)))),
                List.of(
                    TableConfig.table("t")
                        .parquet(
                            "last", files.parquet("SELECT i FROM range(20000, 30000) r(i)")))));
  }

  @AfterAll
  static void stopNodes() {
    try (files) {
      if (cluster != null) {
        cluster.close();
      }
    }
  }

  private static SparkSession session(String table, String... options) {
    SparkSession spark = LocalSpark.newSession();
    Map<String, String> all = new LinkedHashMap<>(cluster.options(table));
    for (int i = 0; i < options.length; i += 2) {
      all.put(options[i], options[i + 1]);
    }
    spark.read().format("tally").options(all).load().createOrReplaceTempView("t");
    return spark;
  }

  private static NavigableSet<Long> ids(SparkSession spark, String sql) {
    return spark.sql(sql).collectAsList().stream()
        .map(row -> row.getLong(0))
        .collect(Collectors.toCollection(TreeSet::new));
  }

  @Test
  void theSameSeedGivesTheSameRowsHoweverPartitionsAreSplit() {
    NavigableSet<Long> sample = ids(session("t"), "SELECT i FROM t" + TENTH);
    // Four standard deviations.
    assertEquals(ROWS * 0.1, sample.size(), 4 * Math.sqrt(ROWS * 0.1 * 0.9));
    assertEquals(sample, ids(session("t", "split-rows", "777"), "SELECT i FROM t" + TENTH));
    assertNotEquals(
        sample, ids(session("t"), "SELECT i FROM t TABLESAMPLE (10 PERCENT) REPEATABLE (43)"));
  }

  @Test
  void aLargerSampleOfTheSameSeedHoldsTheSmaller() {
    SparkSession spark = session("t", "split-rows", "1234");
    NavigableSet<Long> smaller = new TreeSet<>();
    for (int bucket = 1; bucket <= 3; bucket++) {
      NavigableSet<Long> sample =
          ids(
              spark,
              "SELECT i FROM t TABLESAMPLE (BUCKET %d OUT OF 3) REPEATABLE (7)".formatted(bucket));
      assertTrue(sample.containsAll(smaller));
      // Four standard deviations.
      assertEquals(ROWS / 3.0 * bucket, sample.size(), 4 * Math.sqrt(ROWS * 2 / 9.0));
      smaller = sample;
    }
    assertEquals(ROWS, smaller.size());
  }

  @Test
  void predicatesAndAggregatesSeeTheSample() {
    SparkSession spark = session("t");
    NavigableSet<Long> sample = ids(spark, "SELECT i FROM t" + TENTH);
    assertEquals(
        new TreeSet<>(sample.headSet(15_000L)),
        ids(spark, "SELECT i FROM t" + TENTH + " WHERE i < 15000"));
    Dataset<Row> counted =
        spark.sql("SELECT count(*), min(i), max(i) FROM t" + TENTH + " WHERE i >= 15000");
    TreeSet<Long> tail = new TreeSet<>(sample.tailSet(15_000L));
    assertEquals(tail.size() + "|" + tail.first() + "|" + tail.last(), Rows.show(counted.head()));
    String plan = scans(counted).descriptions().toString();
    assertTrue(plan.contains("PushedSample: [0.0, 0.1) seed 42"), plan);
    assertTrue(plan.contains("PushedAggregates: [COUNT(*)"), plan);
    assertEquals(
        List.copyOf(sample).subList(0, 5),
        List.copyOf(ids(spark, "SELECT i FROM t" + TENTH + " ORDER BY i LIMIT 5")));
  }

  /** DuckDB 2.0.0 fails for such a statement, unless it is told to leave its own way out. */
  @Test
  void theFirstRowsOfASampleOfADatabase() {
    SparkSession spark = session("database");
    List<Long> sample = List.copyOf(ids(spark, "SELECT i FROM t" + TENTH).descendingSet());
    Dataset<Row> first = spark.sql("SELECT i, s FROM t" + TENTH + " ORDER BY i DESC LIMIT 4");
    assertEquals(
        sample.subList(0, 4).stream().map(i -> i + "|s" + i).toList(),
        first.collectAsList().stream().map(Rows::show).toList());
    String plan = scans(first).descriptions().toString();
    assertTrue(plan.contains("PushedOrder"), plan);
  }

  @Test
  void rowsWithoutPositionsAreSampledBySpark() {
    Dataset<Row> all = session("text").sql("SELECT i FROM t TABLESAMPLE (100 PERCENT)");
    assertEquals(2, all.collectAsList().size());
    String plan = scans(all).descriptions().toString();
    assertTrue(plan.contains("TABLESAMPLE: rows of some partition have no stable position"), plan);
  }

  private static TallyScans scans(Dataset<Row> dataset) {
    return TallyScans.of(dataset.queryExecution().executedPlan());
  }
}
