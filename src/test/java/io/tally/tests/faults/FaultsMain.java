package io.tally.tests.faults;

import io.tally.tests.SeededCommand;

/** The command line of the fault schedules: prints what went wrong and, last, the numbers. */
public final class FaultsMain {
  /** As users start it, in the root of the repository. */
  public static final String COMMAND = "./src/test/faults.sh";

  private static final SeededCommand LINE =
      new SeededCommand(
          COMMAND,
          "schedule",
          "schedules",
          """
            --schedules M  runs the first M schedules of the seed
            --schedule K   runs its K-th schedule alone, to repeat a mistake
          """);

  private FaultsMain() {}

  /** Exits with 0 if all went as it may, 1 if not, 2 for other arguments than the usage's. */
  public static void main(String[] arguments) {
    System.exit(LINE.run(arguments, FaultsMain::run));
  }

  private static boolean run(long seed, long from, long to) {
    Totals totals = new Faults(seed, System.out).run(from, to);
    System.out.println(totals.outcomes());
    System.out.println(totals.verdict());
    return totals.failed() == 0;
  }
}
