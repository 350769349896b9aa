package io.tally.tests;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.tally.rpc.TallyException;
import io.tally.server.fixture.LinkProxy;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
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
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.apache.spark.sql.SparkSession;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Nodes die and queries are cancelled in their middle: never a short answer, nothing left over. */
class FaultTest {
  /** Sends every column, and row by row through the gate. */
  private static final String SLOW =
      "SELECT count(*), sum(gate(delay)), sum(xxhash64(date, distance, origin, destination) % 1000)"
          + " FROM flights";

  private static final long LIMIT_SECONDS = 120;

  /** What a node that is killed may leave in its temporary folder: no unpacked engine. */
  private static final long MOST_BYTES_LEFT = 1 << 20;

  /** The node's one line for each scan that has ended. */
  private static final Pattern SCAN_ENDS =
      Pattern.compile("ScanLog scan .* millis \\d+: ([A-Z_]+)");

  private final ExecutorService background = Executors.newSingleThreadExecutor();
  private TallyCluster cluster;
  private Map<String, String> options;
  private SparkSession spark;

  @BeforeEach
  void start() {
    cluster = TallyCluster.flights(Map.of("limits", Map.of("stop-grace-millis", 1_000)));
    spark = LocalSpark.newSession();
    // So small a window that most of a stream is still on the node when the query stops.
    options = new LinkedHashMap<>(cluster.options("flights"));
    options.put("max-batch-bytes", "65536");
    options.put("window-bytes", "262144");
    options.put("silence-timeout-ms", "20000");
    options.put("reconnect-backoff-ms", "10");
    options.put("reconnect-backoff-max-ms", "50");
    spark.read().format("tally").options(options).load().createOrReplaceTempView("flights");
  }

  @AfterEach
  void stop() throws InterruptedException {
    background.shutdownNow();
    assertTrue(background.awaitTermination(LIMIT_SECONDS, TimeUnit.SECONDS));
    cluster.close();
  }

  @Test
  void connectionsThatBreakInTheMiddleChangeNothing() throws Exception {
    List<LinkProxy> proxies =
        cluster.nodes().stream().map(node -> new LinkProxy(node.port())).toList();
    try (Gate gate = Gate.in(spark)) {
      options.put(
          "endpoints",
          proxies.stream().map(it -> "127.0.0.1:" + it.port()).collect(Collectors.joining(",")));
      spark.read().format("tally").options(options).load().createOrReplaceTempView("cut_flights");
      Future<String> answer =
          background.submit(
              () -> Rows.show(spark.sql(SLOW.replace("FROM flights", "FROM cut_flights")).head()));
      gate.awaitTask();
      int before = proxies.stream().mapToInt(LinkProxy::connections).sum();
      proxies.forEach(LinkProxy::cutNow);
      gate.open();
      assertEquals(Rows.show(spark.sql(SLOW).head()), answer.get(LIMIT_SECONDS, TimeUnit.SECONDS));
      assertTrue(proxies.stream().mapToInt(LinkProxy::connections).sum() > before);
    } finally {
      proxies.forEach(LinkProxy::close);
    }
  }

  @Test
  void allNodesKilledInTheMiddle() throws Exception {
    try (Gate gate = Gate.in(spark)) {
      Future<String> answer = background.submit(() -> Rows.show(spark.sql(SLOW).head()));
      gate.awaitTask();
      for (int i = 0; i < 3; i++) {
        cluster.node(i).kill();
      }
      gate.open();
      assertFailsByName(answer);
    }
  }

  @Test
  void oneNodeKilledInTheMiddleAndStartedAgain() throws Exception {
    try (Gate gate = Gate.in(spark)) {
      Future<String> answer = background.submit(() -> Rows.show(spark.sql(SLOW).head()));
      gate.awaitTask();
      cluster.node(2).kill();
      gate.open();
      assertFailsByName(answer);
    }
    Path left = cluster.node(2).temporaryFolder();
    assertTrue(bytesIn(left) < MOST_BYTES_LEFT, () -> "left behind: " + filesIn(left));
    cluster.node(2).start();
    assertEquals("3000000", Rows.show(spark.sql("SELECT count(*) FROM flights").head()));
  }

  @Test
  void aNodeThatIsAskedToStopEndsItsScans() throws Exception {
    try (Gate gate = Gate.in(spark)) {
      Future<String> answer = background.submit(() -> Rows.show(spark.sql(SLOW).head()));
      gate.awaitTask();
      // It gives the scans that stand at the gate some time, and then ends them.
      cluster.node(2).stop();
      gate.open();
      assertFailsByName(answer);
    }
  }

  @Test
  void aQueryFreesTheNodesWhenItIsCancelled() throws Exception {
    String group = "cancelled";
    try (Gate gate = Gate.in(spark)) {
      Future<String> answer =
          background.submit(
              () -> {
                spark.sparkContext().setJobGroup(group, "to be cancelled", true);
                return Rows.show(spark.sql(SLOW).head());
              });
      gate.awaitTask();
      spark.sparkContext().cancelJobGroup(group);
      ExecutionException e =
          assertThrows(ExecutionException.class, () -> answer.get(LIMIT_SECONDS, TimeUnit.SECONDS));
      assertTrue(e.getMessage().contains("cancelled"), e.getMessage());
    }
    assertEquals("3000000", Rows.show(spark.sql("SELECT count(*) FROM flights").head()));
    for (int i = 0; i < 3; i++) {
      cluster.node(i).stop();
    }
    // A scan that was left over would be ended by the stop, under another name.
    assertEquals(Set.of("CANCELLED", "OK"), endsOfScans(cluster.logs()));
  }

  private static Set<String> endsOfScans(String logs) {
    return SCAN_ENDS.matcher(logs).results().map(it -> it.group(1)).collect(Collectors.toSet());
  }

  private static void assertFailsByName(Future<String> answer) {
    ExecutionException e =
        assertThrows(ExecutionException.class, () -> answer.get(LIMIT_SECONDS, TimeUnit.SECONDS));
    Throwable cause = e;
    while (cause != null && !(cause instanceof TallyException)) {
      cause = cause.getCause();
    }
    if (cause == null) {
      throw new AssertionError("not an error of ours", e);
    }
    assertTrue(
        cause.getMessage().contains("node-") || cause.getMessage().contains("127.0.0.1"),
        cause::getMessage);
  }

  private static List<String> filesIn(Path folder) {
    try (Stream<Path> files = Files.walk(folder)) {
      return files.map(file -> file + " " + file.toFile().length()).toList();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static long bytesIn(Path folder) throws IOException {
    try (Stream<Path> files = Files.walk(folder)) {
      return files.filter(Files::isRegularFile).mapToLong(file -> file.toFile().length()).sum();
    }
  }
}
