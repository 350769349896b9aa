package io.tally.server.grpc;

import io.tally.rpc.ShownText;
import io.tally.rpc.TallyException;
import io.tally.rpc.WindowBudget;
import io.tally.rpc.arrow.ArrowSchemas;
import io.tally.rpc.arrow.ScanFrame;
import io.tally.rpc.v1.End;
import io.tally.rpc.v1.ErrorCode;
import io.tally.rpc.v1.Next;
import io.tally.rpc.v1.Open;
import io.tally.rpc.v1.Opened;
import io.tally.server.scan.Scan;
import io.tally.server.scan.ScanPlan;
import java.util.Optional;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One scan, from its plan to its end, over all the calls on which its client asks for it. A thread
 * of the admission runs it and sends a batch for every credit; while more scans run than can work,
 * it waits for its turn.
 *
 * <p>A client whose connection breaks may come back within the grace period, if it said so. The
 * scan ends once, by whichever thread first finds a reason; its own thread then releases what it
 * held.
 */
final class ScanSession {
  private static final Logger log = LoggerFactory.getLogger(ScanSession.class);

  private final Open open;
  private final ScanPlan plan;
  private final ScanService service;
  private final boolean resumable;
  private final ScanTurns.Turn turn;
  private final ScanOutbox outbox;
  private final ScanSender sender;

  /** Of the scan's own thread. */
  private End totals = End.getDefaultInstance();

  private final long startedNanos = System.nanoTime();

  private volatile ScanAdmission.Ticket ticket;
  private volatile Scan scan;

  // Guarded by this.
  private boolean started;
  private boolean ended;
  private boolean logged;
  private TallyException failure;
  private Future<?> grace;

  /** What gRPC may have of it at a time; empty before it works. */
  private Optional<WindowBudget.Share> window = Optional.empty();

  ScanSession(Open open, ScanPlan plan, ScanService service) {
    this.open = open;
    this.plan = plan;
    this.service = service;
    this.resumable = open.hasResumeAfter() && service.resumes();
    this.outbox =
        new ScanOutbox(
            resumable, new KeptBatches(service.settings().windowBytes(), service.keptBytes()));
    this.turn = service.turns().forScan();
    this.sender = new ScanSender(outbox, turn, service.sent(), this::complete);
  }

  // ---- gRPC's threads

  /** Its scan_id. */
  String id() {
    return open.getScanId();
  }

  /** Whether a client may come back for it. */
  boolean resumable() {
    return resumable;
  }

  /** Whether {@code other} asks for this scan, and not only under its name. */
  boolean isAskedForBy(Open other) {
    return withoutPosition(open).equals(withoutPosition(other));
  }

  private static Open withoutPosition(Open open) {
    return open.toBuilder().clearResumeAfter().build();
  }

  /** Asks for a place; the scan runs, waits, or has failed then. */
  void start() {
    try {
      ticket = service.admission().submit(this::run, this::fail);
    } catch (RuntimeException | Error e) {
      fail(e);
    }
  }

  /**
   * Answers on {@code call} from now on, which may be the first or a later one.
   *
   * @return false if the scan has ended
   * @throws TallyException SCAN_LOST, INVALID_REQUEST; the scan is as it was then
   */
  boolean attach(ScanCall call, long resumeAfter) {
    ScanOutbox.Attached attached;
    synchronized (this) {
      if (ended) {
        return false;
      }
      attached = outbox.attach(call, resumeAfter);
      if (grace != null) {
        grace.cancel(false);
      }
    }
    attached
        .replaced()
        .ifPresent(
            older ->
                older.close(
                    new TallyException(
                        ErrorCode.CANCELLED,
                        "A newer call of its client has taken the scan over.")));
    if (attached.needsSender()) {
      sendAgain();
    }
    return true;
  }

  void grant(ScanCall call, Next next) {
    outbox.grant(call, next);
  }

  void noMoreCredits(ScanCall call) {
    if (outbox.noMoreCredits(call)) {
      complete();
    }
  }

  void signal() {
    outbox.signal();
  }

  /** The client has given the scan up, unless it has done so after all was sent. */
  void cancelled(ScanCall call) {
    if (!outbox.isCurrent(call)) {
      return;
    }
    if (outbox.isEndSent()) {
      complete();
    } else {
      fail(new TallyException(ErrorCode.CANCELLED, "The client cancelled the scan."));
    }
  }

  /** The connection is gone. The client may come back. */
  void disconnected(ScanCall call) {
    synchronized (this) {
      if (ended || !outbox.detach(call)) {
        return;
      }
      if (resumable) {
        grace =
            service
                .scheduler()
                .schedule(
                    this::expire, service.settings().resumeGraceMillis(), TimeUnit.MILLISECONDS);
        return;
      }
    }
    fail(new TallyException(ErrorCode.CANCELLED, "The client cancelled the scan or is gone."));
  }

  private void expire() {
    if (!outbox.isAttached()) {
      fail(
          new TallyException(
              ErrorCode.CANCELLED,
              "The connection broke, and the client did not come back within %d ms."
                  .formatted(service.settings().resumeGraceMillis())));
    }
  }

