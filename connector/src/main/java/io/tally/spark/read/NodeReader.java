package io.tally.spark.read;

import io.tally.rpc.TallyException;
import io.tally.rpc.client.NodeClient;
import io.tally.rpc.client.ScanOptions;
import io.tally.rpc.client.ScanStream;
import io.tally.rpc.v1.Applied;
import io.tally.rpc.v1.ErrorCode;
import io.tally.rpc.v1.Open;
import io.tally.spark.types.ArrowSparkTypes;
import java.util.List;
import java.util.Optional;
import java.util.function.BooleanSupplier;
import org.apache.arrow.memory.BufferAllocator;
import org.apache.arrow.vector.types.pojo.Field;
import org.apache.spark.sql.types.DataType;
import org.apache.spark.sql.types.DataTypes;
import org.apache.spark.sql.types.StringType;
import org.apache.spark.sql.types.StructField;
import org.apache.spark.sql.vectorized.ColumnarBatch;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Takes one stream from a node and hands on its batches as Spark's, once the node has confirmed
 * that it applies everything that was pushed down and sends the columns that were planned.
 *
 * <p>A node that was restarted into an older version since the query was planned confirms less, or
 * refuses what it does not know. Then the reader makes up for what it can: it takes the first rows
 * itself, or reads rows and makes partial aggregates of them. What it cannot make up for is an
 * error, because rows in which a part was not applied would be wrong in silence.
 *
 * <p>Spark's task thread reads. A batch is valid until the next call of {@link #next} or {@link
 * #close}; its memory belongs to the reader. {@link #close} cancels what is not finished, and a
 * task that is killed stops waiting at once, see {@link KillableWait}.
 */
