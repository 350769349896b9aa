package io.tally.tests;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.tally.examples.submit.PunctualityReport;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.SparkSession;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * A job submitted by Spark's own program to a master and a worker that are processes of their own:
 * the commands of the page, and what goes wrong if they are given otherwise.
 */
class SparkSubmitTest {
  static final String PAGE = "examples/spark-submit/README.md";

  private static final String ENDPOINTS = " --conf spark.datasource.tally.endpoints=\"$ENDPOINTS\"";
  private static final Path REPORT = Home.root().resolve("examples/spark-submit/target/report");

  private static ExamplePage page;
  private static String withJars;
  private static String withPackages;

  @BeforeAll
  @Timeout(value = SparkPrograms.START_LIMIT_MINUTES, unit = TimeUnit.MINUTES)
  static void startCluster() {
    page = new ExamplePage(PAGE);
    List<String> commands = page.commands();
    assertEquals(2, commands.size(), commands::toString);
    withJars = commands.get(0);
    withPackages = commands.get(1);
  }

  @AfterAll
  static void stopCluster() {
    if (page != null) {
      page.close();
    }
  }

  @Test
  void theReportIsSparksOwn() throws IOException {
    assertTrue(withJars.contains(" --jars "), withJars);
    assertReports(withJars);
  }

  @Test
  void theConnectorComesFromARepositoryWithNothingElse() throws IOException {
    assertTrue(withPackages.contains(" --packages "), withPackages);
    Path ivy = Home.root().resolve("examples/spark-submit/target/ivy");
    assertTrue(withPackages.contains(" --conf spark.jars.ivy=" + Home.root().relativize(ivy)));
    String log = assertReports(withPackages);
    assertTrue(log.contains("found io.tally#tally-connector;0.1.0-SNAPSHOT in repository"), log);
    try (Stream<Path> jars = Files.list(ivy.resolve("jars"))) {
      assertEquals(
          List.of("io.tally_tally-connector-0.1.0-SNAPSHOT.jar"),
          jars.map(it -> it.getFileName().toString()).toList());
    }
  }

  /**
   * Runs the job and compares what it has written; it counts on the nodes only if Spark has found
   * the connector's rules, too.
   */
  private static String assertReports(String command) throws IOException {
    try (ScriptRun run = page.run(command)) {
      assertEquals(0, run.awaitExit(), () -> run.output() + run.errors());
      assertTrue(
          run.output()
              .contains(
                  "tally flights PushedPredicates: [origin IS NOT NULL],"
                      + " PushedAggregates: [COUNT(*), "),
          run::output);
      SparkSession spark = LocalSpark.newSession();
      List<Row> expected =
          PunctualityReport.report(
                  spark.read().parquet(Home.root().resolve("examples/data/flights").toString()),
                  spark.read().option("header", "true").csv(Home.airports().toString()))
              .collectAsList();
      assertFalse(expected.isEmpty());
      List<Row> written = spark.read().parquet(REPORT.toString()).collectAsList();
      assertTrue(Rows.same(expected, written, true), () -> Rows.show(written));
      return run.errors();
    }
  }

  @Test
  void executorsWithoutTheJar() {
    String onDriverAlone = withJars.replace(" --jars ", " --driver-class-path ");
    String errors = assertFails(onDriverAlone);
    assertTrue(
        errors.contains(
            "ERROR ExecutorsWithoutJar: Executor 0 on 127.0.0.1 does not have the Tally"
                + " connector"),
        errors);
    assertTrue(errors.contains("submit with --jars or --packages"), errors);
  }

  @Test
  void aMissingOption() {
    assertTrue(withJars.contains(ENDPOINTS), withJars);
    String errors = assertFails(withJars.replace(ENDPOINTS, ""));
    assertTrue(
        errors.contains(
            "The data source tally needs the option \"endpoints\" (addresses), or the setting"
                + " spark.datasource.tally.endpoints of the session."),
        errors);
  }

  private static String assertFails(String command) {
    try (ScriptRun run = page.run(command)) {
      assertEquals(1, run.awaitExit(), () -> run.output() + run.errors());
      return run.errors();
    }
  }
}
