package io.tally.tests;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.stream.Collectors;

/**
 * Several {@link TallyNode}s on loopback: takes what each is to hold, and hands on the endpoints
 * for Spark. Closing ends the processes and deletes their files.
 */
public final class TallyCluster implements AutoCloseable {
  private final ScratchFolder folder;
  private final List<TallyNode> nodes;

  private TallyCluster(ScratchFolder folder, List<TallyNode> nodes) {
    this.folder = folder;
    this.nodes = nodes;
    NodeLogs.opened(this);
  }

  /** Starts one node for each list of tables, all at once, and waits until all listen. */
  public static TallyCluster of(List<List<TableConfig>> tablesOfNodes) {
    return of(Map.of(), tablesOfNodes);
  }

  /**
   * As {@link #of(List)}.
   *
   * @param extra top-level keys for every node's configuration, such as {@code limits}
   */
  static TallyCluster of(Map<String, Object> extra, List<List<TableConfig>> tablesOfNodes) {
    ScratchFolder folder = new ScratchFolder("cluster");
    List<TallyNode> nodes = new ArrayList<>();
    for (List<TableConfig> tables : tablesOfNodes) {
      String id = "node-" + (char) ('a' + nodes.size());
      nodes.add(new TallyNode(id, folder.folder(id), extra, tables));
    }
    TallyCluster cluster = new TallyCluster(folder, List.copyOf(nodes));
    try {
      nodes.forEach(TallyNode::launch);
      nodes.forEach(TallyNode::awaitReady);
      return cluster;
    } catch (RuntimeException e) {
      cluster.close();
      throw e;
    }
  }

  /** Three nodes with two months of flights each; the first holds the airports too. */
  static TallyCluster flights() {
    return flights(Map.of());
  }

  /** As {@link #flights()}, with further keys as in {@link #of(Map, List)}. */
  static TallyCluster flights(Map<String, Object> extra) {
    return of(
        extra,
        List.of(
            List.of(
                months("2001-01", "2001-02", "2001-03-01"),
                TableConfig.table("airports").csv("all", Home.airports())),
            List.of(months("2001-03", "2001-04", "2001-05-01")),
            List.of(months("2001-05", "2001-06", "2001-07-02"))));
  }

  private static TableConfig months(String first, String second, String end) {
    return TableConfig.table("flights")
        .with(
            "cluster-partitions",
            List.of("2001-01", "2001-02", "2001-03", "2001-04", "2001-05", "2001-06"))
        .with("partitioned-by", "date")
        .parquetRange(first, Home.flights(first), first + "-01", second + "-01")
        .parquetRange(second, Home.flights(second), second + "-01", end);
  }

  List<TallyNode> nodes() {
    return nodes;
  }

  TallyNode node(int index) {
    return nodes.get(index);
  }

  /** What the option {@code endpoints} takes. */
  String endpoints() {
    return nodes.stream().map(TallyNode::address).collect(Collectors.joining(","));
  }

  /** The options of one table of this cluster, and nothing else. */
  public Map<String, String> options(String table) {
    Map<String, String> options = new LinkedHashMap<>();
    options.put("endpoints", endpoints());
    options.put("table", table);
    return options;
  }

  /** The nodes' logs, each under its name. */
  public String logs() {
    return nodes.stream()
        .map(node -> "== log of " + node.id() + "\n" + node.log())
        .collect(Collectors.joining("\n"));
  }

  @Override
  public void close() {
    RuntimeException failure = null;
    for (TallyNode node : nodes) {
      try {
        node.close();
      } catch (RuntimeException e) {
        if (failure == null) {
          failure = e;
        } else {
          failure.addSuppressed(e);
        }
      }
    }
    NodeLogs.closing(this);
    folder.close();
    if (failure != null) {
      throw failure;
    }
  }

  /** Starts the flights by hand, for a developer; Ctrl-C ends it. */
  public static void main(String[] args) throws InterruptedException {
    TallyCluster cluster = flights();
    Runtime.getRuntime().addShutdownHook(new Thread(cluster::close));
    System.out.printf(
        "CREATE TEMPORARY VIEW flights USING tally OPTIONS (endpoints '%s', table 'flights');%n",
        cluster.endpoints());
    new CountDownLatch(1).await();
  }
}
