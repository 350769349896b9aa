package io.tally.server.grpc;

import io.grpc.Metadata;
import io.grpc.ServerCall;
import io.grpc.ServerCallHandler;
import io.tally.rpc.Features;
import io.tally.rpc.ShownText;
import io.tally.rpc.TallyException;
import io.tally.rpc.WindowBudget;
import io.tally.rpc.arrow.ScanFrame;
import io.tally.rpc.v1.ErrorCode;
import io.tally.rpc.v1.Open;
import io.tally.server.scan.ExpressionLimits;
import io.tally.server.scan.Scan;
import io.tally.server.scan.ScanFeatures;
import io.tally.server.scan.ScanPlan;
import io.tally.server.scan.ScanPlanner;
import io.tally.server.table.TableCatalog;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ScheduledExecutorService;
import org.apache.arrow.memory.BufferAllocator;

/** Receives calls of Scan, and gives each what all of them share. Safe for any thread. */
final class ScanService implements ServerCallHandler<ReceivedRequest, ScanFrame> {
  /** More would only wait here: what leaves at once does not count. */
  private static final int SENT_BATCHES = 16;

  /** Scans that work at a time, on a machine of few cores. */
  private static final int LEAST_TURNS = 8;

  /** A scan and the engine's threads take turns: with two for each core, there is always work. */
  private static final int TURNS_PER_CORE = 2;

  private final NodeSettings settings;
  private final ScanFeatures features;
  private final TableCatalog catalog;
  private final ScanPlanner planner;
  private final ScanAdmission admission;
  private final ScanTurns turns =
      new ScanTurns(
          Math.max(LEAST_TURNS, TURNS_PER_CORE * Runtime.getRuntime().availableProcessors()));
  private final BufferAllocator allocator;
  private final ScheduledExecutorService scheduler;
  private final KeptBytes keptBytes;
  private final WindowBudget sendWindows = new WindowBudget();

  /** Of those that may be asked for again, by scan_id. */
  private final Map<String, ScanSession> resumable = new ConcurrentHashMap<>();

  /** All that have not ended. */
  private final Set<ScanSession> sessions = ConcurrentHashMap.newKeySet();

  private final SentTotals sent = new SentTotals();

  ScanService(
      NodeSettings settings,
      TableCatalog catalog,
      ScanFeatures features,
      BufferAllocator allocator,
      ScheduledExecutorService scheduler) {
    this.settings = settings;
    this.features = features;
    this.catalog = catalog;
    this.planner =
        new ScanPlanner(
            new ExpressionLimits(settings.expressionDepth(), settings.expressionNodes()), features);
    this.admission = new ScanAdmission(settings, scheduler);
    this.keptBytes = new KeptBytes(settings.resumeBytes());
    this.allocator = allocator;
    this.scheduler = scheduler;
  }

  @Override
  public ServerCall.Listener<ReceivedRequest> startCall(
      ServerCall<ReceivedRequest, ScanFrame> call, Metadata headers) {
    return new ScanCall(call, this);
  }

  /** Ends every scan that has not ended; with SHUTTING_DOWN unless all of it was sent. */
  void stopSessions() {
    List.copyOf(sessions).forEach(ScanSession::stop);
  }

  /**
   * The scan that {@code open} asks for, which answers on {@code call} from now on: a new one,
   * unless the client comes back for one that is there.
   *
   * @throws TallyException what is wrong with the request; SCAN_LOST
   */
  ScanSession open(Open open, ScanCall call) {
    if (open.hasResumeAfter()) {
      ScanSession known = resumable.get(open.getScanId());
      if (known != null && attach(known, open, call)) {
        return known;
      }
      if (known != null) {
        ended(known);
      }
      if (open.getResumeAfter() != 0) {
        throw lost(open);
      }
    }
    ScanSession created = new ScanSession(open, plan(open), this);
    created.attach(call, 0);
    sessions.add(created);
    if (created.resumable()) {
      ScanSession other = resumable.putIfAbsent(open.getScanId(), created);
      if (other != null) {
        // Another call of the client was faster.
        sessions.remove(created);
        return open(open, call);
      }
    }
    created.start();
    return created;
  }

  /** False if the scan has ended. */
  private boolean attach(ScanSession known, Open open, ScanCall call) {
    if (!known.isAskedForBy(open)) {
      throw new TallyException(
          ErrorCode.INVALID_REQUEST,
          "There is a scan %s already, and it asks for something else: mint a new scan_id for each scan."
              .formatted(ShownText.name(open.getScanId())));
    }
    return known.attach(call, open.getResumeAfter());
  }

  private TallyException lost(Open open) {
    return new TallyException(
        ErrorCode.SCAN_LOST,
        "Node \"%s\" does not have scan %s (any more), which its client wanted to resume after %d batches: the node was restarted, or the client was away for more than %d ms. Run it again."
            .formatted(
                settings.nodeId(),
                ShownText.name(open.getScanId()),
                open.getResumeAfter(),
                settings.resumeGraceMillis()));
  }

  private ScanPlan plan(Open open) {
    if (open.getMaxBatchBytes() > settings.windowBytes()) {
      throw new TallyException(
          ErrorCode.INVALID_REQUEST,
          "max_batch_bytes is %d, more than the window of %d bytes that this node grants."
              .formatted(open.getMaxBatchBytes(), settings.windowBytes()));
    }
    return planner.plan(open, catalog.table(open.getTable()));
  }

  /** A scan has ended. */
  void ended(ScanSession session) {
    sessions.remove(session);
    resumable.remove(session.id(), session);
  }

  /** A scan whose batches fit into the share that it has of what may be sent. */
  Scan prepare(ScanPlan plan, WindowBudget.Share share) {
    return Scan.prepare(plan, share.bytes(), catalog, allocator, scheduler);
  }

  /** What gRPC may have of a scan at a time. */
  WindowBudget.Share sendWindow(Open open) {
    long wanted = Math.min(settings.windowBytes(), SENT_BATCHES * open.getMaxBatchBytes());
    return sendWindows.take(wanted, settings.sendBytes());
  }

  WindowBudget sendWindows() {
    return sendWindows;
  }

  /** Whether scans are kept for clients whose connection broke. */
  boolean resumes() {
    return features.has(Features.RESUME);
  }

  NodeSettings settings() {
    return settings;
  }

  ScanAdmission admission() {
    return admission;
  }

  /** Which scans work. */
  ScanTurns turns() {
    return turns;
  }

  ScheduledExecutorService scheduler() {
    return scheduler;
  }

  /** Memory of batches that clients may ask for again. */
  KeptBytes keptBytes() {
    return keptBytes;
  }

  /** How many scans have not ended: they wait, run, or are kept for a client. */
  int openScans() {
    return sessions.size();
  }

  /** Batches handed to gRPC. */
  SentTotals sent() {
    return sent;
  }
}
