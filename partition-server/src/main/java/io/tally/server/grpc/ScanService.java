package io.tally.server.grpc;

import io.grpc.Metadata;
import io.grpc.ServerCall;
import io.grpc.ServerCallHandler;
import io.tally.rpc.TallyException;
import io.tally.rpc.arrow.ScanFrame;
import io.tally.rpc.v1.ErrorCode;
import io.tally.rpc.v1.Open;
import io.tally.server.scan.ExpressionLimits;
import io.tally.server.scan.Scan;
import io.tally.server.scan.ScanPlan;
import io.tally.server.scan.ScanPlanner;
import io.tally.server.table.TableCatalog;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.atomic.LongAdder;
import org.apache.arrow.memory.BufferAllocator;

/** Receives calls of Scan, and gives each what all of them share. Safe for any thread. */
final class ScanService implements ServerCallHandler<ReceivedRequest, ScanFrame> {
  private final NodeSettings settings;
  private final TableCatalog catalog;
  private final ScanPlanner planner;
  private final ScanAdmission admission;
  private final BufferAllocator allocator;
  private final ScheduledExecutorService scheduler;
  private final Set<ScanCall> running = ConcurrentHashMap.newKeySet();
  private final LongAdder sentBatches = new LongAdder();

  ScanService(
      NodeSettings settings,
      TableCatalog catalog,
      BufferAllocator allocator,
      ScheduledExecutorService scheduler) {
    this.settings = settings;
    this.catalog = catalog;
    this.planner =
        new ScanPlanner(
            new ExpressionLimits(settings.expressionDepth(), settings.expressionNodes()));
    this.admission = new ScanAdmission(settings, scheduler);
    this.allocator = allocator;
    this.scheduler = scheduler;
  }

  @Override
  public ServerCall.Listener<ReceivedRequest> startCall(
      ServerCall<ReceivedRequest, ScanFrame> call, Metadata headers) {
    return new ScanCall(call, this);
  }

  /** Ends running scans with SHUTTING_DOWN. */
  void cancelRunning() {
    List.copyOf(running)
        .forEach(
            call ->
                call.fail(
                    new TallyException(
                        ErrorCode.SHUTTING_DOWN,
                        "Node \"%s\" is stopping; the scan did not end within the time that it grants."
                            .formatted(settings.nodeId()))));
  }

  ScanPlan plan(Open open) {
    return planner.plan(open, catalog.table(open.getTable()));
  }

  Scan prepare(ScanPlan plan) {
    return Scan.prepare(plan, catalog, allocator, scheduler);
  }

  NodeSettings settings() {
    return settings;
  }

  ScanAdmission admission() {
    return admission;
  }

  ScheduledExecutorService scheduler() {
    return scheduler;
  }

  /** The calls whose scans run. */
  Set<ScanCall> running() {
    return running;
  }

  /** Batches handed to gRPC. */
  LongAdder sentBatches() {
    return sentBatches;
  }
}
