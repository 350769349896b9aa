package io.tally.tests;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** The quickstart runs as a job, with the connector beside it, as the README shows. */
@ExtendWith(FlightsCluster.class)
class SubmitTest {
  static final String COMMAND =
      "spark-submit --jars connector/target/tally-connector-0.1.0-SNAPSHOT.jar"
          + " --class io.tally.examples.quickstart.Quickstart"
          + " examples/quickstart/target/tally-quickstart-0.1.0-SNAPSHOT.jar "
          + ReadmeTest.ENDPOINTS;

  @Test
  void jobIsSubmitted(TallyCluster cluster) {
    String arguments = COMMAND.replace(ReadmeTest.ENDPOINTS, cluster.endpoints());
    try (ScriptRun run = submit(arguments.substring("spark-submit ".length()).split(" ", -1))) {
      assertEquals(0, run.awaitExit(), () -> run.output() + run.errors());
      assertTrue(run.output().contains("All answers agree"), run.output());
    }
  }

  /** What {@code spark-submit} runs, whose script is a class path and a class; with this Spark. */
  static ScriptRun submit(String... arguments) {
    List<String> command = new ArrayList<>();
    command.add("java");
    command.add("@examples/quickstart/target/java-options");
    command.add("-cp");
    command.add(sparkClassPath());
    command.add("org.apache.spark.deploy.SparkSubmit");
    command.addAll(List.of(arguments));
    return new ScriptRun(command.toArray(String[]::new));
  }

  /** Spark and what it needs, without the connector: that is what {@code --jars} is for. */
  private static String sparkClassPath() {
    return Arrays.stream(System.getProperty("java.class.path").split(":", -1))
        .filter(
            entry ->
                entry.endsWith(".jar") && !entry.contains("tally-") && !entry.contains("-tests"))
        .collect(Collectors.joining(":"));
  }
}
