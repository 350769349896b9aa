package io.tally.tests.differential;

import io.tally.tests.Answer;
import java.io.PrintStream;
import java.util.List;

/**
 * Takes a seed and a number of queries, asks each of them in all ways in generated worlds, and
 * prints what differs, shrunk, and how to repeat it.
 */
final class Differential {
  /** Starting the nodes of a world costs as much as a hundred queries. */
  private static final int QUERIES_OF_A_WORLD = 250;

  /** Shrinking rows starts clusters; after so many, mistakes repeat themselves. */
  private static final int MISTAKES_WITH_SHRUNK_ROWS = 8;

  private static final int MISTAKES_SHRUNK = 60;
  private static final int INVALID_SHOWN = 5;

  private final long seed;
  private final PrintStream out;
  private final Totals totals = new Totals();
  private int mistakesSeen;
  private int invalidSeen;

  private Differential(long seed, PrintStream out) {
    this.seed = seed;
    this.out = out;
  }

  /** Asks the queries {@code from} to {@code to - 1} of the seed. */
  static Totals run(long seed, long from, long to, PrintStream out) {
    Differential run = new Differential(seed, out);
    try (Check check = new Check()) {
      for (long next = from; next < to; ) {
        long world = next / QUERIES_OF_A_WORLD;
        long end = Math.min(to, (world + 1) * QUERIES_OF_A_WORLD);
        run.inWorld(check, world, next, end);
        next = end;
      }
    }
    return run.totals;
  }

  private void inWorld(Check check, long index, long from, long to) {
    WorldSpec spec = WorldSpec.generate(Dice.of(seed, "world", index));
    try (Worlds worlds = Worlds.start(List.of(spec))) {
      for (long number = from; number < to; number++) {
        Query query = new QueryGenerator(Dice.of(seed, "query", number), spec.tables()).any();
        Check.Result result = check.run(worlds.get(0), query);
        totals.add(result);
        if (result.isWrong()) {
          report(check, worlds.get(0), query, result, number);
        } else if (result.failsEverywhere()) {
          reportInvalid(query, (Answer.Failed) result.pushing());
        }
      }
    }
    out.printf("%s of seed %d so far%n", totals.verdict(), seed);
  }

  private void report(Check check, World world, Query query, Check.Result result, long number) {
    String command = DifferentialMain.COMMAND + " --seed " + seed + " --query " + number;
    String difference = result.difference().orElseThrow();
    out.printf("%s: %s%n  %s%n", difference, command, query.sql());
    Query smallest = query;
    WorldSpec spec = world.spec();
    if (mistakesSeen < MISTAKES_SHRUNK) {
      smallest = new Shrinker(check).smallest(world, query, difference);
    }
    if (mistakesSeen < MISTAKES_WITH_SHRUNK_ROWS) {
      spec = new Shrinker(check).fewestRows(spec, smallest, difference);
    }
    mistakesSeen++;
    try (Worlds last = Worlds.start(List.of(spec))) {
      Check.Result again = check.run(last.get(0), smallest);
      out.println(Reproduction.of(spec, smallest, again, command));
    }
  }

  /** A query that Spark does not understand tests nothing: the generator wants to be mended. */
  private void reportInvalid(Query query, Answer.Failed failed) {
    if (failed.cause() instanceof org.apache.spark.sql.AnalysisException
        && invalidSeen++ < INVALID_SHOWN) {
      String reason = failed.cause().getMessage().lines().findFirst().orElse("");
      out.printf("Spark does not take %s%n  %s%n", query.sql(), reason);
    }
  }
}
