package io.tally.server.scan;

import io.tally.rpc.arrow.RecordBatchDecoder;
import io.tally.rpc.arrow.ScanFrame;
import io.tally.rpc.v1.End;
import io.tally.rpc.v1.Open;
import io.tally.server.fixture.MemoryCatalog;
import io.tally.server.fixture.Rows;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import org.apache.arrow.memory.BufferAllocator;
import org.apache.arrow.memory.RootAllocator;
import org.apache.arrow.vector.VectorSchemaRoot;
import org.apache.arrow.vector.types.pojo.Schema;

/** Runs scans over a catalog without a network; fails at closing if memory is left. */
final class ScanRunner implements AutoCloseable {
  /** What a scan answered. */
  record Answer(Schema schema, List<List<Object>> rows, List<Batch> batches, End end) {}

  /** Size of a batch. */
  record Batch(long rows, long bodyBytes) {}

  final MemoryCatalog catalog = new MemoryCatalog();
  final BufferAllocator allocator = new RootAllocator();
  final ScheduledExecutorService scheduler = Executors.newSingleThreadScheduledExecutor();
  private static final ExpressionLimits LIMITS = new ExpressionLimits(64, 200_000);

  ScanPlan plan(Open.Builder open) {
    return plan(open, ScanFeatures.ALL);
  }

  /** As a node plans it that knows these features alone. */
  ScanPlan plan(Open.Builder open, ScanFeatures features) {
    return new ScanPlanner(LIMITS, features).plan(open.build(), catalog.table(open.getTable()));
  }

  Scan prepare(Open.Builder open) {
    return prepare(plan(open));
  }

  private Scan prepare(ScanPlan plan) {
    return Scan.prepare(plan, Long.MAX_VALUE, catalog, allocator, scheduler);
  }

  Answer run(Open.Builder open) {
    return run(plan(open));
  }

  Answer run(ScanPlan plan) {
    try (Scan scan = prepare(plan);
        VectorSchemaRoot root = VectorSchemaRoot.create(scan.plan().schema(), allocator)) {
      List<List<Object>> rows = new ArrayList<>();
      List<Batch> batches = new ArrayList<>();
      for (Optional<ScanFrame> frame = scan.next(); frame.isPresent(); frame = scan.next()) {
        batches.add(new Batch(frame.get().message().getBatch().getRows(), frame.get().bodyBytes()));
        RecordBatchDecoder.load(frame.get(), root);
        rows.addAll(Rows.of(root));
      }
      return new Answer(scan.plan().schema(), rows, batches, scan.end());
    }
  }

  @Override
  public void close() {
    scheduler.shutdownNow();
    catalog.close();
    allocator.close();
  }
}
