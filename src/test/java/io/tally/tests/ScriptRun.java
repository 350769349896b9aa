package io.tally.tests;

import java.io.File;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.ProcessBuilder.Redirect;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.Predicate;
import java.util.stream.Stream;

/** One run of a command of the repository, in its root: its output, line by line, and its end. */
public final class ScriptRun implements AutoCloseable {
  private static final Duration LIMIT = Duration.ofSeconds(270);
  private static final long STOP_LIMIT_SECONDS = 30;

  private final Process process;
  private final CompletableFuture<Void> limit;
  private final Path errors;
  private final StringBuilder output = new StringBuilder();

  public ScriptRun(String... command) {
    this(LIMIT, command);
  }

  ScriptRun(Duration most, String... command) {
    this(most, Redirect.from(new File("/dev/null")), command);
  }

  /**
   * @param input a pipe for a command that is told more later
   */
  ScriptRun(Duration most, Redirect input, String... command) {
    try {
      errors = Files.createTempFile("script-", ".err");
      process =
          new ProcessBuilder(command)
              .directory(Home.root().toFile())
              .redirectInput(input)
              .redirectError(errors.toFile())
              .start();
      // A read of the output cannot be interrupted; the end of all that write it ends it.
      // Process.destroy() would close the output that is still to be read.
      limit =
          CompletableFuture.runAsync(
              () -> end(process.toHandle()::destroy),
              CompletableFuture.delayedExecutor(most.toSeconds(), TimeUnit.SECONDS));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Gives it lines on its input, which is a pipe. */
  void type(String lines) {
    try {
      process.outputWriter().write(lines + "\n");
      process.outputWriter().flush();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Reads output up to the first line that is wanted; to its end if there is none. */
  void readUntil(Predicate<String> wanted) {
    try {
      String line;
      while ((line = process.inputReader().readLine()) != null) {
        output.append(line).append('\n');
        if (wanted.test(line)) {
          return;
        }
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Asks it to end, as a terminal that closes does. */
  void terminate() {
    // Process.destroy() would close the output that is still to be read.
    if (!process.toHandle().destroy()) {
      throw new IllegalStateException("The command has ended already: " + output());
    }
  }

  /** Sends it SIGINT, as Ctrl-C does; a command ignores that if it was started ignoring it. */
  void interrupt() {
    Signals.send("INT", process.pid(), "the command, whose output is " + output());
  }

  /** Reads the rest of the output and gives the exit status. */
  public int awaitExit() {
    readUntil(line -> false);
    try {
      if (!process.waitFor(STOP_LIMIT_SECONDS, TimeUnit.SECONDS)) {
        throw new IllegalStateException("The command did not end: " + output());
      }
      return process.exitValue();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IllegalStateException("Interrupted while waiting for a command", e);
    }
  }

  /** What has been read so far. */
  public String output() {
    return output.toString();
  }

  public List<String> lines() {
    return output().lines().toList();
  }

  /** What it has written to its error stream so far. */
  public String errors() {
    try {
      return Files.readString(errors);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  @Override
  public void close() {
    limit.cancel(false);
    end(process::destroy);
    try {
      Files.delete(errors);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** The script stops what it started when it is asked to end; only then the hard way. */
  private void end(Runnable ask) {
    try (Stream<ProcessHandle> children = process.descendants()) {
      List<ProcessHandle> started = children.toList();
      ask.run();
      if (!process.waitFor(STOP_LIMIT_SECONDS, TimeUnit.SECONDS)) {
        process.toHandle().destroyForcibly();
        started.forEach(ProcessHandle::destroyForcibly);
      }
    } catch (InterruptedException e) {
      process.toHandle().destroyForcibly();
      Thread.currentThread().interrupt();
    }
  }
}
