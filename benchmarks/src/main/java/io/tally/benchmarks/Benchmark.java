package io.tally.benchmarks;

import java.util.List;
import java.util.Map;

/**
 * One benchmark: sets up what it needs in a scratch folder, measures, and leaves nothing behind.
 */
interface Benchmark {
  /** The name on the command line and of the result file. */
  String name();

  /** Runs it; takes a few minutes at most. */
  Result run(Effort effort) throws Exception;

  /** Fails, rather than measure, if an answer does not have as many rows as it should. */
  static long expect(long expected, long rows) {
    if (rows != expected) {
      throw new IllegalStateException(rows + " rows instead of " + expected);
    }
    return rows;
  }

  /**
   * What came out.
   *
   * @param goals the promises, with what was measured
   * @param figures everything else worth keeping, by name; the unit is part of the name
   */
  record Result(List<Goal> goals, Map<String, Object> figures) {
    public Result {
      goals = List.copyOf(goals);
      figures = Map.copyOf(figures);
    }
  }
}
