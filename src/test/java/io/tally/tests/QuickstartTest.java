package io.tally.tests;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.net.ConnectException;
import java.net.InetAddress;
import java.net.Socket;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

/** Runs what the README tells a stranger to run, and reads what the stranger would see. */
class QuickstartTest {
  static final String COMMAND = "./examples/quickstart/run.sh";

  private static final Pattern LISTENS = Pattern.compile("node-[abc] listens on 127.0.0.1:(\\d+)");
  private static final Pattern COST =
      Pattern.compile(
          "with push-down *: *([\\d,]+) rows and *([\\d,]+) bytes crossed the network.*");
  private static final Pattern PLAN = Pattern.compile("plan: tally flights PushedPredicates: .*");
  private static final Pattern GAIN =
      Pattern.compile("[\\d.,]+ times as fast, 1/[\\d.,]+ of the bytes");

  @Test
  void answersAndStopsItsNodes() {
    try (ScriptRun run = new ScriptRun("bash", "-c", COMMAND)) {
      int status = run.awaitExit();
      assertEquals(0, status, () -> run.output() + run.errors());
      assertEquals("", run.errors());
      assertTrue(run.output().contains("ORD | 166341 | 9.2736"), run.output());
      assertTrue(run.output().contains("3000000 | -1116 | 1688"), run.output());
      assertEquals(6, run.lines().stream().filter(it -> it.startsWith("== ")).count());
      for (Pattern line : List.of(COST, PLAN, GAIN)) {
        assertEquals(
            6,
            run.lines().stream().filter(it -> line.matcher(it.strip()).matches()).count(),
            () -> line + " in:\n" + run.output());
      }
      assertTrue(
          run.output().contains("All answers agree with push-down and without."), run.output());
      assertNobodyListens(run);
    }
  }

  @Test
  void stopsItsNodesOnControlC() {
    // Whoever runs this build may have told it to ignore the signal, which children inherit.
    String heedful = "exec env --default-signal=INT " + COMMAND;
    try (ScriptRun run = new ScriptRun("bash", "-c", heedful)) {
      run.readUntil(line -> line.startsWith("node-c listens"));
      run.interrupt();
      assertEquals(130, run.awaitExit(), () -> run.output() + run.errors());
      assertNobodyListens(run);
    }
  }

  @Test
  void stopsItsNodesWhenItIsTerminated() {
    try (ScriptRun run = new ScriptRun("bash", "-c", "exec " + COMMAND)) {
      run.readUntil(line -> line.startsWith("node-c listens"));
      run.terminate();
      assertEquals(143, run.awaitExit(), () -> run.output() + run.errors());
      assertNobodyListens(run);
    }
  }

  private static void assertNobodyListens(ScriptRun run) {
    List<Integer> ports =
        run.lines().stream()
            .map(LISTENS::matcher)
            .filter(Matcher::matches)
            .map(it -> Integer.valueOf(it.group(1)))
            .toList();
    assertEquals(3, ports.size(), run.output());
    for (int port : ports) {
      assertThrows(
          ConnectException.class,
          () -> new Socket(InetAddress.getLoopbackAddress(), port).close(),
          "something listens on " + port + " still");
    }
  }
}
