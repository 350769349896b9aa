package io.tally.tests;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.concurrent.TimeUnit;

/** Sends processes signals that Java does not know. */
final class Signals {
  private static final long LIMIT_SECONDS = 20;

  private Signals() {}

  /**
   * Sends a signal, such as {@code STOP}, to a process that must be running.
   *
   * @param whose of the process, for the error
   */
  static void send(String name, long pid, String whose) {
    try {
      Process kill = new ProcessBuilder("kill", "-" + name, Long.toString(pid)).start();
      if (!kill.waitFor(LIMIT_SECONDS, TimeUnit.SECONDS) || kill.exitValue() != 0) {
        throw new IllegalStateException("No signal " + name + " reaches " + whose);
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IllegalStateException("Interrupted while sending a signal to " + whose, e);
    }
  }
}