final class NodeReader implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(NodeReader.class);

  private final NodeClient node;
  private final String nodeId;
  private final ScanOptions limits;
  private final ReadShape shape;
  private final BufferAllocator root;
  private final BufferAllocator allocator;
  private final BooleanSupplier killed;

  private Reading reading;
  private boolean checked;
  private boolean handedOut;
  private long rowsLeft = Long.MAX_VALUE;
  private long rowsScanned;
  private ReadTotals before = ReadTotals.NONE;
  private boolean closed;

  /**
   * Asks the node, and does not wait for the answer.
   *
   * @param open without scan id and limits
   * @param root parent of the reader's and the stream's allocators; outlives them
   * @param killed whether the task was killed, which ends the waiting
   */
  static NodeReader open(
      NodeClient node,
      String nodeId,
      Open open,
      ScanOptions limits,
      ReadShape shape,
      BufferAllocator root,
      BooleanSupplier killed) {
    NodeReader reader = new NodeReader(node, nodeId, limits, shape, root, killed);
    try {
      reader.reading =
          reader.start(
              open,
              shape.isAggregation()
                  ? new AggregateBatches(shape, reader.source(open), reader.allocator)
                  : new RowBatches(shape.columns(), nodeId));
      return reader;
    } catch (RuntimeException | Error e) {
      reader.allocator.close();
      throw e;
    }
  }

  private NodeReader(
      NodeClient node,
      String nodeId,
      ScanOptions limits,
      ReadShape shape,
      BufferAllocator root,
      BooleanSupplier killed) {
    this.node = node;
    this.nodeId = nodeId;
    this.limits = limits;
    this.shape = shape;
    this.root = root;
    this.allocator = root.newChildAllocator("tally-reader", 0, Long.MAX_VALUE);
    this.killed = killed;
  }

  private Reading start(Open open, BatchShaper shaper) {
    ScanStream stream = node.scan(open, limits, root);
    return new Reading(open, stream, shaper, new KillableWait(killed, stream::close));
  }

  /**
   * Moves to the next batch, waiting for it; false: the stream has ended, and was complete.
   *
   * @throws TallyException the node's error, or what is wrong with its answer
   */
  boolean next() {
    if (!checked) {
      begin();
      checked = true;
    }
    if (rowsLeft == 0) {
      return false;
    }
    ScanStream stream = reading.stream();
    while (!reading.shaper().next()) {
      if (!reading.killable().during(stream::next)) {
        rowsScanned = stream.totals().getRowsScanned();
        return handOut(reading.shaper().end());
      }
      reading.shaper().start(stream.batch());
    }
    ColumnarBatch batch = reading.shaper().batch();
    batch.setNumRows((int) Math.min(batch.numRows(), rowsLeft));
    rowsLeft -= batch.numRows();
    return handOut(true);
  }

  private boolean handOut(boolean hasBatch) {
    handedOut |= hasBatch;
    return hasBatch;
  }

  /** The current batch. */
  ColumnarBatch batch() {
    return reading.shaper().batch();
  }

  /** Whether a batch was handed out, so that no other node can answer in this one's place. */
  boolean isHandedOut() {
    return handedOut;
  }

  private void begin() {
    Optional<TallyException> older = confirm();
    if (older.isEmpty()) {
      checkSchema(reading.stream().schema().getFields());
      return;
    }
    Open rows = RawRows.of(reading.open(), shape).orElseThrow(older::get);
    LOG.warn("Reading rows instead of partial aggregates: {}", older.get().getMessage());
    RawRowBatches shaper = new RawRowBatches(reading.open().getAggregation(), shape, allocator);
    before = totals();
    reading.close();
    reading = start(rows, shaper);
    Optional<TallyException> olderStill = confirm();
    if (olderStill.isPresent()) {
      throw olderStill.get();
    }
    List<Field> fields = reading.stream().schema().getFields();
    if (!shaper.accepts(fields)) {
      throw unplanned(fields, "columns for " + shape.outputs());
    }
  }

  /** What is wrong if the node is older than planned, and the rows cannot be read as they come. */
  private Optional<TallyException> confirm() {
    Applied applied;
    try {
      applied = reading.killable().during(reading.stream()::applied);
    } catch (TallyException e) {
      if (e.code() != ErrorCode.UNSUPPORTED_FEATURE) {
        throw e;
      }
      return Optional.of(older("refuses the scan of", e.getMessage(), e));
    }
    Unapplied unapplied = new Unapplied(reading.open(), applied, shape.complete());
    rowsLeft = unapplied.limit().orElse(Long.MAX_VALUE);
    return unapplied.isHarmful()
        ? Optional.of(
            older("does not apply all of the scan of", "It lacks " + unapplied.text() + ".", null))
        : Optional.empty();
  }

  private TallyException older(String does, String what, TallyException cause) {
    return new TallyException(
        ErrorCode.UNSUPPORTED_FEATURE,
        "Node \"%s\" (%s) %s table \"%s\": %s When the query was planned, it said that it can; probably it was restarted into an older version since. Run the query again: then it is planned without that. If the error stays, update the node, or set the option push-down to false."
            .formatted(nodeId, node.address(), does, reading.open().getTable(), what),
        cause);
  }

  private String source(Open open) {
    return "table \"" + open.getTable() + "\" at node \"" + nodeId + "\" (" + node.address() + ")";
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
      throw unplanned(fields, (shape.isAggregation() ? shape.outputs() : expected).toString());
    }
  }

  private TallyException unplanned(List<Field> fields, String expected) {
    return new TallyException(
        ErrorCode.PROTOCOL_VIOLATION,
        "The scan of "
            + source(reading.open())
            + " answers with columns "
            + fields
            + ", but "
            + expected
            + " was asked for. The node contradicts its own description of the table.");
  }

  /**
   * Nullability aside. A STRING may be read as one that was declared with a collation or length.
   */
  private static boolean sameType(DataType sent, DataType expected) {
    return sent.catalogString().equals(expected.catalogString())
        || (sent.equals(DataTypes.StringType) && expected instanceof StringType);
  }

  /** What has come so far. Also behind the end, and when it is closed. */
  ReadTotals totals() {
    return before.plus(reading.stream().received(), rowsScanned);
  }

  @Override
  public void close() {
    if (closed) {
      return;
    }
    closed = true;
    Reading last = reading;
    try (allocator;
        last) {
      // Closed in the opposite order: what borrows memory before what owns it.
    }
  }
}
