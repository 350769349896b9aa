package io.tally.tests.differential;

import java.util.List;

/** The command line of the differential harness: prints mistakes and, last, their number. */
public final class DifferentialMain {
  /** As users start it, in the root of the repository. */
  public static final String COMMAND = "./src/test/differential.sh";

  private static final String USAGE =
      "usage: "
          + COMMAND
          + " --seed N (--queries M | --query K)\n"
          + "  --queries M  asks the first M queries of the seed\n"
          + "  --query K    asks its K-th query alone, to repeat a mistake";

  private DifferentialMain() {}

  /** Exits with 0 if all answers are the same, 1 if not, 2 for other arguments than the usage's. */
  public static void main(String[] arguments) {
    System.exit(run(List.of(arguments)));
  }

  private static int run(List<String> arguments) {
    try {
      if (arguments.size() == 4 && arguments.get(0).equals("--seed")) {
        long seed = Long.parseLong(arguments.get(1));
        long number = Long.parseLong(arguments.get(3));
        if (arguments.get(2).equals("--queries")) {
          return run(seed, 0, number);
        }
        if (arguments.get(2).equals("--query")) {
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
    Worlds.closeWhenStopped();
    Totals totals = Differential.run(seed, from, to, System.out);
    System.out.println(totals.pushDown());
    System.out.println(totals.verdict());
    return totals.failed() == 0 ? 0 : 1;
  }
}
