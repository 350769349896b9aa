package io.tally.tests;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.SparkSession;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledIf;

/**
 * Three nodes in containers, as {@code examples/compose} has them. Spark asks them while one is
 * stopped, paused, restarted or cut off: what only that one has is an error with a code, what the
 * others have too is answered, and as soon as it is back all is as before.
 */
@EnabledIf(
    value = "io.tally.tests.ContainerImage#canBeBuilt",
    disabledReason = "no Docker engine answers, or there is no docker command")
class ContainersTest {
  private static final long LIMIT_SECONDS = 120;

  /** For those who wait for a node that is paused: no longer than a busy machine needs. */
  private static final Map<String, String> IMPATIENT =
      Map.of("describe-timeout-ms", "5000", "silence-timeout-ms", "5000");

  /** Of what one node alone has. */
  private static final String BY_ORIGIN =
      "SELECT origin, count(*), sum(delay), max(distance) FROM flights GROUP BY origin";

  /** Of what each node has. */
  private static final String BY_STATE =
      "SELECT state, count(*), min(iata) FROM airports GROUP BY state";

  /** Sends rows, and has each task stop at its first one. */
  private static final String SLOW =
      "SELECT count(*), sum(gate(CAST(distance AS BIGINT))), sum(xxhash64(origin, delay) % 1000) FROM flights";

  /** When a node is known to be away. */
  private static final Set<String> AWAY =
      Set.of("PARTITION_WITHOUT_OWNER", "NODE_UNREACHABLE", "NODE_SILENT");

  /** When a node goes in the middle of a stream. */
  private static final Set<String> LOST =
      Set.of("SCAN_LOST", "NODE_UNREACHABLE", "NODE_SILENT", "SHUTTING_DOWN");

  private static ContainerImage image;
  private static ContainerCluster cluster;
  private static ThreeWays ways;
  private static ThreeWays.Outcome byState;

  private final ExecutorService background = Executors.newSingleThreadExecutor();

  @BeforeAll
  static void startContainers() {
    image = ContainerImage.build();
    cluster = ContainerCluster.start(image);
    ways = ThreeWays.over(Map.of(), List.of(flights(), airports()));
    // While all nodes answer: defines the tables, too.
    ways.check(BY_ORIGIN);
    byState = ways.check(BY_STATE);
  }

  private static ThreeWays.Table flights() {
    String[] files =
        Stream.of("2001-01", "2001-02", "2001-03", "2001-04", "2001-05", "2001-06")
            .map(Home::flights)
            .map(Path::toString)
            .toArray(String[]::new);
    return new ThreeWays.Table("flights", options("flights"), spark -> spark.read().parquet(files));
  }

  private static ThreeWays.Table airports() {
    return new ThreeWays.Table(
        "airports",
        options("airports"),
        spark ->
            spark
                .read()
                .option("header", "true")
                .option("inferSchema", "true")
                .csv(Home.airports().toString()));
  }

  /** With windows so small that most of a stream of rows is still on its node. */
  private static Map<String, String> options(String table) {
    Map<String, String> options = new LinkedHashMap<>();
    options.put("endpoints", cluster.endpoints());
    options.put("table", table);
    options.put("max-batch-bytes", "65536");
    options.put("window-bytes", "131072");
    options.put("reconnect-backoff-ms", "50");
    options.put("reconnect-backoff-max-ms", "500");
    return options;
  }

  @AfterAll
  static void removeContainers() {
    ContainerImage removedLast = image;
    try (removedLast) {
      if (cluster != null) {
        System.err.println(cluster.logs());
        cluster.close();
      }
    }
  }

  @AfterEach
  void stopBackground() throws InterruptedException {
    background.shutdownNow();
    assertTrue(background.awaitTermination(LIMIT_SECONDS, TimeUnit.SECONDS));
    LocalSpark.awaitNoTasks();
  }

  @Test
  @DisplayName("All containers run: answers are Spark's, and the engine finds them healthy")
  void allRun() {
    ThreeWays.Outcome outcome = ways.check(BY_ORIGIN);
    assertTrue(outcome.plan().contains("PushedGroupBy: [origin]"), outcome.plan());
    ways.check(
        "SELECT state, count(*) FROM flights JOIN airports ON origin = iata"
            + " WHERE date >= TIMESTAMP_NTZ '2001-06-01' GROUP BY state");
    cluster.each(ContainerNode::awaitHealthy);
  }

  @Test
  @DisplayName("A container that is stopped ends in order, and is back when it is started")
  void stopped() {
    SparkSession spark = session(Map.of());
    assertEquals(0, cluster.node(1).stop(), cluster::logs);
    try {
      assertOneIsAway(spark);
    } finally {
      cluster.node(1).startAgain();
    }
    ways.check(BY_ORIGIN);
  }

  @Test
  @DisplayName("A container that is paused is given up, before a query and in its middle")
  void paused() {
    SparkSession spark = session(IMPATIENT);
    Dataset<Row> planned = tasksPlanned(spark.sql(BY_ORIGIN));
    cluster.node(2).pause();
    try {
      assertFails("NODE_SILENT", planned);
      assertOneIsAway(spark);
    } finally {
      cluster.node(2).resume();
    }
    ways.check(BY_ORIGIN);
  }

