package io.tally.tests;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Whatever is wrong with what a user gives: it is answered by a typed error with a sentence that
 * says what to do, nothing hangs, nothing is left over, and the nodes go on. The table is in {@link
 * BadInputs} and {@link BadFiles}.
 */
@Timeout(120)
class BadInputTest {
  private static SampleFiles files;
  private static TallyCluster good;

  @BeforeAll
  static void startNodes() {
    files = new SampleFiles();
    good = BadInputs.goodNodes(files);
  }

  @AfterAll
  static void stopNodes() {
    try (SampleFiles toDelete = files;
        TallyCluster toStop = good) {
      assertTrue(toDelete != null && toStop != null);
    }
  }

  static Stream<BadInput> isRefused() {
    return Stream.concat(BadInputs.all(), BadFiles.all());
  }

  @ParameterizedTest(name = "{0}")
  @MethodSource
  void isRefused(BadInput bad) throws Exception {
    try (BadInputBench bench = new BadInputBench(files, good)) {
      Refusal refusal = bad.provoke().by(bench);
      assertEquals(bad.code(), refusal.code(), refusal.message());
      for (String word : bad.words()) {
        assertTrue(
            refusal.message().contains(word), () -> word + " is not in: " + refusal.message());
      }
      assertFalse(
          refusal.message().contains("\tat "),
          () -> "a user gets a sentence, no stack: " + refusal.message());
      bench.assertUnharmed();
    }
  }
}
