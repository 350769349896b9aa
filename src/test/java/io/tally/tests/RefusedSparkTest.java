package io.tally.tests;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeFalse;

import io.tally.rpc.TallyException;
import io.tally.rpc.v1.ErrorCode;
import org.apache.spark.sql.SparkSession;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.function.Executable;

/** A Spark that the connector is not for says so at the first use of it, and works on otherwise. */
class RefusedSparkTest {
  private static final String OPTIONS = "OPTIONS (endpoints '127.0.0.1:1', table 't')";

  @BeforeAll
  static void assumeOlderSpark() {
    assumeFalse(
        SparkRelease.version().startsWith("4."),
        () -> "Spark " + SparkRelease.version() + " is one of those that the connector runs on");
  }

  @Test
  void firstUseNamesTheSparkThatIsNeeded() {
    SparkSession spark =
        SparkSession.builder()
            .master("local[1]")
            .config("spark.ui.enabled", "false")
            .config("spark.driver.host", "127.0.0.1")
            .config("spark.driver.bindAddress", "127.0.0.1")
            .config("spark.sql.warehouse.dir", Home.target().resolve("warehouse").toString())
            .getOrCreate();
    try {
      assertRefused(() -> spark.read().format("tally").option("table", "t").load());
      assertRefused(() -> spark.sql("CREATE TEMPORARY VIEW v USING tally " + OPTIONS));
      assertEquals("3", spark.sql("SELECT count(*) FROM range(3)").first().get(0).toString());
    } finally {
      spark.stop();
    }
  }

  private static void assertRefused(Executable use) {
    TallyException refused = assertThrows(TallyException.class, use);
    assertEquals(ErrorCode.UNSUPPORTED_FEATURE, refused.code());
    assertEquals(refusal(), refused.getMessage());
  }

  @Test
  void aSubmittedJobEndsWithIt() {
    try (ScriptRun run =
        SubmitTest.submit(
            "--master",
            "local[1]",
            "--jars",
            "connector/target/tally-connector-0.1.0-SNAPSHOT.jar",
            "--conf",
            "spark.datasource.tally.endpoints=127.0.0.1:1",
            "--conf",
            "spark.ui.enabled=false",
            "--conf",
            "spark.driver.host=127.0.0.1",
            "--conf",
            "spark.driver.bindAddress=127.0.0.1",
            "--class",
            "io.tally.examples.submit.PunctualityReport",
            "examples/spark-submit/target/tally-submitted-job-0.1.0-SNAPSHOT.jar",
            "never-written")) {
      assertEquals(1, run.awaitExit(), () -> run.output() + run.errors());
      assertTrue(
          run.errors().contains("TallyException: [UNSUPPORTED_FEATURE] " + refusal()), run::errors);
    }
  }

  private static String refusal() {
    return "The Tally connector runs on Spark 4.0 and later releases of Spark 4; this is Spark "
        + SparkRelease.version()
        + ".";
  }
}
