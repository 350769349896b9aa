package io.tally.tests.faults;

import java.util.List;

/** Asks the query of a schedule while its faults happen. For one thread. */
interface Asker extends AutoCloseable {
  /**
   * The rows, each as one text; or whatever error the query ends with. All faults are over then.
   */
  List<String> answer(Schedule schedule) throws Exception;

  /** Whether the schedule may end with that error. */
  boolean mayFailLike(Throwable error, Schedule schedule);

  /** Returns when neither side has anything left of the query; fails if that does not come. */
  void awaitNothingLeft();

  @Override
  void close();
}
