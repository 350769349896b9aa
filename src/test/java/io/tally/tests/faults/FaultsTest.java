package io.tally.tests.faults;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.tally.tests.ScriptRun;
import io.tally.tests.differential.Dice;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.LongStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/**
 * Whatever fails at whatever moment: the right answer or a fitting error, and nothing left over.
 */
class FaultsTest {
  private static final int SCHEDULES = 100;
  private static final Pattern RECONNECTS =
      Pattern.compile("; (\\d+) times a stream has connected");

  /** All rows are compared, not their number and sum alone; Spark speculates all the while. */
  @Test
  @DisplayName("NET-5: streams break, executors are lost, slow tasks run twice, answers are right")
  void theCommandEndsWithItsVerdict() {
    assertTrue(
        ofSpark()
            .anyMatch(it -> it.faults().stream().anyMatch(fault -> fault instanceof Fault.Breaks)));
    assertTrue(ofSpark().anyMatch(it -> it.has(Fault.Stroke.LOSE_EXECUTOR)));
    try (ScriptRun run =
        new ScriptRun("bash", "-c", FaultsMain.COMMAND + " --seed 1 --schedules " + SCHEDULES)) {
      assertEquals(0, run.awaitExit(), () -> run.output() + run.errors());
      List<String> lines = run.lines();
      assertEquals(SCHEDULES + " passed, 0 failed", lines.get(lines.size() - 1));
      // They were not without effect.
      Matcher reconnects = RECONNECTS.matcher(lines.get(lines.size() - 2));
      assertTrue(reconnects.find(), run::output);
      assertTrue(Integer.parseInt(reconnects.group(1)) > SCHEDULES / 10, run::output);
    }
  }

  /** Those of the command's that Spark asks. */
  private static Stream<Schedule> ofSpark() {
    return schedules(1).stream().limit(SCHEDULES).filter(it -> it.level() == Schedule.Level.SPARK);
  }

  @Test
  void theCommandRefusesWhatItDoesNotKnow() {
    try (ScriptRun run = new ScriptRun("bash", "-c", FaultsMain.COMMAND + " --sead 5")) {
      assertEquals(2, run.awaitExit(), run::output);
      assertTrue(run.errors().contains("--schedules M"), run::errors);
    }
  }

  @Test
  void aSeedGivesTheSameSchedulesAgainAndAllFaultsAreAmongThem() {
    List<Schedule> schedules = schedules(1);
    assertEquals(schedules, schedules(1));
    assertTrue(!schedules.equals(schedules(2)));
    for (Fault.Stroke stroke : Fault.Stroke.values()) {
      assertTrue(schedules.stream().anyMatch(it -> it.has(stroke)), stroke::name);
    }
    // Most have to end with the right answer, whatever happens.
    long answered = schedules.stream().filter(it -> it.mayEndWith().isEmpty()).count();
    assertTrue(answered > schedules.size() / 2, answered + " of " + schedules.size());
  }

  private static List<Schedule> schedules(long seed) {
    return LongStream.range(0, 1_000)
        .mapToObj(number -> Schedule.generate(Dice.of(seed, "faults", number)))
        .toList();
  }

  @Test
  void wrongAnswersAreFound() {
    Query all = new Query(Query.Shape.ROWS, List.of("id"), Query.KEYS, 1);
    List<String> truth = List.of("1", "2", "3");
    assertEquals(Optional.empty(), all.difference(truth, List.of("3", "1", "2")));
    for (List<String> wrong :
        Arrays.asList(
            List.of("1", "2"), List.of("1", "2", "2"), List.of("1", "2", "4"), List.<String>of())) {
      assertTrue(all.difference(truth, wrong).isPresent(), wrong::toString);
    }
    Query some = new Query(Query.Shape.SOME, List.of("id"), Query.KEYS, 2);
    assertEquals(Optional.empty(), some.difference(truth, List.of("3", "1")));
    assertTrue(some.difference(truth, truth).isPresent());
    assertTrue(some.difference(truth, List.of("3", "3")).isPresent());
  }
}
