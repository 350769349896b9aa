package io.tally.tests;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.sun.net.httpserver.HttpServer;
import io.grpc.Server;
import io.grpc.netty.NettyServerBuilder;
import io.tally.rpc.TallyException;
import io.tally.rpc.v1.ErrorCode;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.Arrays;
import java.util.Deque;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.SparkSession;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * One table of what can be wrong with what a user gives: each is answered by a typed error with a
 * sentence that says what to do, nothing hangs, and the nodes go on.
 */
class BadInputTest {
  private static SampleFiles files;
  private static TallyCluster good;

  /** What a single test has opened, last first. */
  private final Deque<AutoCloseable> opened = new ArrayDeque<>();

  @BeforeAll
  static void startNodes() {
    files = new SampleFiles();
    good =
        TallyCluster.of(
            List.of(
                List.of(
                    table("events", "a", 1, 2),
                    TableConfig.table("wide").parquet("w", files.parquet(WIDE_ROW)),
                    TableConfig.table("odd").duckdb("o", files.duckdb(ODD_TABLE), "odd")),
                List.of(table("events", "b", 3))));
  }

  @AfterAll
  static void stopNodes() {
    try (SampleFiles toDelete = files;
        TallyCluster toStop = good) {
      assertTrue(toDelete != null && toStop != null);
    }
  }

  @AfterEach
  void closeAll() throws Exception {
    while (!opened.isEmpty()) {
      opened.pop().close();
    }
    assertEquals("3", query(good.options("events"), "SELECT count(*) FROM t"), "afterwards");
  }

  /** Gives the options for a wrong query; may start what it needs. */
  private interface Setup {
    Map<String, String> options(BadInputTest test) throws IOException;
  }

  /**
   * A query that must fail.
   *
   * @param words what the message must name, so that the user knows where to look
   */
  record WrongQuery(String name, Setup setup, String sql, ErrorCode code, List<String> words) {
    @Override
    public String toString() {
      return name;
    }
  }

  /** A node that must refuse to start. */
  record WrongNode(String name, Map<String, Object> extra, TableConfig table, List<String> words) {
    @Override
    public String toString() {
      return name;
    }
  }

  private static final String COUNT = "SELECT count(*) FROM t";
  private static final String ROWS = "SELECT * FROM t";
  private static final String WIDE_ROW = "SELECT 1 AS id, repeat('x', 5000000) AS s";
  private static final String ODD_TABLE =
      "CREATE TABLE odd AS SELECT 7 AS id, '0101'::BIT AS bits, INTERVAL '1' MONTH AS span";

