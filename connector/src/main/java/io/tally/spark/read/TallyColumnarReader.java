package io.tally.spark.read;

import io.tally.rpc.TallyException;
import io.tally.rpc.client.NodeClient;
import io.tally.rpc.client.ScanOptions;
import io.tally.rpc.v1.ErrorCode;
import io.tally.rpc.v1.Open;
import java.util.BitSet;
import java.util.Set;
import java.util.function.BooleanSupplier;
import java.util.function.Function;
import org.apache.arrow.memory.BufferAllocator;
import org.apache.spark.sql.connector.metric.CustomTaskMetric;
import org.apache.spark.sql.connector.read.PartitionReader;
import org.apache.spark.sql.vectorized.ColumnarBatch;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Takes the owners of a task's partitions and hands Spark the batches of one of them. If a node
 * fails of which nothing was handed to Spark yet, another owner is asked, or several one after
 * another, which merge as the streams of several tasks do. If something was handed over, the task
 * fails, and Spark may run it again.
 *
 * <p>Spark's task thread reads. A batch is valid until the next call of {@link #next} or {@link
 * #close}; its memory belongs to the reader.
 */
final class TallyColumnarReader implements PartitionReader<ColumnarBatch> {
  private static final Logger LOG = LoggerFactory.getLogger(TallyColumnarReader.class);

  /** The table is not what the query was planned with. */
  private static final Set<ErrorCode> CHANGED =
      Set.of(ErrorCode.LAYOUT_CHANGED, ErrorCode.PARTITION_NOT_FOUND, ErrorCode.TABLE_NOT_FOUND);

  private final Open task;
  private final OwnerChoice owners;
  private final Resources resources;
  private final ScanOptions limits;
  private final ReadShape shape;

  /** Positions of the partitions of which not all was read. */
  private final BitSet left = new BitSet();

  private OwnerChoice.Leg leg;
  private NodeReader reader;

  /** Of the readers before. */
  private ReadTotals before = ReadTotals.NONE;

  private boolean ended;

  /**
   * What a reader needs of its process and task.
   *
   * @param nodes clients by address
   * @param troubled is told how nodes fare
   * @param root parent of all allocators; outlives them
   * @param killed whether the task was killed, which ends the waiting
   */
  record Resources(
      Function<StreamOwner, NodeClient> nodes,
      TroubledNodes troubled,
      BufferAllocator root,
      BooleanSupplier killed) {}

  /**
   * Asks the first owner, and does not wait for the answer.
   *
   * @param task as in {@link NodeScan#open}
   */
  static TallyColumnarReader open(
      Open task, OwnerChoice owners, ScanOptions limits, ReadShape shape, Resources resources) {
    TallyColumnarReader reader = new TallyColumnarReader(task, owners, limits, shape, resources);
    reader.ask();
    return reader;
  }

  private TallyColumnarReader(
      Open task, OwnerChoice owners, ScanOptions limits, ReadShape shape, Resources resources) {
    this.task = task;
    this.owners = owners;
    this.limits = limits;
    this.shape = shape;
    this.resources = resources;
    left.set(0, task.getPartitionsCount());
  }

  @Override
  public boolean next() {
    try {
      return advance();
    } catch (TallyException e) {
      throw PortableError.of(e);
    }
  }

  private boolean advance() {
    while (!ended) {
      try {
        if (reader.next()) {
          return true;
        }
      } catch (TallyException e) {
        askAnother(e);
        continue;
      }
      resources.troubled().answered(leg.owner().address());
      left.andNot(leg.partitions());
      ended = left.isEmpty();
      if (!ended) {
        finish();
        ask();
      }
    }
    return false;
  }

  private void ask() {
    leg =
        owners
            .next(left)
            .orElseThrow(
                () -> new IllegalStateException("no owner is left for partitions " + left));
    StreamOwner owner = leg.owner();
    reader =
        NodeReader.open(
            resources.nodes().apply(owner),
            owner.nodeId(),
            owner.ask(task, leg.partitions()),
            leg.replaceable() ? limits.withReplica() : limits,
            shape,
            resources.root(),
            resources.killed());
  }

  private void askAnother(TallyException failure) {
    StreamOwner failed = leg.owner();
    if (failure.retryable() && failure.code() != ErrorCode.SCAN_LOST) {
      resources.troubled().failed(failed.address(), reader.totals().received().waitedNanos());
    }
    if (reader.isHandedOut() || !OwnerChoice.mayHelp(failure)) {
      throw explained(failure);
    }
    owners.exclude(failed);
    if (owners.next(left).isEmpty()) {
      throw explained(failure);
    }
    finish();
    before = before.plusFailover();
    ask();
    LOG.warn(
        "Node {} does not answer for {} partitions of table \"{}\", so node {} is asked for {} of them: {}",
        failed,
        left.cardinality(),
        task.getTable(),
        leg.owner(),
        leg.partitions().cardinality(),
        failure.getMessage());
  }

  private void finish() {
    before = totals();
    reader.close();
  }

  /** What to do about it, if the table has changed since the query was planned. */
  private TallyException explained(TallyException failure) {
    return CHANGED.contains(failure.code())
        ? new TallyException(
            failure.code(),
            "Table \"%s\" is not on the nodes as it was when the query was planned. %s Then run the query again: it is planned anew. A DataFrame that was run before keeps its plan, so build it again; what was cached has to be unpersisted, or refreshed with REFRESH TABLE."
                .formatted(task.getTable(), failure.getMessage()),
            failure)
        : failure;
  }

  @Override
  public ColumnarBatch get() {
    return reader.batch();
  }

  private ReadTotals totals() {
    ReadTotals last = reader.totals();
    return before.plus(last.received(), last.rowsScanned());
  }

  @Override
  public CustomTaskMetric[] currentMetricsValues() {
    return ScanMetrics.values(totals());
  }

  @Override
  public void close() {
    reader.close();
  }
}
