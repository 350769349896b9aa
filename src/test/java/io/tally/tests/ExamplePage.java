package io.tally.tests;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/**
 * Takes the page of an example that needs Spark's own programs, and runs its commands as a reader
 * does: the first gets Spark, the second stays in a terminal of its own and shows what to paste,
 * and the others are for another terminal. Closing ends the second as Ctrl-C does.
 */
final class ExamplePage implements AutoCloseable {
  private static final String SPARK = "python/environment.py";

  /** The first time, half a gigabyte of packages may have to come over a slow network. */
  static final long START_LIMIT_MINUTES = 20;

  /** Of the script that makes environments: this Python is too old, or has no {@code venv}. */
  private static final int CANNOT = 3;

  /** Of the shell: there is no {@code python3}. */
  private static final int NO_COMMAND = 127;

  /** All commands of a page, on a busy machine too. */
  private static final Duration STAY_LIMIT = Duration.ofMinutes(15);

  /** JVMs that live for seconds: the second compiler would cost more than it brings. */
  private static final String ONE_COMPILER = "-XX:TieredStopAtLevel=1";

  /** For all JVMs; Spark takes system properties as settings. */
  private static final String JAVA_OPTIONS =
      ("export TALLY_JAVA_OPTS=%1$s SPARK_DAEMON_JAVA_OPTS=%1$s"
              + " SPARK_SUBMIT_OPTS='%1$s -Dspark.ui.enabled=false"
              + " -Dspark.executor.extraJavaOptions=%1$s'; ")
          .formatted(ONE_COMPILER);

  private final List<String> commands;
  private final ScriptRun staying;
  private final String pasted;

  /**
   * Starts what stays.
   *
   * @param page below the root of the repository
   */
  ExamplePage(String page) {
    assumeSpark();
    commands = new ArrayList<>(commandsOf(page));
    String getsSpark = commands.remove(0);
    assertTrue(getsSpark.contains(SPARK), getsSpark);
    staying =
        new ScriptRun(
            STAY_LIMIT,
            "bash",
            "-c",
            JAVA_OPTIONS + getsSpark + "; exec env --default-signal=INT " + commands.remove(0));
    try {
      staying.readUntil(line -> line.startsWith("export "));
      List<String> lines = staying.lines();
      String shown = lines.get(lines.size() - 1);
      assertTrue(shown.startsWith("export "), () -> staying.output() + staying.errors());
      pasted = JAVA_OPTIONS + getsSpark + "; " + shown + "; ";
    } catch (RuntimeException | AssertionError e) {
      staying.close();
      throw e;
    }
  }

  /** Skips the test on a machine whose Python cannot get Spark, and says why. */
  private static void assumeSpark() {
    try (ScriptRun run =
        new ScriptRun(Duration.ofMinutes(START_LIMIT_MINUTES), "bash", "-c", SPARK)) {
      int status = run.awaitExit();
      assumeTrue(status != CANNOT && status != NO_COMMAND, run.errors());
      assertEquals(0, status, () -> run.output() + run.errors());
    }
  }

  private static List<String> commandsOf(String page) {
    try {
      return DocsTest.commands(Files.readString(Home.root().resolve(page)));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** The commands for the other terminal, in order. */
  List<String> commands() {
    return List.copyOf(commands);
  }

  /** Runs a command in the other terminal. */
  ScriptRun run(String command) {
    return new ScriptRun("bash", "-c", pasted + command);
  }

  @Override
  public void close() {
    try (staying) {
      staying.interrupt();
      assertEquals(130, staying.awaitExit(), () -> staying.output() + staying.errors());
    }
  }
}
