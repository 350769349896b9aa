package io.tally.tests;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.tally.rpc.v1.Open;
import io.tally.spark.read.ConnectorMemory;
import java.io.IOException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.UnaryOperator;
import java.util.stream.Stream;
import org.apache.spark.sql.SparkSession;

/**
 * What one bad input needs: nodes that are well, wrong servers, files; ways to ask, each of which
 * hands on the refusal. Afterwards it tells whether all that ran is unharmed.
 */
final class BadInputBench implements AutoCloseable {
  static final String COUNT = "SELECT count(*) FROM t";
  static final String ROWS = "SELECT * FROM t";

  /** A table that every node of a case has beside the bad one. */
  private static final String HEALTHY = "healthy";

  private final SampleFiles files;
  private final TallyCluster good;
  private final OtherServers others = new OtherServers();
  private final List<TallyCluster> clusters = new ArrayList<>();
  private final List<TallyNode> killed = new ArrayList<>();

  /**
   * @param files where a case writes; the caller closes it
   * @param good nodes that are there for all cases, with the table {@link #healthyTable}
   */
  BadInputBench(SampleFiles files, TallyCluster good) {
    this.files = files;
    this.good = good;
  }

  /** Three rows in one partition. */
  static TableConfig healthyTable(SampleFiles files) {
    return TableConfig.table(HEALTHY)
        .parquet("whole", files.parquet("SELECT unnest([1, 2, 3]) AS id"));
  }

  SampleFiles files() {
    return files;
  }

  OtherServers others() {
    return others;
  }

  /** The options of a table of the nodes that are there for all cases. */
  Map<String, String> good(String table) {
    return good.options(table);
  }

  /** As {@link #good(String)}, with another value of one option. */
  Map<String, String> good(String table, String option, String value) {
    return with(good(table), option, value);
  }

  /** The options of the table {@code t} of new nodes, one for each definition of it. */
  Map<String, String> nodes(TableConfig... tableOfNode) {
    return cluster(tableOfNode).options("t");
  }

  TallyCluster cluster(TableConfig... tableOfNode) {
    TableConfig healthy = healthyTable(files);
    TallyCluster cluster =
        TallyCluster.of(Stream.of(tableOfNode).map(table -> List.of(table, healthy)).toList());
    clusters.add(cluster);
    return cluster;
  }

  void kill(TallyNode node) {
    node.kill();
    killed.add(node);
  }

  /** Asks Spark, with the options' table as the view {@code t}. */
  Refusal query(Map<String, String> options, String sql) {
    return query(Map.of(), options, sql);
  }

  Refusal query(Map<String, String> settings, Map<String, String> options, String sql) {
    return Refusal.of(assertThrows(Exception.class, () -> answer(settings, options, sql)));
  }

  /** Sends the first good node a scan that Spark would not. */
  Refusal scan(String table, UnaryOperator<Open.Builder> change) {
    try (WireClient client = new WireClient()) {
      return Refusal.of(
          assertThrows(Exception.class, () -> client.scan(good.node(0).address(), table, change)));
    }
  }

  /** Starts a node that must not start. */
  Refusal start(TableConfig table) {
    return start(Map.of(), table);
  }

  Refusal start(Map<String, Object> extra, TableConfig table) {
    try (ScratchFolder folder = new ScratchFolder("wrong-node");
        TallyNode node = new TallyNode("node-x", folder.path(), extra, List.of(table))) {
      node.launch();
      return Refusal.ofExit(node.awaitExit(), node.log());
    }
  }

  /** All nodes live and answer a good query; Spark's tasks are over and hold no memory. */
  void assertUnharmed() {
    LocalSpark.awaitNoTasks();
    assertEquals(0, ConnectorMemory.allocatedBytes(), "bytes that the connector holds");
    for (TallyCluster cluster : clusters) {
      cluster.nodes().forEach(this::assertUnharmed);
    }
    good.nodes().forEach(this::assertUnharmed);
  }

  private void assertUnharmed(TallyNode node) {
    if (!killed.contains(node)) {
      assertTrue(node.isAlive(), node::log);
      Map<String, String> options = Map.of("endpoints", node.address(), "table", HEALTHY);
      assertEquals("3", answer(Map.of(), options, COUNT), node::log);
    }
  }

  /** Stops the nodes of this case, which fails if one of them has leaked. */
  @Override
  public void close() throws IOException {
    try (others) {
      clusters.forEach(TallyCluster::close);
    }
  }

  static Map<String, String> with(Map<String, String> options, String key, String value) {
    Map<String, String> changed = new LinkedHashMap<>(options);
    changed.put(key, value);
    return changed;
  }

  private static String answer(
      Map<String, String> settings, Map<String, String> options, String sql) {
    SparkSession spark = LocalSpark.newSession(settings);
    spark.read().format("tally").options(options).load().createOrReplaceTempView("t");
    return Rows.show(spark.sql(sql).collectAsList().get(0));
  }
}
