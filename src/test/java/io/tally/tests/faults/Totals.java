package io.tally.tests.faults;

import java.util.Map;
import java.util.TreeMap;

/** Counts how schedules ended. Not for several threads. */
final class Totals {
  private final Map<String, Integer> ends = new TreeMap<>();
  private int passed;
  private int failed;
  private long reconnects;

  /** As it may, and how. */
  void passed(Schedule.Level level, String outcome) {
    passed++;
    ends.merge(level + " " + outcome, 1, Integer::sum);
  }

  /** How often streams have connected again. */
  void addReconnects(long count) {
    reconnects += count;
  }

  void addFailed() {
    failed++;
  }

  int failed() {
    return failed;
  }

  String outcomes() {
    return "Ends: %s; %d times a stream has connected again".formatted(ends, reconnects);
  }

  String verdict() {
    return "%d passed, %d failed".formatted(passed, failed);
  }
}
