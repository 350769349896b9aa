package io.tally.tests.faults;

import java.util.EnumMap;
import java.util.Map;

/** Gives each schedule those who ask its query, and starts them when they are first needed. */
final class Askers implements AutoCloseable {
  private final World world;
  private final Totals totals;
  private final Map<Schedule.Level, Asker> askers = new EnumMap<>(Schedule.Level.class);

  Askers(World world, Totals totals) {
    this.world = world;
    this.totals = totals;
  }

  Asker of(Schedule.Level which) {
    return askers.computeIfAbsent(
        which,
        level ->
            switch (level) {
              case SCAN -> new ScanAsker(world, totals);
              case SPARK -> new SparkAsker(world);
            });
  }

  @Override
  public void close() {
    askers.values().forEach(Asker::close);
  }
}
