package io.tally.tests;

import java.util.List;

/**
 * The command line of a harness that makes what it does from a seed, so that any of it can be
 * repeated: {@code --seed N (--queries M | --query K)}, or whatever its things are called.
 *
 * @param command as users start it, in the root of the repository
 * @param thing what is made from the seed, one of it, such as {@code query}
 * @param things several, such as {@code queries}
 * @param usage lines that explain the two options
 */
public record SeededCommand(String command, String thing, String things, String usage) {

  /** Does all from one number to below another. */
  @FunctionalInterface
  public interface Run {
    /** Whether all went well. */
    boolean run(long seed, long from, long to);
  }

  /** The exit code: 0 if all went well, 1 if not, 2 for other arguments than the usage's. */
  public int run(String[] arguments, Run run) {
    List<String> given = List.of(arguments);
    try {
      if (given.size() == 4 && given.get(0).equals("--seed")) {
        long seed = Long.parseLong(given.get(1));
        long number = Long.parseLong(given.get(3));
        if (given.get(2).equals("--" + things)) {
          return run.run(seed, 0, number) ? 0 : 1;
        }
        if (given.get(2).equals("--" + thing)) {
          return run.run(seed, number, number + 1) ? 0 : 1;
        }
      }
    } catch (NumberFormatException e) {
      System.err.println("Not a number: " + e.getMessage());
    }
    System.err.printf("usage: %s --seed N (--%s M | --%s K)%n%s", command, things, thing, usage);
    return 2;
  }
}
