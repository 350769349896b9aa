package io.tally.tests;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/**
 * Takes tables, each as one Parquet file a partition, and serves them from as many nodes as are
 * asked for: the first partition of each on the first node, and so on. Hands on what Spark's reader
 * needs for a table.
 */
public final class SpreadTables implements AutoCloseable {
  private final TallyCluster cluster;

  private SpreadTables(TallyCluster cluster) {
    this.cluster = cluster;
  }

  /**
   * Starts the nodes and waits until all listen.
   *
   * @param tables the files of each table, by name; at least one, and at most one for each node
   */
  public static SpreadTables start(int nodeCount, Map<String, List<Path>> tables) {
    List<List<TableConfig>> nodes = new ArrayList<>();
    for (int node = 0; node < nodeCount; node++) {
      List<TableConfig> held = new ArrayList<>();
      for (Map.Entry<String, List<Path>> table : tables.entrySet()) {
        if (node < table.getValue().size()) {
          TableConfig config = TableConfig.table(table.getKey());
          held.add(config.parquet("p" + node, table.getValue().get(node)));
        }
      }
      nodes.add(held);
    }
    return new SpreadTables(TallyCluster.of(nodes));
  }

  /** The options of one table, and nothing else. */
  public Map<String, String> options(String table) {
    return cluster.options(table);
  }

  @Override
  public void close() {
    cluster.close();
  }
}