  @Test
  @DisplayName("Containers that are killed in the middle of streams and start again")
  void restarted() throws Exception {
    inTheMiddle(() -> cluster.each(ContainerNode::restart));
    ways.check(BY_ORIGIN);
  }

  @Test
  @DisplayName("A container that is cut off the network is away, and is back when it is joined")
  void cutOff() {
    SparkSession spark = session(Map.of());
    Dataset<Row> planned = tasksPlanned(spark.sql(BY_ORIGIN));
    cluster.node(0).cut();
    try {
      assertFails("NODE_UNREACHABLE", planned);
      assertOneIsAway(spark);
    } finally {
      cluster.node(0).join();
    }
    ways.check(BY_ORIGIN);
  }

  @Test
  @DisplayName("Containers that are off the network for a moment in the middle of streams")
  void cutOffForAMoment() throws Exception {
    inTheMiddle(
        () -> {
          cluster.each(ContainerNode::cut);
          cluster.each(ContainerNode::join);
        });
    ways.check(BY_ORIGIN);
  }

  @Test
  @DisplayName("A place for temporary files that runs no libraries is said in one line")
  void temporaryFilesMustBeExecutable() {
    String command =
        "docker run --rm --network none --read-only --tmpfs /tmp:noexec -e TALLY_NODE=x -e FIRST_MONTH=2001-01"
            + " -e SECOND_MONTH=2001-02 -e END=2001-03-01"
            + " -v $PWD/examples/compose/node.yaml:/etc/tally/node.yaml:ro"
            + " -v $PWD/examples/data:/data:ro "
            + image.name();
    try (ScriptRun run = new ScriptRun("bash", "-c", command)) {
      assertEquals(1, run.awaitExit(), run::errors);
      assertTrue(run.errors().contains("has to allow that they are run from there"), run::errors);
      assertTrue(run.errors().lines().noneMatch(it -> it.startsWith("\tat ")), run::errors);
    }
  }

  @Test
  @DisplayName("The commands of the example start a cluster, and end it")
  @EnabledIf(
      value = "io.tally.tests.ComposeExample#canBeRun",
      disabledReason = "there is no Docker Compose")
  void composed() {
    try (ComposeExample example = new ComposeExample(image)) {
      example.start();
      SparkSession spark = LocalSpark.newSession();
      Dataset<Row> flights =
          spark
              .read()
              .format("tally")
              .option("endpoints", example.endpoints())
              .option("table", "flights")
              .load();
      assertEquals(
          List.of("node-a|966409", "node-b|1012532", "node-c|1021059"),
          flights.groupBy("_node").count().orderBy("_node").collectAsList().stream()
              .map(Rows::show)
              .toList());
      example.stop();
      Refusal refusal = Refusal.of(assertThrows(Exception.class, flights::count));
      assertTrue(AWAY.contains(refusal.code()), refusal::toString);
    }
  }

  /** Of the flights a part is missing; each node has the airports. */
  private static void assertOneIsAway(SparkSession spark) {
    Refusal refusal =
        Refusal.of(assertThrows(Exception.class, () -> spark.sql(BY_ORIGIN).collectAsList()));
    assertTrue(AWAY.contains(refusal.code()), refusal::toString);
    List<Row> rows = spark.sql(BY_STATE).collectAsList();
    assertTrue(Rows.same(rows, byState.rows(), false), () -> Rows.show(rows));
  }

  /**
   * The whole answer or an error with a code, whatever happens while tasks hold their first row.
   */
  private void inTheMiddle(Runnable trouble) throws Exception {
    SparkSession spark = session(Map.of());
    flights().plain().apply(spark).createOrReplaceTempView("plain");
    try (Gate gate = Gate.in(spark)) {
      Dataset<Row> slow = tasksPlanned(spark.sql(SLOW));
      Future<String> answer = background.submit(() -> Rows.show(slow.collectAsList()));
      gate.awaitTask();
      trouble.run();
      gate.open();
      Row right =
          spark.sql(SLOW.replace("gate(", "(").replace("FROM flights", "FROM plain")).head();
      assertRightOrTyped(Rows.show(List.of(right)), answer);
    }
  }

  private static void assertRightOrTyped(String right, Future<String> answer) throws Exception {
    try {
      assertEquals(right, answer.get(LIMIT_SECONDS, TimeUnit.SECONDS));
    } catch (ExecutionException e) {
      Refusal refusal = Refusal.of(e.getCause());
      assertTrue(LOST.contains(refusal.code()), refusal::toString);
    }
  }

  private static void assertFails(String code, Dataset<Row> query) {
    Refusal refusal = Refusal.of(assertThrows(Exception.class, query::collectAsList));
    assertEquals(code, refusal.code(), refusal::message);
  }

  /** Without adaptive execution, which plans tasks when it comes to them. */
  private static SparkSession session(Map<String, String> options) {
    SparkSession spark = LocalSpark.newSession(Map.of("spark.sql.adaptive.enabled", "false"));
    for (ThreeWays.Table table : List.of(flights(), airports())) {
      spark
          .read()
          .format("tally")
          .options(table.options())
          .options(options)
          .load()
          .createOrReplaceTempView(table.name());
    }
    return spark;
  }

  /** The query with tasks that are settled, as those of one that has begun. */
  private static Dataset<Row> tasksPlanned(Dataset<Row> query) {
    query.queryExecution().toRdd();
    return query;
  }
}
