package io.tally.tests.faults;

import java.util.List;

/** The command line of the fault schedules: prints what went wrong and, last, the numbers. */
public final class FaultsMain {
  /** As users start it, in the root of the repository. */
  public static final String COMMAND = "./src/test/faults.sh";

  private static final String USAGE =
      "usage: "
          + COMMAND
          + " --seed N (--schedules M | --schedule K)\n"
          + "  --schedules M  runs the first M schedules of the seed\n"
          + "  --schedule K   runs its K-th schedule alone, to repeat a mistake";

  private FaultsMain() {}

  /** Exits with 0 if all went as it may, 1 if not, 2 for other arguments than the usage's. */
  public static void main(String[] arguments) {
    System.exit(run(List.of(arguments)));
  }

  private static int run(List<String> arguments) {
    try {
      if (arguments.size() == 4 && arguments.get(0).equals("--seed")) {
        long seed = Long.parseLong(arguments.get(1));
        long number = Long.parseLong(arguments.get(3));
        if (arguments.get(2).equals("--schedules")) {
          return run(seed, 0, number);
        }
        if (arguments.get(2).equals("--schedule")) {
          return run(seed, number, number + 1);
        }
      }
    } catch (NumberFormatException e) {
      System.err.println("Not a number: " + e.getMessage());
    }
    System.err.println(USAGE);
    return 2;
  }

  private static int run(long seed, long from, long to) {
    Totals totals = new Faults(seed, System.out).run(from, to);
    System.out.println(totals.outcomes());
    System.out.println(totals.verdict());
    return totals.failed() == 0 ? 0 : 1;
  }
}
