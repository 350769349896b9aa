package io.tally.benchmarks;

import java.io.BufferedReader;
import java.io.File;
import java.net.URISyntaxException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.SparkSession;

/**
 * The query of the incident in Spark, with the shaded connector, in a process that has nothing else
 * on its class path: {@code IncidentInSpark PORT SERIAL_BATCH_BYTES ROWS}. Prints properties: names
 * and milliseconds.
 *
 * <p>The serial pull is the connector's own reading of rows, by one task, with a window of one
 * batch of so many bytes.
 */
final class IncidentInSpark {
  static final String SERIAL = "spark_serial_ms";
  static final String ROWS = "spark_rows_ms";
  static final String AGGREGATE = "spark_aggregate_ms";

  private static final int WARM_UPS = 20;
  private static final int ROWS_RUNS = 5;
  private static final int AGGREGATE_RUNS = 21;

  private IncidentInSpark() {}

  /** Runs it, and gives what it prints. */
  static Map<String, Double> start(int port, int serialBatchBytes, long rows, Path scratch)
      throws Exception {
    Path home = Path.of(System.getProperty("tally.spark.home"));
    Path log = scratch.resolve("spark.log");
    Process spark =
        new ProcessBuilder(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "@" + home.resolve("java-options"),
                "-Xmx2g",
                "-cp",
                ownClasses()
                    + File.pathSeparator
                    + Files.readString(home.resolve("classpath.txt")).strip(),
                IncidentInSpark.class.getName(),
                Integer.toString(port),
                Integer.toString(serialBatchBytes),
                Long.toString(rows))
            .redirectError(log.toFile())
            .start();
    Properties figures = new Properties();
    try (BufferedReader out = spark.inputReader(StandardCharsets.UTF_8)) {
      figures.load(out);
      if (spark.waitFor() != 0) {
        throw new IllegalStateException("Spark failed; its log:\n" + Files.readString(log));
      }
    } finally {
      spark.destroyForcibly();
    }
    return figures.stringPropertyNames().stream()
        .collect(Collectors.toMap(name -> name, name -> Double.valueOf(figures.getProperty(name))));
  }

  private static Path ownClasses() throws URISyntaxException {
    return Path.of(
        IncidentInSpark.class.getProtectionDomain().getCodeSource().getLocation().toURI());
  }

  public static void main(String[] args) throws Exception {
    Effort effort = Effort.ofEnvironment();
    String table = "endpoints '127.0.0.1:%s', table '%s'".formatted(args[0], TableClient.TABLE);
    String rows = table + ", `push-down` 'false'";
    String serial =
        rows
            + ", `max-batch-bytes` '%1$s', `window-bytes` '%1$s', `split-rows` '%2$s'"
                .formatted(args[1], args[2]);
    try (SparkSession spark =
        SparkSession.builder()
            .master("local[*]")
            .config("spark.ui.enabled", false)
            .config("spark.sql.session.timeZone", "UTC")
            .getOrCreate()) {
      Query pushed = new Query(spark, "pushed", table, Long.parseLong(args[2]));
      Query fetched = new Query(spark, "fetched", rows, Long.parseLong(args[2]));
      Query pulled = new Query(spark, "pulled", serial, Long.parseLong(args[2]));
      pushed.expectPlan("PushedGroupBy: .* \\(complete\\)");
      pulled.expectPlan("Streams: 1\\b");
      double aggregateMillis =
          PairedRuns.medianMillis(
              effort.times(WARM_UPS), effort.times(AGGREGATE_RUNS), pushed::run);
      double rowsMillis =
          PairedRuns.medianMillis(effort.times(ROWS_RUNS), effort.times(ROWS_RUNS), fetched::run);
      double serialMillis = PairedRuns.medianMillis(0, 1, pulled::run);
      System.out.println(AGGREGATE + "=" + aggregateMillis);
      System.out.println(ROWS + "=" + rowsMillis);
      System.out.println(SERIAL + "=" + serialMillis);
    }
  }

  /** The query over a view that is made with options of its own. */
  private record Query(SparkSession spark, String view, long rows) {
    Query(SparkSession spark, String view, String options, long rows) {
      this(spark, view, rows);
      spark.sql("CREATE TEMPORARY VIEW %s USING tally OPTIONS (%s)".formatted(view, options));
    }

    List<Row> run() {
      List<Row> groups = spark.sql(sql()).collectAsList();
      Benchmark.expect(IncidentBenchmark.GROUPS, groups.size());
      Benchmark.expect(rows, groups.stream().mapToLong(group -> group.getLong(1)).sum());
      return groups;
    }

    /** Fails, rather than measure something else. */
    void expectPlan(String part) {
      String plan = spark.sql("EXPLAIN " + sql()).collectAsList().get(0).getString(0);
      if (!Pattern.compile(part).matcher(plan).find()) {
        throw new IllegalStateException("no " + part + " in " + plan);
      }
    }

    private String sql() {
      return "SELECT %1$s, count(*) FROM %2$s GROUP BY %1$s".formatted(IncidentBenchmark.KEY, view);
    }
  }
}
