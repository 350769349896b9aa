package io.tally.tests;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Supplier;
import org.apache.spark.sql.SparkSession;

/**
 * Small tables for cases with known right answers: takes the rows of each partition as a DuckDB
 * query, and runs a Spark query in every arrangement that could make a difference: partitions
 * spread over three nodes or all rows in one partition, ANSI on and off, Spark's code compiled or
 * interpreted, each {@link ThreeWays}.
 */
final class Cases implements AutoCloseable {
  private static final int MOST_NODES = 3;
  private static final String SPREAD_ANSI = "spread, ANSI";
  private static final String SPREAD_NOT_ANSI = "spread, not ANSI";
  private static final String IN_ONE_PARTITION = "all in one partition, ANSI";

  private final SampleFiles files;
  private final TallyCluster cluster;
  private final Map<String, List<Path>> tables;
  private final ThreeWays spreadAnsi;
  private final ThreeWays spreadNotAnsi;
  private final ThreeWays inOnePartition;

  private Cases(SampleFiles files, TallyCluster cluster, Map<String, List<Path>> tables) {
    this.files = files;
    this.cluster = cluster;
    this.tables = tables;
    spreadAnsi = ways("", Map.of("spark.sql.ansi.enabled", "true"));
    spreadNotAnsi = ways("", interpreted("false"));
    inOnePartition = ways("_in_one", interpreted("true"));
  }

  private static Map<String, String> interpreted(String ansi) {
    return Map.of(
        "spark.sql.codegen.wholeStage", "false",
        "spark.sql.codegen.factoryMode", "NO_CODEGEN",
        "spark.sql.ansi.enabled", ansi);
  }

  /** Collects tables before the nodes start. */
  static final class Builder {
    private final SampleFiles files = new SampleFiles();
    private final Map<String, List<Path>> tables = new LinkedHashMap<>();

    /** A table with one partition for each query; the first on the first node, and so on. */
    Builder table(String name, String... partitions) {
      tables.put(name, List.of(partitions).stream().map(files::parquet).toList());
      return this;
    }

    Cases start() {
      List<List<TableConfig>> nodes = new ArrayList<>();
      int partitions = tables.values().stream().mapToInt(List::size).max().orElseThrow();
      int nodeCount = Math.min(partitions, MOST_NODES);
      for (int node = 0; node < nodeCount; node++) {
        nodes.add(new ArrayList<>());
        for (Map.Entry<String, List<Path>> table : tables.entrySet()) {
          addTo(nodes.get(node), node, nodeCount, table.getKey(), table.getValue());
        }
      }
      return new Cases(files, TallyCluster.of(Map.of(), nodes), tables);
    }

    private static void addTo(
        List<TableConfig> tables, int node, int nodeCount, String name, List<Path> paths) {
      TableConfig spread = TableConfig.table(name);
      for (int i = node; i < paths.size(); i += nodeCount) {
        spread = spread.parquet("p" + i, paths.get(i));
      }
      if (!spread.partitions().isEmpty()) {
        tables.add(spread);
      }
      if (node == 0) {
        tables.add(TableConfig.table(name + "_in_one").parquet("all", paths.toArray(Path[]::new)));
      }
    }
  }

  /** Runs the query in every arrangement; the rows are these, in this order if the query orders. */
  void check(String sql, String... lines) {
    ThreeWays.Outcome outcome = named(SPREAD_ANSI, () -> spreadAnsi.check(sql, lines));
    named(SPREAD_NOT_ANSI, () -> spreadNotAnsi.check(sql, lines));
    named(IN_ONE_PARTITION, () -> checkPushed(sql, outcome));
  }

  /** Runs the query in every arrangement and compares the three ways alone. */
  void check(String sql) {
    ThreeWays.Outcome outcome = named(SPREAD_ANSI, () -> spreadAnsi.check(sql));
    named(SPREAD_NOT_ANSI, () -> spreadNotAnsi.check(sql));
    named(IN_ONE_PARTITION, () -> checkPushed(sql, outcome));
  }

  /** With ANSI the query fails with one of the {@code conditions}; without, it has these rows. */
  void checkAnsiFails(String sql, Set<String> conditions, String... linesWithoutAnsi) {
    spreadAnsi.failsAlike(sql, conditions);
    inOnePartition.failsAlike(sql, conditions);
    named(SPREAD_NOT_ANSI, () -> spreadNotAnsi.check(sql, linesWithoutAnsi));
  }

  /** The arrangement that most tests of plans want: spread over the nodes, ANSI. */
  ThreeWays spread() {
    return spreadAnsi;
  }

  /** All rows in one partition and so in one stream, ANSI. */
  ThreeWays together() {
    return inOnePartition;
  }

  /** Spread over the nodes, with further settings of the session. */
  ThreeWays ways(Map<String, String> settings) {
    return ways("", settings);
  }

  /** A session of the test's own, with the table spread over the nodes, as a view. */
  SparkSession sessionOver(String table) {
    SparkSession spark = LocalSpark.newSession();
    spark.read().format("tally").options(options(table)).load().createOrReplaceTempView(table);
    return spark;
  }

  /** The options of the data source for the table, spread over the nodes. */
  Map<String, String> options(String table) {
    return cluster.options(table);
  }

  @Override
  public void close() {
    try (files) {
      cluster.close();
    }
  }

  private ThreeWays ways(String suffix, Map<String, String> settings) {
    return ThreeWays.over(
        settings,
        tables.entrySet().stream()
            .map(
                it ->
                    ThreeWays.Table.parquet(cluster, it.getKey(), it.getValue())
                        .servedAs(it.getKey() + suffix))
            .toList());
  }

  /** Spark's own answer is the same as before, so only push-down is asked. */
  private ThreeWays.Outcome checkPushed(String sql, ThreeWays.Outcome outcome) {
    inOnePartition.checkPushed(sql, outcome);
    return outcome;
  }

  private static <T> T named(String arrangement, Supplier<T> check) {
    try {
      return check.get();
    } catch (RuntimeException | AssertionError e) {
      throw new AssertionError(arrangement + ": " + e.getMessage(), e);
    }
  }
}