  /** A call that has spoken for this scan went wrong, which ends the scan if it is the current. */
  void fail(ScanCall call, Throwable error) {
    if (outbox.isCurrent(call)) {
      fail(error);
    } else {
      call.close(typed(error));
    }
  }

  // ---- the scan's own thread

  private void run() {
    if (!begin()) {
      return;
    }
    try {
      outbox.open(opened());
      Optional<ProgressTimer> progress =
          sender.startProgress(service.scheduler(), open.getProgressIntervalMillis());
      try {
        work();
      } finally {
        progress.ifPresent(ProgressTimer::close);
      }
    } catch (Exception | Error e) {
      fail(e);
    } finally {
      turn.leave();
      scan = null;
      log(plan.partitions(), totals);
    }
  }

  /** The engine is asked for nothing, not even to prepare a statement, before it is its turn. */
  private void work() throws InterruptedException {
    if (!sender.send() || !turn.take()) {
      return;
    }
    Optional<WindowBudget.Share> share = takeWindow();
    if (share.isPresent()) {
      work(share.get());
    }
  }

  private void work(WindowBudget.Share share) throws InterruptedException {
    outbox.limit(share.bytes() - WindowBudget.batchBytes(open.getMaxBatchBytes(), share.bytes()));
    try (Scan running = service.prepare(plan, share)) {
      scan = running;
      cancelIfEnded(running);
      try {
        produce(running);
      } finally {
        totals = running.end();
      }
    }
  }

  private Opened opened() {
    return Opened.newBuilder()
        .setArrowSchema(ArrowSchemas.encode(plan.schema()))
        .setApplied(plan.applied().toBuilder().setResume(resumable))
        .setNodeId(service.settings().nodeId())
        .build();
  }

  private void produce(Scan running) throws InterruptedException {
    Optional<ScanFrame> frame = running.next();
    while (frame.isPresent()) {
      outbox.add(frame.get());
      if (!sender.send() || !turn.take()) {
        return;
      }
      frame = running.next();
    }
    outbox.end(running.end());
    sender.send();
  }

  /** How much it is depends on how many others work; empty if the scan has ended. */
  private synchronized Optional<WindowBudget.Share> takeWindow() {
    window = ended ? Optional.empty() : Optional.of(service.sendWindow(open));
    return window;
  }

  /** For a client that comes back when all was produced and the scan's own thread has left. */
  private void sendAgain() {
    try {
      service
          .admission()
          .execute(
              () -> {
                try {
                  sender.send();
                } catch (Exception | Error e) {
                  fail(e);
                }
              });
    } catch (RuntimeException | Error e) {
      fail(e);
    }
  }

  // ---- any thread

  /** Ends the scan with an error, unless it has ended. */
  void fail(Throwable error) {
    end(Optional.of(typed(error)));
  }

  /** The node stops. */
  void stop() {
    if (outbox.isEndSent()) {
      complete();
    } else {
      fail(
          new TallyException(
              ErrorCode.SHUTTING_DOWN,
              "Node \"%s\" is stopping; the scan did not end within the time that it grants."
                  .formatted(service.settings().nodeId())));
    }
  }

  private void complete() {
    end(Optional.empty());
  }

  private void end(Optional<TallyException> reason) {
    boolean neverRan;
    Optional<WindowBudget.Share> share;
    synchronized (this) {
      if (ended) {
        return;
      }
      ended = true;
      share = window;
      failure = reason.orElse(null);
      neverRan = !started;
      if (grace != null) {
        grace.cancel(false);
      }
    }
    service.ended(this);
    turn.abandon();
    Optional<ScanCall> last = outbox.close();
    last.ifPresent(call -> reason.ifPresentOrElse(call::close, call::complete));
    share.ifPresent(held -> giveBack(held, last));
    ScanAdmission.Ticket place = ticket;
    if (place != null) {
      place.leaveQueue();
    }
    Scan running = scan;
    if (running != null && reason.isPresent()) {
      running.cancel();
    }
    if (neverRan) {
      log("not scanned", End.getDefaultInstance());
    } else {
      logUndelivered(reason);
    }
  }

  private TallyException typed(Throwable error) {
    return Errors.typed(
        service.settings().nodeId(), "Scan " + ShownText.name(open.getScanId()), error);
  }

  /** Once gRPC has sent all, or dropped it. */
  private static void giveBack(WindowBudget.Share share, Optional<ScanCall> last) {
    last.ifPresentOrElse(call -> call.whenOver(share::close), share::close);
  }

  private synchronized boolean begin() {
    started = !ended;
    return started;
  }

  private synchronized void cancelIfEnded(Scan running) {
    if (ended) {
      running.cancel();
    }
  }

  private void log(String partitions, End totals) {
    Optional<TallyException> error;
    synchronized (this) {
      error = Optional.ofNullable(failure);
      logged = true;
    }
    ScanLog.ended(open, partitions, totals, startedNanos, error);
  }

  private void logUndelivered(Optional<TallyException> reason) {
    boolean toldAsComplete;
    synchronized (this) {
      toldAsComplete = logged;
    }
    if (toldAsComplete && reason.isPresent()) {
      log.info(
          "scan {} was complete, but it is not known whether its client has all of it: {}",
          ShownText.name(open.getScanId()),
          ScanLog.describe(reason));
    }
  }
}
