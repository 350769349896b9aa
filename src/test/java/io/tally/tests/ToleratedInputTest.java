package io.tally.tests;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.apache.spark.sql.SparkSession;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** What looks wrong and is not: copies of partitions, a node that nobody needs, odd columns. */
class ToleratedInputTest {
  private static final String COUNT = "SELECT count(*) FROM t";
  private static final String SUM = "SELECT count(*), sum(id) FROM t";

  private final SampleFiles files = new SampleFiles();

  @AfterEach
  void deleteFiles() {
    files.close();
  }

  @Test
  void replicasAreCountedOnce() {
    TableConfig table =
        TableConfig.table("t").parquet("p", files.parquet("SELECT unnest([1, 2, 3]) AS id"));
    try (TallyCluster cluster = cluster(table, table)) {
      Map<String, String> options = cluster.options("t");
      assertEquals("3|6", query(options, SUM));
      assertEquals("3|6", query(BadInputBench.with(options, "push-down", "false"), SUM));
    }
  }

  @Test
  void aNodeThatIsDownIsNotMissedIfOthersOwnAll() {
    Path p = files.parquet("SELECT 1 AS id");
    Path q = files.parquet("SELECT 2 AS id");
    TableConfig table = TableConfig.table("t").with("cluster-partitions", List.of("p", "q"));
    try (TallyCluster cluster =
        cluster(table.parquet("p", p).parquet("q", q), table.parquet("q", q))) {
      Map<String, String> options = cluster.options("t");
      assertEquals("2|3", query(options, SUM));
      cluster.node(1).kill();
      assertEquals("2|3", query(options, SUM));
    }
  }

  @Test
  void aKeyThatNoRecordOfAFileHasIsNullThere() {
    Path p = files.json("SELECT 1 AS id, 'x' AS name");
    Path q = files.json("SELECT 2 AS id, 'y' AS title");
    try (TallyCluster cluster = cluster(TableConfig.table("t").json("p", p).json("q", q))) {
      Map<String, String> options = cluster.options("t");
      assertEquals(
          "2|3|x|y", query(options, "SELECT count(*), sum(id), max(name), max(title) FROM t"));
    }
  }

  @Test
  void aColumnThatSparkCannotReadCostsOnlyThatColumn() {
    Path odd =
        files.duckdb(
            "CREATE TABLE odd AS SELECT 7 AS id, '0101'::BIT AS bits, INTERVAL '1' MONTH AS span");
    try (TallyCluster cluster = cluster(TableConfig.table("t").duckdb("o", odd, "odd"))) {
      Map<String, String> options = cluster.options("t");
      assertEquals("7", query(options, "SELECT id FROM t"));
      assertEquals("1", query(options, COUNT));
    }
  }

  private static TallyCluster cluster(TableConfig... tableOfNode) {
    return TallyCluster.of(Stream.of(tableOfNode).map(List::of).toList());
  }

  private static String query(Map<String, String> options, String sql) {
    SparkSession spark = LocalSpark.newSession();
    spark.read().format("tally").options(options).load().createOrReplaceTempView("t");
    return Rows.show(spark.sql(sql).collectAsList().get(0));
  }
}
