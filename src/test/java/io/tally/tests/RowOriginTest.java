package io.tally.tests;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import java.util.Map;
import org.apache.spark.sql.SparkSession;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** Every row tells which partition holds it and which node has sent it, if it is asked. */
class RowOriginTest {
  private static final List<String> ALL = List.of("i", "_partition", "_node");
  private static final SampleFiles FILES = new SampleFiles();
  private static TallyCluster cluster;

  @BeforeAll
  static void startNodes() {
    cluster =
        TallyCluster.of(
            Map.of(),
            List.of(
                List.of(
                    TableConfig.table("t")
                        .parquet("p0", FILES.parquet("SELECT i FROM range(10) r(i)"))
                        .csv("p1", FILES.bytes("csv", "i\n100\n".getBytes(UTF_8)))),
                List.of(
                    TableConfig.table("t")
                        .parquet("it's p2", FILES.parquet("SELECT i FROM range(20, 25) r(i)")),
                    TableConfig.table("named")
                        .parquet("p", FILES.parquet("SELECT 'mine' AS _partition")))));
  }

  @AfterAll
  static void stopNodes() {
    try (FILES) {
      if (cluster != null) {
        cluster.close();
      }
    }
  }

  /** Spark does not look for such columns behind a view, so they are named before it. */
  private static String rows(String table, List<String> columns, String sql) {
    SparkSession spark = LocalSpark.newSession();
    spark
        .read()
        .format("tally")
        .options(cluster.options(table))
        .load()
        .selectExpr(columns.toArray(String[]::new))
        .createOrReplaceTempView("t");
    return String.join(
        ", ", spark.sql(sql).collectAsList().stream().map(Rows::show).sorted().toList());
  }

  @Test
  void rowsTellTheirPartitionAndNode() {
    String a = cluster.node(0).id();
    String b = cluster.node(1).id();
    assertEquals(
        "it's p2|%s|5|22, p0|%s|10|4, p1|%s|1|100".formatted(b, a, a),
        rows(
            "t",
            ALL,
            "SELECT _partition, _node, count(*), CAST(avg(i) AS INT) FROM t"
                + " GROUP BY _partition, _node"));
    assertEquals(
        "%s|100|p1".formatted(a),
        rows("t", ALL, "SELECT _node, i, _partition FROM t WHERE i = 100"));
    assertEquals(
        "11|2",
        rows(
            "t",
            ALL,
            "SELECT count(*), count(DISTINCT _partition) FROM t WHERE _node = '" + a + "'"));
    assertEquals("p1", rows("t", ALL, "SELECT _partition FROM t ORDER BY i DESC LIMIT 1"));
    assertEquals("100", rows("t", ALL, "SELECT i FROM t WHERE _partition = 'p1'"));
  }

  @Test
  void partitionsAreChosenByTheirIds() {
    assertEquals("10", countsWithoutOthers("_partition = 'p0'", 1));
    assertEquals("15", countsWithoutOthers("_partition IN ('p0', \"it's p2\", 'other')", 2));
    assertEquals("6", countsWithoutOthers("_partition > 'p0' OR _partition LIKE '%2'", 2));
    assertEquals("11", countsWithoutOthers("_partition LIKE 'p%' AND _partition <> ''", 2));
    assertEquals("0", countsWithoutOthers("_partition = 'none'", 0));
    assertEquals("1", rows("t", ALL, "SELECT i FROM t WHERE _partition = 'p0' AND i % 9 = 1"));
    assertEquals("1, 100", rows("t", ALL, "SELECT i FROM t WHERE i = 1 OR _partition = 'p1'"));
    assertEquals(
        "p", rows("named", List.of("_partition"), "SELECT 'p' FROM t WHERE _partition = 'mine'"));
    assertEquals(
        "", rows("named", List.of("_partition"), "SELECT 1 FROM t WHERE _partition = 'p'"));
  }

  /** The count, pushed down, and computed by this many partitions. */
  private static String countsWithoutOthers(String condition, int partitions) {
    String sql = "SELECT count(*) FROM t WHERE " + condition;
    String plan = rows("t", ALL, "EXPLAIN " + sql);
    assertTrue(plan.contains("PushedAggregates: [COUNT(*)]"), plan);
    assertTrue(plan.contains("Partitions: " + partitions + " of 3"), plan);
    return rows("t", ALL, sql);
  }

  @Test
  void aStoredColumnOfThatNameIsRead() {
    assertEquals("mine", rows("named", List.of("_partition"), "SELECT _partition FROM t"));
  }
}
