package io.tally.tests;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.lang.reflect.Field;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.apache.spark.Success$;
import org.apache.spark.scheduler.SparkListener;
import org.apache.spark.scheduler.SparkListenerTaskEnd;
import org.apache.spark.scheduler.TaskScheduler;
import org.apache.spark.scheduler.TaskSchedulerImpl;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.SparkSession;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import scala.jdk.javaapi.CollectionConverters;

/**
 * Three nodes of which some hold the same partitions, and die or change. Table {@code twice} is on
 * the first two, each with all partitions. Of table {@code whole} the first holds all, the others
 * one and two. Of table {@code spread} the first holds two small partitions, of which each of the
 * others has one, beside a large one of its own. Table {@code moved} is on the first alone.
 */
class ReplicasTest {
  private static final String ROWS =
      "SELECT id AS i, concat('k', id %% 7) AS k, if(id %% 11 = 0, NULL, id * 3) AS l,"
          + " cast(xxhash64(id) AS STRING) AS x FROM range(%d, %d)";

  private static final int FILES = 6;
  private static final long ROWS_OF_A_FILE = 20_000;
  private static final List<String> PARTITIONS = List.of("p0", "p1", "p2");
  private static final long LIMIT_SECONDS = 120;

  private static final String GROUPED = "SELECT k, count(*), sum(l), min(x) FROM %s GROUP BY k";
  private static final String ALL_ROWS = "SELECT count(*), sum(xxhash64(x, i) %% 1000) FROM %s";
  private static final String DISTINCT = "SELECT k, count(DISTINCT l) FROM %s GROUP BY k";
  private static final String FIRST = "SELECT i, x FROM %s ORDER BY x LIMIT 5";

  /** Sends rows, and has each task stop at its first one. */
  private static final String SLOW =
      "SELECT count(*), sum(gate(i)), sum(xxhash64(x, i) % 1000) FROM twice";

  private static SparkFiles files;
  private static List<Path> paths;
  private static TallyCluster cluster;
  private static ThreeWays ways;

  private final ExecutorService background = Executors.newSingleThreadExecutor();

  @BeforeAll
  static void startNodes() {
    SparkSession spark = LocalSpark.newSession();
    files = new SparkFiles();
    paths =
        IntStream.range(0, FILES)
            .mapToObj(
                file ->
                    files.parquet(
                        spark.sql(
                            ROWS.formatted(file * ROWS_OF_A_FILE, (file + 1) * ROWS_OF_A_FILE))))
            .toList();
    cluster =
        TallyCluster.of(
            List.of(
                tablesOfTheFirst(PARTITIONS),
                List.of(
                    table("twice", 0, 1, 2),
                    table("whole", 0),
                    spread().parquet("b", paths.get(0), paths.get(1)).parquet("x", paths.get(4))),
                List.of(
                    table("whole", 1, 2),
                    spread().parquet("c", paths.get(2), paths.get(3)).parquet("y", paths.get(5)))));
    ways =
        ThreeWays.over(
            Map.of(),
            List.of("twice", "whole", "spread", "moved").stream()
                .map(ReplicasTest::threeWays)
                .toList());
  }

  private static List<TableConfig> tablesOfTheFirst(List<String> idsOfMoved) {
    TableConfig moved = TableConfig.table("moved");
    for (int partition = 0; partition < idsOfMoved.size(); partition++) {
      moved = moved.parquet(idsOfMoved.get(partition), filesOf(partition));
    }
    return List.of(
        table("twice", 0, 1, 2),
        table("whole", 0, 1, 2),
        spread().parquet("x", paths.get(4)).parquet("y", paths.get(5)),
        moved);
  }

  private static Path[] filesOf(int partition) {
    return paths.subList(2 * partition, 2 * partition + 2).toArray(new Path[0]);
  }

  private static TableConfig table(String name, int... partitions) {
    TableConfig table = TableConfig.table(name).with("cluster-partitions", PARTITIONS);
    for (int partition : partitions) {
      table = table.parquet(PARTITIONS.get(partition), filesOf(partition));
    }
    return table;
  }

  private static TableConfig spread() {
    return TableConfig.table("spread").with("cluster-partitions", List.of("b", "c", "x", "y"));
  }

