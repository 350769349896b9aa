package io.tally.tests.differential;

import io.tally.tests.SeededCommand;

/** The command line of the differential harness: prints mistakes and, last, their number. */
public final class DifferentialMain {
  /** As users start it, in the root of the repository. */
  public static final String COMMAND = "./src/test/differential.sh";

  private static final SeededCommand LINE =
      new SeededCommand(
          COMMAND,
          "query",
          "queries",
          """
            --queries M  asks the first M queries of the seed
            --query K    asks its K-th query alone, to repeat a mistake
          """);

  private DifferentialMain() {}

  /** Exits with 0 if all answers are the same, 1 if not, 2 for other arguments than the usage's. */
  public static void main(String[] arguments) {
    System.exit(LINE.run(arguments, DifferentialMain::run));
  }

  private static boolean run(long seed, long from, long to) {
    Worlds.closeWhenStopped();
    Totals totals = Differential.run(seed, from, to, System.out);
    System.out.println(totals.pushDown());
    System.out.println(totals.verdict());
    return totals.failed() == 0;
  }
}
