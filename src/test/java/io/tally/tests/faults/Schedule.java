package io.tally.tests.faults;

import io.tally.rpc.v1.ErrorCode;
import io.tally.server.fixture.LinkBreak;
import io.tally.server.fixture.LinkSpeed;
import io.tally.tests.differential.Dice;
import io.tally.tests.faults.Fault.Stroke;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;

/**
 * A query and what goes wrong meanwhile, all of it from a seed.
 *
 * @param level who asks
 * @param batches how many batches a window holds
 * @param tries how often the client connects again
 * @param shared whether both nodes hold all rows; else each holds half of them
 * @param struck which of the nodes the faults concern, where both are asked
 */
record Schedule(
    Level level,
    Query query,
    int maxBatchBytes,
    int batches,
    int tries,
    boolean shared,
    int struck,
    List<Fault> faults) {
  /** Who asks. */
  enum Level {
    /** The client of the wire. */
    SCAN,
    /** Spark, with two executors. */
    SPARK
  }

  /** How patient a client is that is about to be left alone, and one that is not. */
  private static final long IMPATIENT_MILLIS = 250;

  private static final long PATIENT_MILLIS = 20_000;

  /** Of a hundred schedules. Each costs as much as ten others. */
  private static final int SPARK_PERCENT = 6;

  private static final int MANY_TRIES = 40;

  /** More than crosses the link in either direction. */
  private static final int ANSWER_BYTES = 300_000;

  private static final int QUESTION_BYTES = 3_000;

  Schedule {
    faults = List.copyOf(faults);
  }

  static Schedule generate(Dice dice) {
    Level level = dice.chance(SPARK_PERCENT) ? Level.SPARK : Level.SCAN;
    List<Fault> faults = new ArrayList<>();
    for (int count = dice.pick(1, 1, 1, 2, 2, 3); count > 0; count--) {
      faults.add(level == Level.SCAN ? forScan(dice) : forSpark(dice));
    }
    return new Schedule(
        level,
        Query.generate(dice),
        dice.pick(2, 4, 4, 16, 64) << 10,
        dice.between(1, 6),
        dice.chance(90) ? MANY_TRIES : 0,
        dice.chance(50),
        dice.below(2),
        faults);
  }

  private static Fault forScan(Dice dice) {
    int moment = dice.chance(30) ? 0 : dice.between(1, 40);
    int chosen = dice.below(100);
    if (chosen < 40) {
      return new Fault.Breaks(anyBreak(dice));
    }
    if (chosen < 55) {
      return new Fault.Hinders(moment, anySpeed(dice));
    }
    if (chosen < 58) {
      // Each costs the start of a process.
      return new Fault.Strikes(
          moment, dice.pick(Stroke.KILL, Stroke.KILL, Stroke.TERMINATE), dice.pick(0, 1, 50));
    }
    Stroke stroke =
        dice.pick(
            Stroke.CUT,
            Stroke.CUT,
            Stroke.SWALLOW,
            Stroke.SUSPEND,
            Stroke.SUSPEND,
            Stroke.REPLACE,
            Stroke.PAUSE,
            Stroke.PAUSE,
            Stroke.CLOSE,
            Stroke.INTERRUPT);
    boolean undone = stroke == Stroke.PAUSE || dice.chance(stroke == Stroke.SUSPEND ? 70 : 50);
    return new Fault.Strikes(moment, stroke, undone ? dice.between(1, 60) : 0);
  }

  private static Fault forSpark(Dice dice) {
    int moment = dice.between(0, 300);
    int chosen = dice.below(100);
    if (chosen < 40) {
      return new Fault.Breaks(anyBreak(dice));
    }
    if (chosen < 60) {
      // The tasks of this node are slow, and Spark starts them a second time elsewhere.
      return new Fault.Hinders(moment, anySpeed(dice));
    }
    Stroke stroke =
        dice.pick(
            Stroke.CUT,
            Stroke.CUT,
            Stroke.SWALLOW,
            Stroke.KILL,
            Stroke.SUSPEND,
            Stroke.CANCEL_JOBS,
            Stroke.CANCEL_JOBS,
            Stroke.LOSE_EXECUTOR);
    return new Fault.Strikes(moment, stroke, dice.chance(50) ? dice.between(1, 400) : 0);
  }

  private static LinkBreak anyBreak(Dice dice) {
    boolean answer = dice.chance(70);
    return new LinkBreak(
        answer ? LinkBreak.Direction.FROM_NODE : LinkBreak.Direction.TO_NODE,
        dice.below(answer && dice.chance(70) ? ANSWER_BYTES : QUESTION_BYTES),
        dice.pick(LinkBreak.Place.values()),
        dice.chance(80) ? LinkBreak.Manner.CUT : LinkBreak.Manner.SWALLOW);
  }

  private static LinkSpeed anySpeed(Dice dice) {
    LinkSpeed speed = LinkSpeed.UNHINDERED.withRoundTripMicros(dice.pick(50, 540, 2_000, 20_000));
    return dice.chance(50) ? speed : speed.withBytesPerSecond(dice.between(1, 20) * 500_000L);
  }

  /** The errors that it may end with. None: the right answer is due. */
  Set<ErrorCode> mayEndWith() {
    Set<ErrorCode> codes = EnumSet.noneOf(ErrorCode.class);
    if (level == Level.SPARK && shared) {
      // Another owner answers where one does not.
      return codes;
    }
    faults.forEach(fault -> codes.addAll(fault.mayLeadTo()));
    if (tries == 0 && faults.stream().anyMatch(Schedule::cuts)) {
      codes.add(ErrorCode.NODE_UNREACHABLE);
    }
    if (!codes.isEmpty()) {
      // It is asked of a node that does not wait long for its clients.
      codes.add(ErrorCode.SCAN_LOST);
    }
    return codes;
  }

  private static boolean cuts(Fault fault) {
    if (fault instanceof Fault.Strikes strikes) {
      return strikes.stroke() == Stroke.CUT || strikes.stroke() == Stroke.REPLACE;
    }
    return fault instanceof Fault.Breaks breaks && breaks.how().manner() == LinkBreak.Manner.CUT;
  }

  /** How long a client takes silence. */
  long silenceMillis() {
    return faults.stream().anyMatch(it -> it.mayLeadTo().contains(ErrorCode.NODE_SILENT))
        ? IMPATIENT_MILLIS
        : PATIENT_MILLIS;
  }

  boolean has(Stroke stroke) {
    return faults.stream()
        .anyMatch(it -> it instanceof Fault.Strikes strikes && strikes.stroke() == stroke);
  }
}
