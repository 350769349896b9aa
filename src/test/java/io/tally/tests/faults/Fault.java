package io.tally.tests.faults;

import io.tally.rpc.v1.ErrorCode;
import io.tally.server.fixture.LinkBreak;
import io.tally.server.fixture.LinkSpeed;
import java.util.Set;

/** Something that goes wrong while a query runs, at a moment that a seed has chosen. */
sealed interface Fault {
  /** The errors that it may lead to. None: the right answer is due all the same. */
  Set<ErrorCode> mayLeadTo();

  /** The next connection to the node breaks. */
  record Breaks(LinkBreak how) implements Fault {
    @Override
    public Set<ErrorCode> mayLeadTo() {
      return how.manner() == LinkBreak.Manner.CUT
          ? Set.of()
          : Set.of(ErrorCode.NODE_SILENT, ErrorCode.NODE_UNREACHABLE);
    }
  }

  /** The link becomes another. */
  record Hinders(int moment, LinkSpeed speed) implements Fault {
    @Override
    public Set<ErrorCode> mayLeadTo() {
      return Set.of();
    }
  }

  /**
   * Something happens once.
   *
   * @param moment batches that were read before it; with Spark, milliseconds
   * @param undoneAfterMillis when it is over; 0: not before the query has ended
   */
  record Strikes(int moment, Stroke stroke, int undoneAfterMillis) implements Fault {
    @Override
    public Set<ErrorCode> mayLeadTo() {
      return stroke == Stroke.SUSPEND && undoneAfterMillis > 0 ? Set.of() : stroke.mayLeadTo();
    }
  }

  /** What may happen. */
  enum Stroke {
    /** All connections to the node are cut. */
    CUT,
    /** Connections to the node lead nowhere. */
    SWALLOW,
    /** The node's process is killed, and started again at the same port. */
    KILL,
    /** The node's process is asked to stop, and started again at the same port. */
    TERMINATE,
    /** The node's process gets no processor. */
    SUSPEND,
    /** Under its address there is another node, which has the same rows and knows no scan. */
    REPLACE,
    /** The reader does something else. */
    PAUSE,
    /** The reader has enough. */
    CLOSE,
    /** The reader's thread is interrupted. */
    INTERRUPT,
    /** Spark's driver cancels the query. */
    CANCEL_JOBS,
    /** The process of an executor of Spark is killed. */
    LOSE_EXECUTOR;

    private Set<ErrorCode> mayLeadTo() {
      return switch (this) {
        case SWALLOW, SUSPEND -> Set.of(ErrorCode.NODE_SILENT, ErrorCode.NODE_UNREACHABLE);
        case KILL -> Set.of(ErrorCode.NODE_UNREACHABLE, ErrorCode.SCAN_LOST);
        case TERMINATE ->
            Set.of(ErrorCode.SHUTTING_DOWN, ErrorCode.NODE_UNREACHABLE, ErrorCode.SCAN_LOST);
        case REPLACE -> Set.of(ErrorCode.SCAN_LOST);
        case CLOSE, INTERRUPT -> Set.of(ErrorCode.CANCELLED);
        case CUT, PAUSE, CANCEL_JOBS, LOSE_EXECUTOR -> Set.of();
      };
    }
  }
}
