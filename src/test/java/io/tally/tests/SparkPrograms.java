package io.tally.tests;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.time.Duration;

/**
 * Spark's own programs, such as {@code spark-sql}, for the commands of pages: gets them as pages
 * tell, and says what a shell has to be told so that their JVMs and the nodes cost little.
 */
final class SparkPrograms {
  /** Makes the environment that has them, if it is not there, and prints its folder. */
  static final String ENVIRONMENT = "python/environment.py";

  /** The command by which a shell finds them. */
  static final String IN_PATH = "export PATH=\"$(" + ENVIRONMENT + ")/bin:$PATH\"";

  /** The first time, half a gigabyte of packages may have to come over a slow network. */
  static final int START_LIMIT_MINUTES = 20;

  /** Of the script that makes environments: this Python is too old, or has no {@code venv}. */
  private static final int CANNOT = 3;

  /** Of the shell: there is no {@code python3}. */
  private static final int NO_COMMAND = 127;

  /** JVMs that live for seconds: the second compiler would cost more than it brings. */
  private static final String ONE_COMPILER = "-XX:TieredStopAtLevel=1";

  private SparkPrograms() {}

  /** Skips the test on a machine whose Python cannot get Spark, and says why. */
  static void assume() {
    assume(ENVIRONMENT);
  }

  /** As {@link #assume()}, with a command that makes more than one environment. */
  static void assume(String command) {
    try (ScriptRun run =
        new ScriptRun(Duration.ofMinutes(START_LIMIT_MINUTES), "bash", "-c", command)) {
      int status = run.awaitExit();
      assumeTrue(status != CANNOT && status != NO_COMMAND, run.errors());
      assertEquals(0, status, () -> run.output() + run.errors());
    }
    SparkClasses.prepare();
  }

  /**
   * The command by which a shell starts nodes and Sparks with what tests want of all JVMs; Spark
   * takes system properties as settings.
   *
   * @param more for each of them, too
   */
  static String javaOptions(String... more) {
    String all = String.join(" ", ONE_COMPILER, String.join(" ", more));
    return ("export TALLY_JAVA_OPTS='%1$s %3$s' SPARK_DAEMON_JAVA_OPTS='%1$s %2$s'"
            + " SPARK_SUBMIT_OPTS='%1$s %2$s -Dspark.ui.enabled=false"
            + " -Dspark.executor.extraJavaOptions=\"%1$s %2$s\"'")
        .formatted(all, SparkClasses.javaOption(), NodeClasses.javaOption());
  }
}