  /** With windows so small that most of a stream of rows is still on the node. */
  private static ThreeWays.Table threeWays(String name) {
    ThreeWays.Table table = ThreeWays.Table.parquet(cluster, name, paths);
    Map<String, String> options = new LinkedHashMap<>(table.options());
    options.put("max-batch-bytes", "65536");
    options.put("window-bytes", "131072");
    options.put("reconnect-backoff-ms", "10");
    options.put("reconnect-backoff-max-ms", "50");
    return new ThreeWays.Table(name, options, table.plain());
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

  @BeforeEach
  void startThoseThatAreDown() {
    List<TallyNode> down = cluster.nodes().stream().filter(node -> !node.isAlive()).toList();
    down.forEach(TallyNode::launch);
    down.forEach(TallyNode::awaitReady);
    // Readers ask it last for a while, unless they hear that it is back.
    ways.pushed(ALL_ROWS.formatted("moved"));
  }

  @AfterEach
  void stopBackground() throws InterruptedException {
    background.shutdownNow();
    assertTrue(background.awaitTermination(LIMIT_SECONDS, TimeUnit.SECONDS));
  }

  @Test
  @DisplayName("Replicas share the rows, and one answers what does not add up")
  void whoAnswers() {
    Map<String, Long> rows =
        table(LocalSpark.newSession(), "twice").groupBy("_node").count().collectAsList().stream()
            .collect(Collectors.toMap(row -> row.getString(0), row -> row.getLong(1)));
    assertEquals(Set.of("node-a", "node-b"), rows.keySet());
    assertEquals(Set.of(2 * ROWS_OF_A_FILE, 4 * ROWS_OF_A_FILE), Set.copyOf(rows.values()));
    for (String table : List.of("twice", "whole")) {
      String plan = ways.check(DISTINCT.formatted(table)).plan();
      assertTrue(plan.contains("(complete)") && plan.contains("Streams: 1"), plan);
    }
    String plan = ways.check(GROUPED.formatted("twice")).plan();
    assertTrue(plan.contains("(partial)") && plan.contains("Streams: 2"), plan);
  }

  @Test
  @DisplayName("A node that dies behind its first rows fails tasks, which begin with its replica")
  void killedBehindFirstRows() throws Exception {
    List<String> planned =
        List.of(
            GROUPED.formatted("twice"),
            DISTINCT.formatted("twice"),
            FIRST.formatted("twice"),
            GROUPED.formatted("spread"),
            ALL_ROWS.formatted("spread"));
    SparkSession spark = session();
    List<Dataset<Row>> plans = planned.stream().map(sql -> tasksPlanned(spark.sql(sql))).toList();
    Dataset<Row> ofOneOwner = tasksPlanned(spark.sql(DISTINCT.formatted("whole")));
    Dataset<Row> notAskedYet = ways.plan(GROUPED.formatted("whole"));
    FailedTask failed = new FailedTask();
    spark.sparkContext().addSparkListener(failed);
    try (Gate gate = Gate.in(spark);
        TaskFailures failures = new TaskFailures(spark)) {
      failures.allow(2);
      Dataset<Row> slow = tasksPlanned(spark.sql(SLOW));
      // So that the one at the gate is the first node's.
      cluster.node(1).pause();
      Future<String> answer = background.submit(() -> Rows.show(slow.collectAsList().get(0)));
      gate.awaitTask();
      cluster.node(1).resume();
      cluster.node(0).kill();
      gate.open();
      assertEquals(expected(spark), answer.get(LIMIT_SECONDS, TimeUnit.SECONDS));
      failed.await();
    } finally {
      cluster.node(1).resume();
      spark.sparkContext().removeSparkListener(failed);
    }

    // Tasks that were planned with the dead node, those that were not planned yet, and new plans.
    for (int i = 0; i < planned.size(); i++) {
      assertEquals(
          answer(spark, planned.get(i).replaceAll("FROM \\w+", "FROM plain")),
          sorted(plans.get(i)),
          planned.get(i));
    }
    ThreeWays.Outcome anew = ways.check(GROUPED.formatted("whole"));
    ThreeWays.checkPlanned(
        GROUPED.formatted("whole"), notAskedYet, notAskedYet.collectAsList(), anew);
    Refusal refusal = Refusal.of(assertThrows(Exception.class, ofOneOwner::collectAsList));
    assertEquals("NODE_UNREACHABLE", refusal.code(), refusal::message);
    assertTrue(refusal.message().contains(cluster.node(0).address()), refusal::message);
    String plan = ways.check(DISTINCT.formatted("whole")).plan();
    assertTrue(plan.contains("DISTINCT values of several streams overlap"), plan);

    cluster.node(2).kill();
    Refusal lost =
        Refusal.of(assertThrows(Exception.class, () -> ways.check(GROUPED.formatted("whole"))));
    assertEquals("PARTITION_WITHOUT_OWNER", lost.code(), lost::message);
    assertTrue(
        lost.message().contains("partitions \"p1\", \"p2\" of table \"whole\""), lost::message);
  }

  @Test
  @DisplayName("A node that dies before its first row is no matter for Spark")
  void killedBeforeFirstRow() throws Exception {
    SparkSession spark = session();
    try (Gate gate = Gate.in(spark)) {
      Dataset<Row> slow = tasksPlanned(spark.sql(SLOW));
      cluster.node(0).pause();
      Future<String> answer = background.submit(() -> Rows.show(slow.collectAsList().get(0)));
      gate.awaitTask();
      cluster.node(0).kill();
      gate.open();
      assertEquals(expected(spark), answer.get(LIMIT_SECONDS, TimeUnit.SECONDS));
      assertEquals(1, failovers(slow));
    }
  }

  @Test
  @DisplayName("A table that is cut anew is planned anew, or fails by name")
  void repartitioned() {
    SparkSession spark = session();
    String sql = GROUPED.formatted("moved");
    Dataset<Row> begun = tasksPlanned(spark.sql(sql));
    // Of a table of its own: a query that is planned a moment after another has begun reads what
    // that one
    // reads.
    Dataset<Row> planned = session().sql(sql);
    planned.queryExecution().executedPlan();
    Dataset<Row> held = table(spark, "moved");
    Dataset<Row> cached = held.select("i", "l").cache();
    cluster.node(0).close();
    cluster.node(0).start(tablesOfTheFirst(List.of("q0", "q1", "q2")));

    Refusal refusal = Refusal.of(assertThrows(Exception.class, begun::collectAsList));
    assertEquals("LAYOUT_CHANGED", refusal.code(), refusal::message);
    assertTrue(refusal.message().contains("build it again"), refusal::message);
    ThreeWays.Outcome anew = ways.check(sql);
    ThreeWays.checkPlanned(sql, planned, planned.collectAsList(), anew);
    assertEquals(FILES * ROWS_OF_A_FILE, cached.count());
    cached.unpersist();
    assertEquals(
        Set.of("q0", "q1", "q2"),
        held.select("_partition").distinct().collectAsList().stream()
            .map(row -> row.getString(0))
            .collect(Collectors.toSet()));
  }

  /** The query with tasks that are settled, as those of one that has begun. */
  private static Dataset<Row> tasksPlanned(Dataset<Row> query) {
    query.queryExecution().toRdd();
    return query;
  }

  private static long failovers(Dataset<Row> query) {
    return CollectionConverters.asJava(query.queryExecution().executedPlan().collectLeaves())
        .stream()
        .mapToLong(leaf -> leaf.metrics().apply("tallyFailovers").value())
        .sum();
  }

  /** Without adaptive execution, which plans tasks when it comes to them. */
  private static SparkSession session() {
    SparkSession spark = LocalSpark.newSession(Map.of("spark.sql.adaptive.enabled", "false"));
    for (String name : List.of("twice", "whole", "spread", "moved")) {
      table(spark, name).createOrReplaceTempView(name);
    }
    return spark;
  }

  private static Dataset<Row> table(SparkSession spark, String name) {
    return spark.read().format("tally").options(threeWays(name).options()).load();
  }

  private static String expected(SparkSession spark) {
    return answer(spark, SLOW.replace("gate(i)", "i").replace("FROM twice", "FROM plain")).get(0);
  }

  /** Spark's own, over the same files as table {@code plain}. */
  private static List<String> answer(SparkSession spark, String sql) {
    threeWays("twice").plain().apply(spark).createOrReplaceTempView("plain");
    return sorted(spark.sql(sql));
  }

  private static List<String> sorted(Dataset<Row> query) {
    return query.collectAsList().stream().map(Rows::show).sorted().toList();
  }

  /** Waits for word of a task that has failed. */
  private static final class FailedTask extends SparkListener {
    private final CountDownLatch seen = new CountDownLatch(1);

    @Override
    public void onTaskEnd(SparkListenerTaskEnd end) {
      if (!end.reason().equals(Success$.MODULE$)) {
        seen.countDown();
      }
    }

    void await() throws InterruptedException {
      assertTrue(seen.await(LIMIT_SECONDS, TimeUnit.SECONDS), "no task has failed");
    }
  }

  /**
   * Lets Spark run a task again, as every cluster does and local mode only if it is said in the
   * master's name; a second Spark in this JVM is not possible.
   */
  private static final class TaskFailures implements AutoCloseable {
    private final TaskScheduler scheduler;
    private final Field field;
    private final int before;

    TaskFailures(SparkSession spark) throws ReflectiveOperationException {
      this.scheduler = spark.sparkContext().taskScheduler();
      this.field = TaskSchedulerImpl.class.getDeclaredField("maxTaskFailures");
      field.setAccessible(true);
      this.before = field.getInt(scheduler);
    }

    void allow(int most) throws ReflectiveOperationException {
      field.setInt(scheduler, most);
    }

    @Override
    public void close() throws ReflectiveOperationException {
      field.setInt(scheduler, before);
    }
  }
}
