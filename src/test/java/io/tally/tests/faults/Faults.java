package io.tally.tests.faults;

import io.tally.tests.differential.Dice;
import java.io.PrintStream;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.stream.Collectors;

/**
 * Takes a seed and runs its schedules one after the other. Each has to end, with the right answer
 * or with an error that its faults account for, and to leave nothing behind; what does not is
 * printed, with the command that repeats it.
 */
final class Faults {
  /** A query that has not ended by then hangs; then there is no point in going on. */
  private static final long LIMIT_SECONDS = 120;

  private static final int LOG_CHARACTERS = 3_000;
  private static final int SCHEDULES_PER_REPORT = 250;

  private final long seed;
  private final PrintStream out;
  private final Totals totals = new Totals();
  private final ExecutorService reader =
      Executors.newSingleThreadExecutor(
          task -> {
            Thread thread = new Thread(task, "reader");
            thread.setDaemon(true);
            return thread;
          });

  /**
   * How a schedule ended.
   *
   * @param outcome an answer, or which error
   */
  private record End(Optional<String> mistake, String outcome) {}

  Faults(long seed, PrintStream out) {
    this.seed = seed;
    this.out = out;
  }

  /** Runs the schedules {@code from} to {@code to - 1} of the seed. */
  Totals run(long from, long to) {
    try (World world = World.start();
        Askers askers = new Askers(world, totals)) {
      boolean goesOn = true;
      for (long number = from; number < to && goesOn; number++) {
        goesOn = run(world, askers, number);
        if ((number + 1) % SCHEDULES_PER_REPORT == 0) {
          out.printf("%s of seed %d so far%n", totals.verdict(), seed);
        }
      }
    } finally {
      reader.shutdownNow();
    }
    return totals;
  }

  /** False if it hangs. */
  private boolean run(World world, Askers askers, long number) {
    Schedule schedule = Schedule.generate(Dice.of(seed, "faults", number));
    Future<End> end = reader.submit(() -> end(world, askers.of(schedule.level()), schedule));
    try {
      End ended = end.get(LIMIT_SECONDS, TimeUnit.SECONDS);
      if (ended.mistake().isEmpty()) {
        totals.passed(schedule.level(), ended.outcome());
      } else {
        report(world, schedule, number, ended.mistake().get());
      }
      return true;
    } catch (TimeoutException e) {
      report(
          world, schedule, number, "It has not ended after " + LIMIT_SECONDS + " s.\n" + stacks());
    } catch (ExecutionException e) {
      report(world, schedule, number, "The test itself failed: " + text(e));
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
    return false;
  }

  private static End end(World world, Asker asker, Schedule schedule) {
    List<String> truth = world.truth(schedule.query());
    Optional<String> mistake;
    String outcome = "answered";
    try {
      mistake = schedule.query().difference(truth, asker.answer(schedule));
    } catch (Exception | AssertionError e) {
      outcome = Causes.typed(e).map(it -> it.code().name()).orElse("cancelled by Spark");
      mistake = asker.mayFailLike(e, schedule) ? Optional.empty() : Optional.of(text(e));
    }
    try {
      asker.awaitNothingLeft();
    } catch (RuntimeException | AssertionError e) {
      mistake = Optional.of(mistake.map(it -> it + "\n").orElse("") + text(e));
    }
    return new End(mistake, outcome);
  }

  private void report(World world, Schedule schedule, long number, String mistake) {
    totals.addFailed();
    out.printf(
        "%s --seed %d --schedule %d%n  %s%n  may end with %s%n  %s%n%s%n",
        FaultsMain.COMMAND,
        seed,
        number,
        schedule,
        schedule.mayEndWith(),
        mistake,
        world.lastLogs(LOG_CHARACTERS));
  }

  private static String text(Throwable error) {
    StringWriter text = new StringWriter();
    error.printStackTrace(new PrintWriter(text));
    return text.toString();
  }

  private static String stacks() {
    return Thread.getAllStackTraces().entrySet().stream()
        .map(
            it ->
                it.getKey()
                    + Arrays.stream(it.getValue())
                        .map(frame -> "\n    " + frame)
                        .collect(Collectors.joining()))
        .collect(Collectors.joining("\n"));
  }
}
