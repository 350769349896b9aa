package io.tally.tests;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** The 22 queries of TPC-H give the published answers, with push-down and without. */
class TpchTest {
  private static final String SCRIPT = "./src/test/tpch.sh";
  static final String COMMAND = SCRIPT + " 1";

  private static Tpch tpch;

  @BeforeAll
  static void start() {
    tpch = Tpch.start(Tpch.PUBLISHED_SCALE);
  }

  @AfterAll
  static void close() {
    tpch.close();
  }

  static IntStream queries() {
    return IntStream.rangeClosed(1, TpchQueries.COUNT);
  }

  @ParameterizedTest
  @MethodSource("queries")
  void givesThePublishedAnswer(int query) {
    Tpch.Outcome outcome = tpch.run(query);
    System.out.println(outcome.line());
    assertEquals(List.of(), outcome.wrong());
  }

  /** The same command at a small scale, for one query. */
  @Test
  void theCommandRunsAtAnyScale() {
    try (ScriptRun run = new ScriptRun("bash", "-c", SCRIPT + " 0.001 6")) {
      assertEquals(0, run.awaitExit(), () -> run.output() + run.errors());
      assertTrue(run.output().contains("answers: DuckDB over the same files"), run::output);
      assertTrue(run.output().contains("q6  right"), run::output);
    }
  }
}
