package io.tally.tests;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.io.Writer;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

/**
 * A shell in the root of the checkout, as a user has one: takes commands, one after another, and
 * gives what each prints. What they leave running in the background ends with it.
 */
final class Terminal implements AutoCloseable {
  private static final long LIMIT_SECONDS = 270;
  private static final long STOP_LIMIT_SECONDS = 30;
  private static final String END = "end of the command: ";

  private final Process shell;
  private final CompletableFuture<Void> limit;
  private final BufferedReader output;
  private final Writer input;

  /**
   * @param temporary where nodes put their temporary files
   */
  Terminal(Path temporary) {
    ProcessBuilder command =
        new ProcessBuilder("bash").directory(Home.root().toFile()).redirectErrorStream(true);
    // Nodes live for seconds: the second compiler would cost more than it brings.
    command
        .environment()
        .put("TALLY_JAVA_OPTS", "-XX:TieredStopAtLevel=1 -Djava.io.tmpdir=" + temporary);
    try {
      shell = command.start();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    output = shell.inputReader();
    input = shell.outputWriter();
    // A read cannot be interrupted; the end of all that writes ends it.
    limit =
        CompletableFuture.runAsync(
            this::endAll, CompletableFuture.delayedExecutor(LIMIT_SECONDS, TimeUnit.SECONDS));
  }

  /** Runs a command that has to succeed, and gives what it has printed. */
  String run(String command) {
    try {
      input.write(command + "\necho \"" + END + "$?\"\n");
      input.flush();
      StringBuilder printed = new StringBuilder();
      String line;
      while ((line = output.readLine()) != null) {
        if (line.startsWith(END)) {
          assertEquals(END + "0", line, () -> command + "\n" + printed);
          return printed.toString();
        }
        printed.append(line).append('\n');
      }
      throw new AssertionError("the shell has ended: " + command + "\n" + printed);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  @Override
  public void close() {
    limit.cancel(false);
    endAll();
  }

  private void endAll() {
    try (Stream<ProcessHandle> started = shell.descendants()) {
      List<ProcessHandle> all = started.toList();
      all.forEach(ProcessHandle::destroy);
      shell.destroy();
      for (ProcessHandle each : all) {
        each.onExit()
            .completeOnTimeout(each, STOP_LIMIT_SECONDS, TimeUnit.SECONDS)
            .thenAccept(ProcessHandle::destroyForcibly)
            .join();
      }
      shell.onExit().orTimeout(STOP_LIMIT_SECONDS, TimeUnit.SECONDS).join();
    }
  }
}
