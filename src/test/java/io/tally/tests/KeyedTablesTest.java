package io.tally.tests;

import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.file.Path;
import java.util.LinkedHashMap;
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
 * Tables of which each partition has one key alone: Spark joins and groups them by that key without
 * a shuffle. Key 1 of the facts is on both nodes.
 */
class KeyedTablesTest {
  private static final Map<String, String> NO_BROADCAST =
      Map.of("spark.sql.autoBroadcastJoinThreshold", "-1");

  private static final SampleFiles FILES = new SampleFiles();

  private static TallyCluster cluster;
  private static ThreeWays ways;

  @BeforeAll
  static void startNodes() {
    List<Path> facts =
        List.of(facts(1, 0, 100), facts(2, 100, 150), facts(1, 150, 300), facts(3, 300, 310));
    List<Path> dims = List.of(dim(1), dim(2), dim(4));
    cluster =
        TallyCluster.of(
            Map.of(),
            List.of(
                List.of(
                    keyed("facts", facts, new int[] {0, 1}, new int[] {1, 2}),
                    keyed("dims", dims, new int[] {0}, new int[] {1})),
                List.of(
                    keyed("facts", facts, new int[] {2, 3}, new int[] {1, 3}),
                    keyed("dims", dims, new int[] {1, 2}, new int[] {2, 4}))));
    ways =
        ThreeWays.over(
            NO_BROADCAST,
            List.of(
                ThreeWays.Table.parquet(cluster, "facts", facts),
                ThreeWays.Table.parquet(cluster, "dims", dims)));
  }

  private static Path facts(int key, int from, int end) {
    return FILES.parquet(
        "SELECT %d::INT AS k, i::INT AS v FROM range(%d, %d) r(i)".formatted(key, from, end));
  }

  private static Path dim(int key) {
    return FILES.parquet("SELECT %d::INT AS k, 'name %d' AS name".formatted(key, key));
  }

  private static TableConfig keyed(String table, List<Path> files, int[] indices, int[] keys) {
    TableConfig config = TableConfig.table(table).with("partitioned-by", "k");
    for (int i = 0; i < indices.length; i++) {
      Map<String, Object> entry = new LinkedHashMap<>();
      entry.put("id", "p" + indices[i]);
      entry.put("parquet", files.get(indices[i]).toString());
      entry.put("values", List.of(keys[i]));
      config = config.partition(entry);
    }
    return config;
  }

  @AfterAll
  static void stopNodes() {
    try (FILES) {
      if (cluster != null) {
        cluster.close();
      }
    }
  }

  /** The plan as it was run. */
  private static String plan(String sql, Map<String, String> settings) {
    SparkSession spark = LocalSpark.newSession(NO_BROADCAST);
    settings.forEach((key, value) -> spark.conf().set(key, value));
    for (String table : List.of("facts", "dims")) {
      spark
          .read()
          .format("tally")
          .options(cluster.options(table))
          .load()
          .createOrReplaceTempView(table);
    }
    Dataset<Row> query = spark.sql(sql);
    assertTrue(query.collectAsList().size() > 0);
    return query.queryExecution().executedPlan().toString();
  }

  private static void assertNoShuffle(String sql) {
    String keyed = plan(sql, Map.of("spark.sql.sources.v2.bucketing.enabled", "true"));
    assertFalse(keyed.contains("Exchange"), keyed);
    String shuffled = plan(sql, Map.of("spark.sql.sources.v2.bucketing.enabled", "false"));
    assertTrue(shuffled.contains("Exchange"), shuffled);
  }

  @Test
  @DisplayName("PLN-3: a key that is on both nodes is joined and made distinct without a shuffle")
  void keyOnBothNodes() {
    String join =
        "SELECT f.k, count(*), sum(f.v), max(d.name) FROM facts f JOIN dims d ON f.k = d.k"
            + " GROUP BY f.k";
    ways.check(join, "1|250|38625|name 1", "2|50|6225|name 2");
    ways.check("SELECT DISTINCT f.k FROM facts f JOIN dims d ON f.k = d.k", "1", "2");
    ways.check(
        "SELECT f.k, d.k, count(*) FROM facts f FULL JOIN dims d ON f.k = d.k GROUP BY f.k, d.k",
        "1|1|250",
        "2|2|50",
        "3|null|10",
        "null|4|1");
    ways.check("SELECT count(*) FROM facts a JOIN facts b ON a.k = b.k", "65100");
    assertNoShuffle(join);
  }

  @Test
  @DisplayName("Groups, windows and distinct values of a key need no shuffle")
  void groupsOfAKey() {
    String distinct = "SELECT k, count(DISTINCT v % 7) FROM facts GROUP BY k";
    ways.check(distinct, "1|7", "2|7", "3|7");
    assertNoShuffle(distinct);
    String window =
        "SELECT k, v FROM (SELECT k, v, row_number() OVER (PARTITION BY k ORDER BY v DESC) AS n"
            + " FROM facts) WHERE n = 1";
    ways.check(window, "1|299", "2|149", "3|309");
    assertNoShuffle(window);
  }

  @Test
  @DisplayName("Keys that a predicate or a join leaves stay keyed")
  void whatIsLeftStaysKeyed() {
    ways.check(
        "SELECT f.k, count(*) FROM facts f JOIN dims d ON f.k = d.k WHERE f.k > 1 GROUP BY f.k",
        "2|50");
    ways.check(
        "SELECT f.k, count(*) FROM facts f JOIN (SELECT k FROM dims WHERE hash(name) <> 0"
            + " AND length(name) = 6 AND right(name, 1) = '2') d ON f.k = d.k GROUP BY f.k",
        "2|50");
  }

  @Test
  @DisplayName("Rows by key are read by one task a key, and by few where the key is not read")
  void tasks() {
    ThreeWays.Outcome outcome = ways.check("SELECT count(DISTINCT v) FROM facts", "310");
    assertTrue(outcome.plan().contains("Streams: 2"), outcome::plan);
    outcome = ways.check("SELECT count(DISTINCT v, k) FROM facts", "310");
    assertTrue(outcome.plan().contains("Streams: 4"), outcome::plan);
  }
}
