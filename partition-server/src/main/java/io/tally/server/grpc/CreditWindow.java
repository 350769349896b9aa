package io.tally.server.grpc;

import io.tally.rpc.TallyException;
import io.tally.rpc.v1.ErrorCode;
import io.tally.rpc.v1.Next;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.BooleanSupplier;

/**
 * The credits of one scan: the client's messages add to them, the scan's thread takes one for each
 * batch and waits while there is none, or while a window of bytes has not left for the client yet.
 * So credits beyond the window have the effect of the window, and are not lost: a client that gives
 * credits back in groups larger than the node's window does not wait for ever. Safe for any thread.
 */
final class CreditWindow {
  private final ReentrantLock lock = new ReentrantLock();
  private final Condition changed = lock.newCondition();
  private final BooleanSupplier transportReady;
  private int credits;
  private long sent;
  private boolean noMore;
  private boolean ended;

  /**
   * An empty window.
   *
   * @param transportReady whether less than the window is waiting to be sent; {@link #signal} tells
   *     of changes
   */
  CreditWindow(BooleanSupplier transportReady) {
    this.transportReady = transportReady;
  }

  /**
   * Adds a client's grant.
   *
   * @throws TallyException INVALID_REQUEST
   */
  void grant(Next next) {
    lock.lock();
    try {
      if (next.getCredits() < 0) {
        throw invalid("Next has %d credits: they only add up".formatted(next.getCredits()));
      }
      if (next.getAcknowledged() < 0 || next.getAcknowledged() > sent) {
        throw invalid(
            "Next acknowledges batches below %d, but %d were sent"
                .formatted(next.getAcknowledged(), sent));
      }
      if (next.getCredits() > Integer.MAX_VALUE - credits) {
        throw invalid("Next brings the credits to more than %d".formatted(Integer.MAX_VALUE));
      }
      credits += next.getCredits();
      changed.signalAll();
    } finally {
      lock.unlock();
    }
  }

  /** No more grants will come. */
  void noMore() {
    lock.lock();
    try {
      noMore = true;
      changed.signalAll();
    } finally {
      lock.unlock();
    }
  }

  /** Looks again whether the transport is ready. */
  void signal() {
    lock.lock();
    try {
      changed.signalAll();
    } finally {
      lock.unlock();
    }
  }

  /** Nothing will be sent any more: wakes the scan's thread. */
  void end() {
    lock.lock();
    try {
      ended = true;
      changed.signalAll();
    } finally {
      lock.unlock();
    }
  }

  /**
   * Takes a credit for one batch, waiting for it until {@link #end}: for as long as the client
   * takes to read, since a connection that is gone ends the scan.
   *
   * @return false if the scan has ended meanwhile
   * @throws TallyException INVALID_REQUEST if there is none and none will come
   */
  boolean take() throws InterruptedException {
    lock.lock();
    try {
      while (!ended && !(credits > 0 && transportReady.getAsBoolean())) {
        if (noMore && credits == 0) {
          throw invalid(
              "The client closed its side with %d batches sent and more to come, and has no credits left"
                  .formatted(sent));
        }
        changed.await();
      }
      if (ended) {
        return false;
      }
      credits--;
      sent++;
      return true;
    } finally {
      lock.unlock();
    }
  }

  /** Whether the client waits for the node, and not the other way round. */
  boolean clientWaits() {
    lock.lock();
    try {
      return !ended && credits > 0 && transportReady.getAsBoolean();
    } finally {
      lock.unlock();
    }
  }

  private static TallyException invalid(String what) {
    return new TallyException(ErrorCode.INVALID_REQUEST, what + ".");
  }
}