  static Stream<WrongQuery> wrongQueries() {
    return Stream.of(
        // Names.
        wrong(
            "unknown table",
            test -> with(good.options("events"), "table", "event"),
            COUNT,
            ErrorCode.TABLE_NOT_FOUND,
            "event",
            "events"),
        wrong(
            "unknown option",
            test -> with(good.options("events"), "endpoint", "x:1"),
            COUNT,
            ErrorCode.INVALID_REQUEST,
            "\"endpoint\"",
            "did you mean \"endpoints\""),
        wrong(
            "no table",
            test -> Map.of("endpoints", good.endpoints()),
            COUNT,
            ErrorCode.INVALID_REQUEST,
            "table"),
        wrong(
            "no endpoints",
            test -> Map.of("table", "events"),
            COUNT,
            ErrorCode.INVALID_REQUEST,
            "endpoints"),
        wrong(
            "a value that is neither true nor false",
            test -> with(good.options("events"), "push-down", "maybe"),
            COUNT,
            ErrorCode.INVALID_REQUEST,
            "push-down",
            "maybe"),
        wrong(
            "a number that is none",
            test -> with(good.options("events"), "window-bytes", "16MB"),
            COUNT,
            ErrorCode.INVALID_REQUEST,
            "window-bytes",
            "16MB"),
        wrong(
            "an endpoint without a port",
            test -> with(good.options("events"), "endpoints", "localhost"),
            COUNT,
            ErrorCode.INVALID_REQUEST,
            "localhost"),
        // Addresses.
        wrong(
            "nothing listens",
            test -> with(good.options("events"), "endpoints", closedPort()),
            COUNT,
            ErrorCode.NODE_UNREACHABLE,
            "127.0.0.1:"),
        wrong(
            "one of the endpoints is down, and nobody knows what it holds",
            test ->
                with(good.options("events"), "endpoints", good.endpoints() + "," + closedPort()),
            COUNT,
            ErrorCode.NODE_UNREACHABLE,
            "127.0.0.1:"),
        wrong(
            "a web server",
            test -> with(good.options("events"), "endpoints", test.webServer()),
            COUNT,
            ErrorCode.NOT_A_TALLY_NODE,
            "127.0.0.1:"),
        wrong(
            "another gRPC server",
            test -> with(good.options("events"), "endpoints", test.grpcServer()),
            COUNT,
            ErrorCode.NOT_A_TALLY_NODE,
            "127.0.0.1:"),
        wrong(
            "a port that accepts and is silent",
            test ->
                with(
                    with(good.options("events"), "endpoints", test.silentServer()),
                    "describe-timeout-ms",
                    "1000"),
            COUNT,
            ErrorCode.NODE_SILENT,
            "127.0.0.1:"),
        // Clusters.
        wrong(
            "two nodes hold different rows under one partition id",
            test -> test.nodes(table("t", "p", 1, 2), table("t", "p", 1, 3)),
            COUNT,
            ErrorCode.CLUSTER_INCONSISTENT,
            "\"p\"",
            "node-a",
            "node-b"),
        wrong(
            "two nodes disagree on a column",
            test ->
                test.nodes(
                    table("t", "p", 1),
                    TableConfig.table("t").parquet("q", files.parquet("SELECT 'x' AS id"))),
            COUNT,
            ErrorCode.CLUSTER_INCONSISTENT,
            "id"),
        wrong(
            "a partition that no node owns",
            test -> test.nodes(table("t", "p", 1).with("cluster-partitions", List.of("p", "q"))),
            COUNT,
            ErrorCode.PARTITION_WITHOUT_OWNER,
            "\"q\""),
        wrong(
            "the owner of a partition is down",
            test -> {
              TallyCluster cluster =
                  test.cluster(
                      table("t", "p", 1).with("cluster-partitions", List.of("p", "q")),
                      table("t", "q", 2).with("cluster-partitions", List.of("p", "q")));
              cluster.node(1).kill();
              return cluster.options("t");
            },
            COUNT,
            ErrorCode.PARTITION_WITHOUT_OWNER,
            "\"q\""),
        // Data.
        wrong(
            "a row that is too large",
            test ->
                with(
                    with(good.options("wide"), "max-batch-bytes", "100000"),
                    "max-row-bytes",
                    "1000000"),
            ROWS,
            ErrorCode.ROW_TOO_LARGE,
            "wide",
            "\"s\"",
            "1000000"),
        wrong(
            "a file that was deleted while the node runs",
            test -> {
              Path file = files.parquet("SELECT 1 AS id");
              Map<String, String> options = test.nodes(TableConfig.table("t").parquet("p", file));
              Files.delete(file);
              return options;
            },
            ROWS,
            ErrorCode.DATA_UNREADABLE,
            "\"p\""),
        wrong(
            "a file that was cut while the node runs",
            test -> {
              Path file = files.parquet("SELECT i AS id, hash(i) AS h FROM range(100000) r(i)");
              Map<String, String> options = test.nodes(TableConfig.table("t").parquet("p", file));
              byte[] content = Files.readAllBytes(file);
              Files.write(file, Arrays.copyOf(content, content.length / 2));
              return options;
            },
            ROWS,
            ErrorCode.LAYOUT_CHANGED,
            "\"p\""));
  }

  @ParameterizedTest
  @MethodSource
  void wrongQueries(WrongQuery wrong) throws IOException {
    Map<String, String> options = wrong.setup().options(this);
    Exception e = assertThrows(Exception.class, () -> query(options, wrong.sql()));
    TallyException failure = tallyException(e);
    assertEquals(wrong.code(), failure.code(), failure.getMessage());
    for (String word : wrong.words()) {
      assertTrue(failure.getMessage().contains(word), word + " is not in: " + failure.getMessage());
    }
  }

