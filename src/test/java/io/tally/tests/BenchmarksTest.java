package io.tally.tests;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

/** The benchmarks run and print their goals; whether goals are met is for people to read. */
class BenchmarksTest {
  static final String COMMAND = "./benchmarks/run.sh";

  private static final Pattern GOAL =
      Pattern.compile("goal (\\S+) [\\d.]+ (?:<=|>=) [\\d.]+ (?:ok|short)");

  @Test
  void allBenchmarksPrintTheirGoals() {
    try (ScriptRun run = new ScriptRun("bash", "-c", "TALLY_BENCHMARKS_QUICK=true " + COMMAND)) {
      assertEquals(0, run.awaitExit(), () -> run.output() + run.errors());
      Set<String> goals = new TreeSet<>();
      for (String line : run.lines()) {
        Matcher goal = GOAL.matcher(line);
        assertTrue(goal.matches(), line);
        goals.add(goal.group(1));
      }
      assertEquals(
          Set.of(
              "transport.group-by-over-jdbc",
              "transport.rows-over-flight",
              "memory.node",
              "memory.client",
              "grouping.given-up-over-grouped",
              "incident.rows-over-serial",
              "incident.aggregate-over-serial",
              "incident.spark-aggregate-over-serial",
              "links.rows-at-20ms-over-0ms",
              "concurrency.200-over-8",
              "concurrency.memory"),
          goals);
    }
  }

  @Test
  void anUnknownNameIsRefusedWithTheKnownOnes() {
    try (ScriptRun run = new ScriptRun("bash", "-c", COMMAND + " transprot")) {
      assertEquals(2, run.awaitExit());
      assertTrue(
          run.errors().contains("[transport, memory, grouping, incident, links, concurrency]"),
          run::errors);
    }
  }
}
