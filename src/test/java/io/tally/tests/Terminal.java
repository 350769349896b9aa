package io.tally.tests;

import static org.junit.jupiter.api.Assertions.assertTrue;

import java.lang.ProcessBuilder.Redirect;
import java.time.Duration;

/**
 * A shell in the root of the checkout, as a user has one: takes commands, one after another, and
 * gives what each prints. What they leave running in the background ends with it.
 */
final class Terminal implements AutoCloseable {
  private static final Duration LIMIT = Duration.ofSeconds(270);
  private static final String END = "end of the command: ";

  private final ScriptRun shell = new ScriptRun(LIMIT, Redirect.PIPE, "bash");

  Terminal() {
    shell.type("exec 2>&1; trap 'kill $(jobs -p) 2>/dev/null; wait' EXIT; trap exit TERM");
  }

  /** Runs a command that has to succeed, and gives what it has printed. */
  String run(String command) {
    int before = shell.output().length();
    shell.type(command + "\necho \"" + END + "$?\"");
    shell.readUntil(line -> line.startsWith(END));
    String printed = shell.output().substring(before);
    assertTrue(printed.endsWith(END + "0\n"), () -> command + "\n" + printed);
    return printed.substring(0, printed.lastIndexOf(END));
  }

  @Override
  public void close() {
    shell.close();
  }
}
