package io.tally.rpc.client;

import io.grpc.CallOptions;
import io.grpc.Channel;
import io.grpc.Metadata;
import io.grpc.MethodDescriptor;
import io.grpc.Status;
import io.tally.rpc.TallyException;
import io.tally.rpc.arrow.ScanFrame;
import io.tally.rpc.v1.ErrorCode;
import io.tally.rpc.v1.Open;
import io.tally.rpc.v1.ScanRequest;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Keeps one scan connected to its node: makes a call, and the next one when that breaks, which goes
 * on behind the last batch that has arrived. There is one call at a time, and none while it waits
 * before the next try.
 *
 * <p>Only a scan of which nothing was handed out yet starts anew, here on the same node. Where
 * another owner of the same partitions could answer, it fails soon instead, and whoever opened it
 * asks the other.
 *
 * <p>Safe for any thread. Whoever holds this object's monitor may ask for the inbox's lock, never
 * the other way round.
 */
final class ScanConnection {
  private static final Logger LOG = LoggerFactory.getLogger(ScanConnection.class);

  private final Channel channel;
  private final MethodDescriptor<ScanRequest, ScanFrame> method;
  private final CallOptions callOptions;
  private final Open open;
  private final ReconnectPolicy policy;
  private final ScanLabel label;
  private final ScanInbox inbox;

  // All below is guarded by this.
  private ScanCall call;

  /** Whether gRPC has still to tell of the end of the call. */
  private boolean live;

  private boolean stopped;
  private long acknowledged;
  private int failedTries;
  private long arrivalsAtFailure;
  private long reconnects;
  private Runnable afterCall = () -> {};

  /**
   * @param open complete; with resume_after if the node may be asked to resume
   * @param maxMessageBytes the largest message that may arrive
   */
  ScanConnection(
      Channel channel,
      MethodDescriptor<ScanRequest, ScanFrame> method,
      int maxMessageBytes,
      Open open,
      ScanOptions options,
      ScanLabel label) {
    this.channel = channel;
    this.method = method;
    this.callOptions = CallOptions.DEFAULT.withMaxInboundMessageSize(maxMessageBytes);
    this.open = open;
    this.policy = options.reconnect();
    this.label = label;
    this.inbox = new ScanInbox(this, label, options);
  }

  /** Where the answer arrives. */
  ScanInbox inbox() {
    return inbox;
  }

  /** Makes the first call, or the next. */
  synchronized void connect() {
    if (stopped) {
      return;
    }
    Open.Builder asked = open.toBuilder();
    if (open.hasResumeAfter()) {
      asked.setResumeAfter(inbox.batches());
    }
    ScanCall next = new ScanCall(channel.newCall(method, callOptions), inbox, this);
    call = next;
    live = true;
    next.start(asked.build(), inbox.beginCall(), acknowledged);
  }

  /**
   * Grants batches to the node.
   *
   * @param consumed batches of which the node may forget
   */
  synchronized void grant(int credits, long consumed) {
    acknowledged = consumed;
    inbox.grant(credits);
    if (live) {
      call.grant(credits, consumed);
    }
  }

  /** Lets one more message come in. */
  synchronized void request() {
    if (live) {
      call.request();
    }
  }

  /**
   * Nothing has come for a while, though it should: breaks the connection, so that the next call
   * gets another, unless the node answers on it within {@code answerMillis}. Returns at once. A
   * scan that could not go on is better off waiting. To be called without a lock.
   */
  void doubt(long answerMillis) {
    Optional<ScanCall> doubted;
    synchronized (this) {
      doubted = live && !stopped && mayGoOn() ? Optional.of(call) : Optional.empty();
    }
    doubted.ifPresent(it -> it.doubt(Math.max(1, answerMillis)));
  }

  private boolean mayGoOn() {
    return open.hasResumeAfter() && (!inbox.isOpened() || inbox.isKept());
  }

  /** Ends the call because of an error, and makes no other. */
  void stop(TallyException error) {
    ScanCall ended;
    synchronized (this) {
      boolean already = stopped;
      stopped = true;
      if (already || !live) {
        return;
      }
      ended = call;
      call.cancel(error.getMessage());
    }
    if (error.code() == ErrorCode.NODE_SILENT) {
      ended.distrust();
    }
  }

  /** How many calls were made behind the first. */
  synchronized long reconnects() {
    return reconnects;
  }

  /** gRPC has ended the call and delivers nothing more. */
  void callOver(Status status, Metadata trailers) {
    synchronized (this) {
      live = false;
    }
    if (!inbox.finish(status)) {
      recover(label.failure(status, trailers, inbox.isOpened()));
    }
    Runnable last;
    synchronized (this) {
      last = live ? () -> {} : afterCall;
      notifyAll();
    }
    last.run();
  }

  private void recover(TallyException error) {
    boolean broken = error.code() == ErrorCode.NODE_UNREACHABLE;
    if (!error.retryable() || !mayGoOn()) {
      inbox.fail(error);
      return;
    }
    int tries = countTry();
    int mostTries = policy.tries(inbox.isOpened(), inbox.isHandedOut());
    if (tries > mostTries) {
      inbox.fail(tries == 1 ? error : label.gaveUp(error, tries - 1));
    } else if (!broken && !inbox.restart()) {
      inbox.fail(error);
    } else {
      long waitMillis = policy.waitMillis(tries - 1, ThreadLocalRandom.current().nextDouble());
      LOG.info(
          "Connecting again in {} ms, try {} of {}: {}",
          waitMillis,
          tries,
          mostTries,
          error.getMessage());
      CompletableFuture.delayedExecutor(waitMillis, TimeUnit.MILLISECONDS).execute(this::reconnect);
    }
  }

  /** How many tries in a row this one makes. */
  private synchronized int countTry() {
    long arrivals = inbox.arrivals();
    if (arrivals > arrivalsAtFailure) {
      arrivalsAtFailure = arrivals;
      failedTries = 0;
    }
    failedTries++;
    return failedTries;
  }

  private void reconnect() {
    try {
      synchronized (this) {
        reconnects++;
        connect();
      }
    } catch (RuntimeException | Error e) {
      synchronized (this) {
        live = false;
        notifyAll();
      }
      inbox.fail(label.fault(e));
    }
  }

  /** Runs {@code action} when gRPC delivers nothing more, at once if that is now. */
  void afterCall(Runnable action) {
    boolean now;
    synchronized (this) {
      now = !live;
      afterCall = action;
    }
    if (now) {
      action.run();
    }
  }

  /** Waits until gRPC delivers nothing more; false if that takes too long. */
  boolean awaitCallOver(long timeoutMillis) {
    long deadline = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(timeoutMillis);
    boolean interrupted = false;
    synchronized (this) {
      for (long nanos = deadline - System.nanoTime();
          live && nanos > 0;
          nanos = deadline - System.nanoTime()) {
        try {
          TimeUnit.NANOSECONDS.timedWait(this, nanos);
        } catch (InterruptedException e) {
          // Closing has to come to its end; whoever interrupts is heard afterwards.
          interrupted = true;
        }
      }
    }
    if (interrupted) {
      Thread.currentThread().interrupt();
    }
    synchronized (this) {
      return !live;
    }
  }
}
