package io.tally.tests;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.time.Duration;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * Runs the checks of Python and the notebook, as their pages tell. Skipped, with the reason, on a
 * machine whose Python cannot do it.
 */
class PythonTest {
  static final String CHECK_COMMAND = "./python/check.sh";
  static final String NOTEBOOK_COMMAND = "./examples/notebook/run.sh";

  /** Two Sparks, a kernel and some twenty nodes are started, one after another. */
  private static final int RUN_LIMIT_MINUTES = 10;

  /** For a command that is ended at its limit to stop what it has started. */
  private static final int STOP_LIMIT_MINUTES = 2;

  @BeforeAll
  @Timeout(value = SparkPrograms.START_LIMIT_MINUTES + STOP_LIMIT_MINUTES, unit = TimeUnit.MINUTES)
  static void environmentsAreThere() {
    SparkPrograms.assume(CHECK_COMMAND + " prepare");
  }

  @Test
  @Timeout(value = RUN_LIMIT_MINUTES + STOP_LIMIT_MINUTES, unit = TimeUnit.MINUTES)
  void packageAndItsTestsAreGreen() {
    show(CHECK_COMMAND);
  }

  @Test
  @Timeout(value = RUN_LIMIT_MINUTES + STOP_LIMIT_MINUTES, unit = TimeUnit.MINUTES)
  void notebookGivesWhatIsCommitted() {
    show(NOTEBOOK_COMMAND);
  }

  /** The output of a command that succeeds; with its counts it is part of this test's own. */
  private static void show(String command) {
    try (ScriptRun run =
        new ScriptRun(
            Duration.ofMinutes(RUN_LIMIT_MINUTES),
            "bash",
            "-c",
            SparkPrograms.javaOptions() + "; exec " + command)) {
      int status = run.awaitExit();
      System.out.println(run.output());
      assertEquals(0, status, () -> run.output() + run.errors());
    }
  }
}
