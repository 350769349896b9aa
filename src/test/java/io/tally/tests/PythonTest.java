package io.tally.tests;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.time.Duration;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/**
 * Runs the checks of Python and the notebook, as their pages tell. Skipped, with the reason, on a
 * machine whose Python cannot do it.
 */
class PythonTest {
  static final String CHECK_COMMAND = "./python/check.sh";
  static final String NOTEBOOK_COMMAND = "./examples/notebook/run.sh";

  /** The first time, half a gigabyte of packages may have to come over a slow network. */
  private static final Duration INSTALL_LIMIT = Duration.ofMinutes(20);

  /** Two Sparks, a kernel and some twenty nodes are started, one after another. */
  private static final Duration RUN_LIMIT = Duration.ofMinutes(10);

  /** Of the script that makes environments: this Python is too old, or has no {@code venv}. */
  private static final int CANNOT = 3;

  /** Of the shell: there is no {@code python3}. */
  private static final int NO_COMMAND = 127;

  @BeforeAll
  static void environmentsAreThere() {
    try (ScriptRun run = new ScriptRun(INSTALL_LIMIT, CHECK_COMMAND, "prepare")) {
      int status = run.awaitExit();
      assumeTrue(status != CANNOT && status != NO_COMMAND, run.errors());
      assertEquals(0, status, () -> run.output() + run.errors());
    }
  }

  @Test
  void packageAndItsTestsAreGreen() {
    show(CHECK_COMMAND);
  }

  @Test
  void notebookGivesWhatIsCommitted() {
    show(NOTEBOOK_COMMAND);
  }

  /** The output of a command that succeeds; with its counts it is part of this test's own. */
  private static void show(String command) {
    try (ScriptRun run = new ScriptRun(RUN_LIMIT, command)) {
      int status = run.awaitExit();
      System.out.println(run.output());
      assertEquals(0, status, () -> run.output() + run.errors());
    }
  }
}
