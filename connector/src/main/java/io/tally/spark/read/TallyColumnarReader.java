package io.tally.spark.read;

import io.tally.rpc.TallyException;
import io.tally.rpc.client.NodeClient;
import io.tally.rpc.client.ScanOptions;
import io.tally.rpc.client.ScanStream;
import io.tally.rpc.v1.Applied;
import io.tally.rpc.v1.ErrorCode;
import io.tally.rpc.v1.Open;
import io.tally.rpc.v1.ScanPartition;
import io.tally.spark.types.ArrowSparkTypes;
import java.util.List;
import java.util.function.BooleanSupplier;
import org.apache.arrow.memory.BufferAllocator;
import org.apache.arrow.vector.types.pojo.Field;
import org.apache.spark.sql.connector.metric.CustomTaskMetric;
import org.apache.spark.sql.connector.read.PartitionReader;
import org.apache.spark.sql.types.DataType;
import org.apache.spark.sql.types.DataTypes;
import org.apache.spark.sql.types.StringType;
import org.apache.spark.sql.types.StructField;
import org.apache.spark.sql.vectorized.ColumnarBatch;

/**
 * Takes one stream from a node and hands Spark its batches, once the node has confirmed that it
 * applies everything that was pushed down and sends the columns that were planned.
 *
 * <p>Spark's task thread reads. A batch is valid until the next call of {@link #next} or {@link
 * #close}; its memory belongs to the reader. {@link #close} cancels what is not finished, and a
 * task that is killed stops waiting at once, see {@link KillableWait}.
 */
final class TallyColumnarReader implements PartitionReader<ColumnarBatch> {
  private final Open open;
  private final String source;
  private final ReadShape shape;
  private final BufferAllocator allocator;
  private final ScanStream stream;
  private final BatchShaper shaper;
  private final KillableWait killable;

  private boolean checked;
  private long rowsScanned;
  private boolean closed;

  /**
   * @param open without scan id and limits
   * @param root parent of the reader's and the stream's allocators; outlives them
   * @param killed whether the task was killed, which ends the waiting
   */
  static TallyColumnarReader open(
      NodeClient node,
      String nodeId,
      Open open,
      ScanOptions limits,
      ReadShape shape,
      BufferAllocator root,
      BooleanSupplier killed) {
    String source =
        "table \"" + open.getTable() + "\" at node \"" + nodeId + "\" (" + node.address() + ")";
    BufferAllocator allocator = root.newChildAllocator("tally-reader", 0, Long.MAX_VALUE);
    try {
      ScanStream stream = node.scan(open, limits, root);
      BatchShaper shaper =
          shape.isAggregation()
              ? new AggregateBatches(shape, source, allocator)
              : new RowBatches(shape.columns(), nodeId);
      return new TallyColumnarReader(open, source, shape, allocator, stream, shaper, killed);
    } catch (RuntimeException | Error e) {
      allocator.close();
      throw e;
    }
  }

  private TallyColumnarReader(
      Open open,
      String source,
      ReadShape shape,
      BufferAllocator allocator,
      ScanStream stream,
      BatchShaper shaper,
      BooleanSupplier killed) {
    this.open = open;
    this.source = source;
    this.shape = shape;
    this.allocator = allocator;
    this.stream = stream;
    this.shaper = shaper;
    this.killable = new KillableWait(killed, stream::close);
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
    if (!checked) {
      checkApplied(killable.during(stream::applied));
      checkSchema(stream.schema().getFields());
      checked = true;
    }
    while (!shaper.next()) {
      if (!killable.during(stream::next)) {
        rowsScanned = stream.totals().getRowsScanned();
        return false;
      }
      shaper.start(stream.batch());
    }
    return true;
  }

  @Override
  public ColumnarBatch get() {
    return shaper.batch();
  }

  /** Rows in which a part was not applied would be wrong in silence, so they are not read. */
  private void checkApplied(Applied applied) {
    if (open.hasPredicate() && !applied.getPredicate()) {
      throw notApplied("the predicate");
    }
    if (open.hasAggregation() && !applied.getAggregation()) {
      throw notApplied("the aggregation");
    }
    if (open.hasLimit() && !applied.getLimit()) {
      throw notApplied("the limit");
    }
    if (open.getOrderByCount() > 0 && !applied.getOrder()) {
      throw notApplied("the order");
    }
    if (open.getOffset() > 0 && !applied.getOffset()) {
      throw notApplied("the offset");
    }
    if (open.hasSample() && !applied.getSample()) {
      throw notApplied("the sample");
    }
    if (!open.getPartitionColumn().isEmpty() && !applied.getPartitionColumn()) {
      throw notApplied("the column of partition ids");
    }
    boolean ranges = open.getPartitionsList().stream().anyMatch(ScanPartition::hasRange);
    if (ranges && !applied.getRowRanges()) {
      throw notApplied("the row ranges");
    }
    if (open.getProjectionCount() > 0 && !applied.getProjection()) {
      throw notApplied("the choice of fields");
    }
  }

  private TallyException notApplied(String part) {
    return new TallyException(
        ErrorCode.UNSUPPORTED_FEATURE,
        "The scan of "
            + source
            + " was opened, but the node does not apply "
            + part
            + ", which it claims to know. Set the option push-down to false to read without its"
            + " help, or update the node.");
  }

  private void checkSchema(List<Field> fields) {
    List<StructField> expected =
        shape.isAggregation() ? List.of(shape.readSchema().fields()) : shape.columns().sent();
    boolean same = fields.size() == expected.size();
    for (int i = 0; same && i < fields.size(); i++) {
      Field field = fields.get(i);
      StructField column = expected.get(i);
      DataType type = shape.isAggregation() ? shape.outputs().get(i).sent() : column.dataType();
      same =
          (shape.isAggregation() || field.getName().equals(column.name()))
              && ArrowSparkTypes.toSpark(field).map(sent -> sameType(sent, type)).orElse(false);
    }
    if (!same) {
      throw new TallyException(
          ErrorCode.PROTOCOL_VIOLATION,
          "The scan of "
              + source
              + " answers with columns "
              + fields
              + ", but "
              + (shape.isAggregation() ? shape.outputs() : expected)
              + " was asked for. The node contradicts its own description of the table.");
    }
  }

  /**
   * Nullability aside. A STRING may be read as one that was declared with a collation or length.
   */
  private static boolean sameType(DataType sent, DataType expected) {
    return sent.catalogString().equals(expected.catalogString())
        || (sent.equals(DataTypes.StringType) && expected instanceof StringType);
  }

  @Override
  public CustomTaskMetric[] currentMetricsValues() {
    return ScanMetrics.values(stream.received(), rowsScanned);
  }

  @Override
  public void close() {
    if (closed) {
      return;
    }
    closed = true;
    try (allocator;
        stream;
        shaper;
        killable) {
      // Closed in the opposite order: what borrows memory before what owns it.
    }
  }
}
