package io.tally.tests.differential;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.Test;

/**
 * What {@link DifferentialTest} asks, of another seed, and so few that every Spark can be asked.
 */
class FewQueriesTest {
  private static final long SEED = 3;
  private static final int QUERIES = 12;

  @Test
  void allAnswersAreTheSame() {
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    PrintStream out = new PrintStream(bytes, true, StandardCharsets.UTF_8);
    Totals totals = Differential.run(SEED, 0, QUERIES, out);
    String report = bytes.toString(StandardCharsets.UTF_8);
    assertEquals(0, totals.failed(), report);
    assertEquals(QUERIES, totals.queries(), report);
    assertTrue(totals.errors() < QUERIES / 5, totals.pushDown() + report);
    assertTrue(totals.wholly() > 0, totals.pushDown() + report);
  }
}
