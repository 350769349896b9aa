package io.tally.tests.differential;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.tally.tests.ScriptRun;
import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Generated queries over generated tables give the same answers in all ways. */
class DifferentialTest {
  private static final int QUERIES = 250;

  @ParameterizedTest
  @ValueSource(longs = {1, 2, 3, 4})
  void allAnswersAreTheSame(long seed) {
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    PrintStream out = new PrintStream(bytes, true, StandardCharsets.UTF_8);
    Totals totals = Differential.run(seed, 0, QUERIES, out);
    String report = bytes.toString(StandardCharsets.UTF_8);
    assertEquals(0, totals.failed(), report);
    assertEquals(QUERIES, totals.queries(), report);
    assertTrue(totals.errors() < QUERIES / 5, totals.pushDown() + report);
    assertTrue(totals.wholly() > QUERIES / 20, totals.pushDown() + report);
  }

  @Test
  void theCommandEndsWithItsVerdict() {
    try (ScriptRun run =
        new ScriptRun("bash", "-c", DifferentialMain.COMMAND + " --seed 5 --queries 20")) {
      assertEquals(0, run.awaitExit(), () -> run.output() + run.errors());
      assertEquals("20 passed, 0 failed", run.lines().get(run.lines().size() - 1));
    }
  }

  @Test
  void theCommandRefusesWhatItDoesNotKnow() {
    try (ScriptRun run = new ScriptRun("bash", "-c", DifferentialMain.COMMAND + " --sead 5")) {
      assertEquals(2, run.awaitExit(), run::output);
      assertTrue(run.errors().contains("--queries M"), run::errors);
    }
  }
}
