package io.tally.tests;

import static org.junit.jupiter.api.Assertions.assertAll;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * Small tables for cases with known right answers: takes the rows of each partition as a DuckDB
 * query, and runs a Spark query in every arrangement that could make a difference: partitions
 * spread over three nodes or all rows in one partition, ANSI on and off, Spark's code compiled or
 * interpreted, each {@link ThreeWays}.
 */
final class Cases implements AutoCloseable {
  private static final int MOST_NODES = 3;

  private final SampleFiles files;
  private final TallyCluster cluster;
  private final Map<String, List<Path>> tables;
  private final Map<String, ThreeWays> arrangements = new LinkedHashMap<>();

  private Cases(SampleFiles files, TallyCluster cluster, Map<String, List<Path>> tables) {
    this.files = files;
    this.cluster = cluster;
    this.tables = tables;
    arrangements.put("spread, ANSI", ways("", Map.of("spark.sql.ansi.enabled", "true")));
    Map<String, String> interpreted =
        Map.of(
            "spark.sql.codegen.wholeStage", "false",
            "spark.sql.codegen.factoryMode", "NO_CODEGEN",
            "spark.sql.ansi.enabled", "false");
    arrangements.put("spread, not ANSI", ways("", interpreted));
    Map<String, String> ansi = new LinkedHashMap<>(interpreted);
    ansi.put("spark.sql.ansi.enabled", "true");
    arrangements.put("one partition, ANSI", ways("_in_one", ansi));
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
    assertAll(
        arrangements.entrySet().stream()
            .map(it -> () -> named(it.getKey(), () -> it.getValue().check(sql, lines))));
  }

  /** Runs the query in every arrangement and compares the three ways alone. */
  void check(String sql) {
    assertAll(
        arrangements.entrySet().stream()
            .map(it -> () -> named(it.getKey(), () -> it.getValue().check(sql))));
  }

  /** With ANSI the query fails with one of the {@code conditions}; without, it has these rows. */
  void checkAnsiFails(String sql, Set<String> conditions, String... linesWithoutAnsi) {
    assertAll(
        arrangements.entrySet().stream()
            .map(
                it ->
                    () ->
                        named(
                            it.getKey(),
                            () -> {
                              if (it.getKey().contains("not ANSI")) {
                                it.getValue().check(sql, linesWithoutAnsi);
                              } else {
                                it.getValue().failsAlike(sql, conditions);
                              }
                            })));
  }

  /** The arrangement that most tests of plans want: spread over the nodes, ANSI. */
  ThreeWays spread() {
    return arrangements.get("spread, ANSI");
  }

  /** Spread over the nodes, with further settings of the session. */
  ThreeWays ways(Map<String, String> settings) {
    return ways("", settings);
  }

  TallyCluster cluster() {
    return cluster;
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

  private static void named(String arrangement, Runnable check) {
    try {
      check.run();
    } catch (RuntimeException | AssertionError e) {
      throw new AssertionError(arrangement + ": " + e.getMessage(), e);
    }
  }
}