  static Stream<WrongNode> wrongNodes() {
    Path rows = files.parquet("SELECT 1 AS id, DATE '2001-02-03' AS d");
    byte[] content = read(rows);
    return Stream.of(
        wrong(
            "unknown key",
            Map.of(),
            table("t", "p", 1).with("partitionedby", "id"),
            "partitionedby",
            "partitioned-by"),
        wrong(
            "unknown key at the top",
            Map.of("hots", "127.0.0.1"),
            table("t", "p", 1),
            "hots",
            "host"),
        wrong(
            "unknown limit",
            Map.of("limits", Map.of("concurrent-scan", 1)),
            table("t", "p", 1),
            "concurrent-scan",
            "concurrent-scans"),
        wrong(
            "an open address by mistake",
            Map.of("host", "0.0.0.0"),
            table("t", "p", 1),
            "0.0.0.0",
            "allow-insecure-network"),
        wrong(
            "a missing file",
            Map.of(),
            TableConfig.table("t").parquet("p", files.newFile("parquet")),
            "\"p\"",
            "sample-"),
        wrong(
            "an empty file",
            Map.of(),
            TableConfig.table("t").parquet("p", files.bytes("parquet", new byte[0])),
            "\"p\"",
            "sample-"),
        wrong(
            "a truncated file",
            Map.of(),
            TableConfig.table("t")
                .parquet("p", files.bytes("parquet", Arrays.copyOf(content, content.length / 2))),
            "\"p\"",
            "sample-"),
        wrong(
            "a file that is something else",
            Map.of(),
            TableConfig.table("t")
                .parquet(
                    "p",
                    files.bytes(
                        "parquet",
                        "Dear Sir or Madam, this is a letter.".getBytes(StandardCharsets.UTF_8))),
            "\"p\"",
            "sample-"),
        wrong(
            "partitions with different columns",
            Map.of(),
            TableConfig.table("t")
                .parquet("p", rows)
                .parquet("q", files.parquet("SELECT 'x' AS id, DATE '2001-02-03' AS d")),
            "\"q\"",
            "id"),
        wrong(
            "rows outside the declared range",
            Map.of(),
            TableConfig.table("t")
                .with("partitioned-by", "d")
                .parquetRange("p", rows, "2001-03-01", "2001-04-01"),
            "\"p\"",
            "2001-03-01"),
        wrong(
            "a partition twice",
            Map.of(),
            TableConfig.table("t").parquet("p", rows).parquet("p", rows),
            "\"p\""),
        wrong(
            "a partition without data",
            Map.of(),
            TableConfig.table("t").partition(Map.of("id", "p")),
            "parquet"));
  }

  @ParameterizedTest
  @MethodSource
  void wrongNodes(WrongNode wrong) throws IOException {
    TallyNode node =
        new TallyNode(
            "node-x",
            Files.createTempDirectory("wrong-node-"),
            wrong.extra(),
            List.of(wrong.table()));
    opened.push(node);
    node.launch();
    assertTrue(node.awaitExit() != 0, node::log);
    for (String word : wrong.words()) {
      assertTrue(node.log().contains(word), word + " is not in: " + node.log());
    }
    assertTrue(!node.log().contains("\tat "), () -> "a user gets a sentence: " + node.log());
  }

  @Test
  void anUnknownColumnIsNamedBySpark() {
    Exception e =
        assertThrows(
            Exception.class, () -> query(good.options("events"), "SELECT identity FROM t"));
    assertTrue(e.getMessage().contains("identity") && e.getMessage().contains("id"), e::toString);
  }

  @Test
  void replicasAreCountedOnce() throws IOException {
    Path rows = files.parquet("SELECT unnest([1, 2, 3]) AS id");
    Map<String, String> options =
        nodes(TableConfig.table("t").parquet("p", rows), TableConfig.table("t").parquet("p", rows));
    assertEquals("3|6", query(options, "SELECT count(*), sum(id) FROM t"));
    assertEquals("3", query(with(options, "push-down", "false"), COUNT));
  }

