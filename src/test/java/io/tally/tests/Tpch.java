package io.tally.tests;

import io.tally.examples.quickstart.TallyScans;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.IntStream;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.SparkSession;

/**
 * TPC-H over four nodes: takes a scale, serves a quarter of each table from each node, and tells of
 * each query whether its answer is right with push-down and without, and what crossed the network.
 */
final class Tpch implements AutoCloseable {
  /** The scale for which answers are published with the generator. */
  static final double PUBLISHED_SCALE = 0.01;

  private static final int NODES = 4;

  private final TpchAnswers answers;
  private final SpreadTables cluster;
  private final SparkSession pushing;
  private final SparkSession fetching;

  private Tpch(TpchAnswers answers, Map<String, List<Path>> tables) {
    this.answers = answers;
    this.cluster = SpreadTables.start(NODES, tables);
    this.pushing = session(tables, true);
    this.fetching = session(tables, false);
  }

  /** Generates what is missing, and starts the nodes. */
  static Tpch start(double scale) {
    Map<String, List<Path>> tables = tables(scale);
    return new Tpch(
        scale == PUBLISHED_SCALE ? TpchAnswers.published() : TpchAnswers.duckdb(tables), tables);
  }

  /** As {@link #start(double)}, with answers of the caller's. */
  static Tpch start(double scale, TpchAnswers answers) {
    return new Tpch(answers, tables(scale));
  }

  private static Map<String, List<Path>> tables(double scale) {
    return TpchFiles.generate(scale, NODES, Home.target().resolve("tpch-" + scale));
  }

  /**
   * One query both ways.
   *
   * @param wrong where answers are others than those published, or no lines
   * @param aggregates how many of the scans had aggregates or groups pushed
   */
  record Outcome(int query, List<String> wrong, long aggregates, Way pushing, Way fetching) {

    /** For people: rows that crossed with push-down and without, and the time in relation. */
    String line() {
      return "q%-2d %s  %d of %d scans gave aggregates; rows %,d with push-down, %,d without; time %.2f of that without"
          .formatted(
              query,
              wrong.isEmpty() ? "right" : "WRONG",
              aggregates,
              pushing.scans().descriptions().size(),
              pushing.scans().rowsReceived(),
              fetching.scans().rowsReceived(),
              pushing.seconds() / fetching.seconds());
    }
  }

  /** What one way of asking gave. */
  record Way(List<Row> rows, TallyScans scans, double seconds) {}

  Outcome run(int query) {
    Way pushed = run(pushing, query);
    Way fetched = run(fetching, query);
    List<String> wrong = new ArrayList<>();
    answers.differences(query, pushed.rows()).forEach(it -> wrong.add("with push-down, " + it));
    answers.differences(query, fetched.rows()).forEach(it -> wrong.add("without push-down, " + it));
    if (!Rows.same(pushed.rows(), fetched.rows(), true)) {
      wrong.add("with push-down and without, answers differ");
    }
    long aggregates =
        pushed.scans().descriptions().stream()
            .filter(it -> it.contains("PushedAggregates:"))
            .count();
    return new Outcome(query, List.copyOf(wrong), aggregates, pushed, fetched);
  }

  /** Who says what is right. */
  String source() {
    return answers.source();
  }

  @Override
  public void close() {
    cluster.close();
  }

  /**
   * Runs the queries named, or all, and prints a line for each: {@code SCALE [--answers FOLDER]
   * [QUERY…]}.
   */
  public static void main(String[] arguments) {
    List<String> rest = new ArrayList<>(List.of(arguments));
    double scale = Double.parseDouble(rest.remove(0));
    Optional<TpchAnswers> given = Optional.empty();
    if (!rest.isEmpty() && rest.get(0).equals("--answers")) {
      given = Optional.of(TpchAnswers.in(Path.of(rest.get(1))));
      rest.subList(0, 2).clear();
    }
    int[] queries =
        rest.isEmpty()
            ? IntStream.rangeClosed(1, TpchQueries.COUNT).toArray()
            : rest.stream().mapToInt(Integer::parseInt).toArray();
    int wrong = 0;
    try (Tpch tpch = given.map(it -> start(scale, it)).orElseGet(() -> start(scale))) {
      System.out.println("answers: " + tpch.source());
      for (int query : queries) {
        Outcome outcome = tpch.run(query);
        System.out.println(outcome.line());
        outcome.wrong().stream().limit(5).forEach(System.out::println);
        wrong += outcome.wrong().isEmpty() ? 0 : 1;
      }
    }
    System.exit(wrong == 0 ? 0 : 1);
  }

  private Way run(SparkSession spark, int query) {
    long start = System.nanoTime();
    Dataset<Row> data = spark.sql(TpchQueries.text(query));
    List<Row> rows = data.collectAsList();
    double seconds = (System.nanoTime() - start) / 1e9;
    return new Way(rows, TallyScans.of(data.queryExecution().executedPlan()), seconds);
  }

  private SparkSession session(Map<String, List<Path>> tables, boolean pushDown) {
    SparkSession spark = LocalSpark.newSession();
    for (String table : tables.keySet()) {
      Map<String, String> options = new LinkedHashMap<>(cluster.options(table));
      options.put("push-down", Boolean.toString(pushDown));
      spark.read().format("tally").options(options).load().createOrReplaceTempView(table);
    }
    return spark;
  }
}
