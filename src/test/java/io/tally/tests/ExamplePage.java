package io.tally.tests;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

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
  /** All commands of a page, on a busy machine too. */
  private static final Duration STAY_LIMIT = Duration.ofMinutes(15);

  private final List<String> commands;
  private final ScriptRun staying;
  private final String pasted;

  /**
   * Starts what stays.
   *
   * @param page below the root of the repository
   */
  ExamplePage(String page) {
    SparkPrograms.assume();
    commands = new ArrayList<>(commandsOf(page));
    String getsSpark = commands.remove(0);
    assertEquals(SparkPrograms.IN_PATH, getsSpark);
    staying =
        new ScriptRun(
            STAY_LIMIT,
            "bash",
            "-c",
            inTerminal() + "exec env --default-signal=INT " + commands.remove(0));
    try {
      staying.readUntil(line -> line.startsWith("export "));
      List<String> lines = staying.lines();
      String shown = lines.get(lines.size() - 1);
      assertTrue(shown.startsWith("export "), () -> staying.output() + staying.errors());
      pasted = shown + "; ";
    } catch (RuntimeException | AssertionError e) {
      staying.close();
      throw e;
    }
  }

  /** What is done first in either terminal. */
  private static String inTerminal() {
    return SparkPrograms.javaOptions() + "; " + SparkPrograms.IN_PATH + "; ";
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
    return new ScriptRun("bash", "-c", inTerminal() + pasted + command);
  }

  @Override
  public void close() {
    try (staying) {
      staying.interrupt();
      assertEquals(130, staying.awaitExit(), () -> staying.output() + staying.errors());
    }
  }
}