  @Test
  void aNodeThatIsDownIsNotMissedIfOthersOwnAll() throws IOException {
    Path p = files.parquet("SELECT 1 AS id");
    Path q = files.parquet("SELECT 2 AS id");
    List<String> all = List.of("p", "q");
    TableConfig both = TableConfig.table("t").with("cluster-partitions", all);
    TallyCluster cluster = cluster(both.parquet("p", p).parquet("q", q), both.parquet("q", q));
    Map<String, String> options = cluster.options("t");
    assertEquals("2", query(options, COUNT));
    cluster.node(1).kill();
    assertEquals("2", query(options, COUNT));
    assertEquals("3", query(options, "SELECT sum(id) FROM t"));
  }

  @Test
  void aColumnThatSparkCannotReadCostsOnlyThatColumn() {
    assertEquals("7", query(good.options("odd"), "SELECT id FROM t"));
    assertEquals("1", query(good.options("odd"), COUNT));
    Exception e =
        assertThrows(Exception.class, () -> query(good.options("odd"), "SELECT bits FROM t"));
    assertTrue(e.getMessage().contains("bits"), e::toString);
  }

  private static String query(Map<String, String> options, String sql) {
    SparkSession spark = LocalSpark.newSession();
    spark.read().format("tally").options(options).load().createOrReplaceTempView("t");
    List<Row> rows = spark.sql(sql).collectAsList();
    return Rows.show(rows.get(0));
  }

  private static TallyException tallyException(Exception e) {
    for (Throwable cause = e; cause != null; cause = cause.getCause()) {
      if (cause instanceof TallyException failure) {
        return failure;
      }
    }
    throw new AssertionError("not an error of ours", e);
  }

  private TallyCluster cluster(TableConfig... tableOfNode) {
    TallyCluster cluster =
        TallyCluster.of(Stream.of(tableOfNode).map(table -> List.of(table)).toList());
    opened.push(cluster);
    return cluster;
  }

  private Map<String, String> nodes(TableConfig... tableOfNode) {
    return cluster(tableOfNode).options("t");
  }

  private static TableConfig table(String name, String partition, int... ids) {
    String list = Arrays.toString(ids);
    return TableConfig.table(name)
        .parquet(partition, files.parquet("SELECT unnest(" + list + ")::INT AS id"));
  }

  private String webServer() throws IOException {
    HttpServer server = HttpServer.create(loopback(), 0);
    server.start();
    opened.push(() -> server.stop(0));
    return "127.0.0.1:" + server.getAddress().getPort();
  }

  private String grpcServer() throws IOException {
    Server server = NettyServerBuilder.forAddress(loopback()).build().start();
    opened.push(server::shutdownNow);
    return "127.0.0.1:" + server.getPort();
  }

  private String silentServer() throws IOException {
    ServerSocket socket = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
    opened.push(socket);
    return "127.0.0.1:" + socket.getLocalPort();
  }

  /** An address at which nothing listened a moment ago. */
  private static String closedPort() throws IOException {
    try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      return "127.0.0.1:" + socket.getLocalPort();
    }
  }

  private static InetSocketAddress loopback() {
    return new InetSocketAddress(InetAddress.getLoopbackAddress(), 0);
  }

  private static Map<String, String> with(Map<String, String> options, String key, String value) {
    Map<String, String> changed = new LinkedHashMap<>(options);
    changed.put(key, value);
    return changed;
  }

  private static byte[] read(Path file) {
    try {
      return Files.readAllBytes(file);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static WrongQuery wrong(
      String name, Setup setup, String sql, ErrorCode code, String... words) {
    return new WrongQuery(name, setup, sql, code, List.of(words));
  }

  private static WrongNode wrong(
      String name, Map<String, Object> extra, TableConfig table, String... words) {
    return new WrongNode(name, extra, table, List.of(words));
  }
}
