package io.tally.spark.read;

import io.tally.rpc.TallyException;
import io.tally.rpc.v1.ErrorCode;
import io.tally.spark.pushdown.OutputColumn;
import io.tally.spark.pushdown.OutputColumn.Role;
import java.math.BigInteger;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import org.apache.arrow.memory.BufferAllocator;
import org.apache.arrow.vector.BigIntVector;
import org.apache.arrow.vector.DecimalVector;
import org.apache.arrow.vector.FieldVector;
import org.apache.arrow.vector.VectorSchemaRoot;
import org.apache.spark.sql.vectorized.ColumnVector;
import org.apache.spark.sql.vectorized.ColumnarBatch;

/**
 * Takes batches of partial aggregates, sums 128 bits wide, and gives Spark batches whose sums fit
 * the types that Spark reads, paying larger ones out in change.
 *
 * <p><b>Why.</b> Before Spark adds partial sums up, it casts a decimal one to the type of the
 * <i>input</i> column ({@code V2ScanRelationPushDown.rewriteAggregate}; 4.0 to 4.2), and reads an
 * integer one as BIGINT. A partial sum is often larger. But a group may arrive in any number of
 * rows: 199.8 over a DECIMAL(3, 1) column goes on as 99.9 in the group's own row and 99.9 in an
 * extra row, which repeats the keys and holds the neutral element in every other column.
 *
 * <p><b>Why that adds no overflow.</b> All pieces of a sum have its sign, so while Spark adds them
 * up, its buffer moves from where it was to where the undivided sum would have taken it, and never
 * beyond: it overflows on the way only if it would have overflowed at the end. What overflows is
 * then treated by Spark's own SUM, with ANSI on, off, or by {@code try_sum}. Whether sums of
 * different signs overflow before they cancel out depends on the order of rows in Spark, too; a
 * node adds exactly, so that here they do so less often, never more.
 *
 * <p><b>How many.</b> A sum is paid in the fewest pieces that fit, hence in no more extra rows than
 * the node has added up: each of those fitted. Extra rows are made as Spark takes them, at most
 * {@value #MAX_EXTRA_ROWS_PER_BATCH} at a time.
 *
 * <p>Nearly always everything fits: then one pass over each column of sums finds that out, decimals
 * are shown as they came, and integers are copied once.
 */
final class AggregateBatches implements BatchShaper {
  static final int MAX_EXTRA_ROWS_PER_BATCH = 4096;

  private final ReadShape shape;
  private final String source;
  private final BufferAllocator allocator;
  private final List<ExactSum> sums;

  private VectorSchemaRoot root;
  private boolean ownRowsGiven;
  private final Deque<Owed> owed = new ArrayDeque<>();
  private final List<FieldVector> allocated = new ArrayList<>();
  private ColumnarBatch batch;

  /** What one group still gets, by column; null where there is nothing. */
  private record Owed(int row, List<BigInteger> rest) {}

  /**
   * @param source who sends, for messages
   * @param allocator for vectors that are made here
   */
  AggregateBatches(ReadShape shape, String source, BufferAllocator allocator) {
    this.shape = shape;
    this.source = source;
    this.allocator = allocator;
    this.sums = new ArrayList<>();
    for (OutputColumn output : shape.outputs()) {
      sums.add(isSplittable(output) ? ExactSum.of(output) : null);
    }
  }

  /** A complete decimal sum is read as it is sent. */
  private boolean isSplittable(OutputColumn output) {
    return output.role() == Role.INTEGER_SUM
        || (output.role() == Role.DECIMAL_SUM && !shape.complete());
  }

  @Override
  public void start(VectorSchemaRoot root) {
    this.root = root;
    ownRowsGiven = false;
  }

  @Override
  public boolean next() {
    release();
    if (root == null) {
      return false;
    }
    if (!ownRowsGiven) {
      batch = ownRows();
      ownRowsGiven = true;
      return true;
    }
    if (!owed.isEmpty()) {
      batch = extraRows();
      return true;
    }
    root = null;
    return false;
  }

  private ColumnarBatch ownRows() {
    int rows = root.getRowCount();
    List<Integer> overflowing = overflowingRows(rows);
    List<List<BigInteger>> rests = new ArrayList<>();
    overflowing.forEach(row -> rests.add(new ArrayList<>()));
    ColumnVector[] columns = new ColumnVector[sums.size()];
    for (int column = 0; column < columns.length; column++) {
      ExactSum sum = sums.get(column);
      FieldVector sent = root.getVector(column);
      if (sum == null) {
        columns[column] = new StreamColumnVector(sent);
        rests.forEach(rest -> rest.add(null));
        continue;
      }
      DecimalVector wide = (DecimalVector) sent;
      FieldVector read = sum.read(wide, rows, !overflowing.isEmpty(), allocator);
      if (read != wide) {
        allocated.add(read);
      }
      for (int i = 0; i < overflowing.size(); i++) {
        rests.get(i).add(payFirst(sum, wide, overflowing.get(i), read));
      }
      columns[column] = new StreamColumnVector(read);
    }
    for (int i = 0; i < overflowing.size(); i++) {
      owed.add(new Owed(overflowing.get(i), rests.get(i)));
    }
    return new ColumnarBatch(columns, rows);
  }

  private List<Integer> overflowingRows(int rows) {
    List<Integer> overflowing = new ArrayList<>();
    for (int column = 0; column < sums.size(); column++) {
      ExactSum sum = sums.get(column);
      if (sum == null || sum.allFit((DecimalVector) root.getVector(column), rows)) {
        continue;
      }
      DecimalVector wide = (DecimalVector) root.getVector(column);
      for (int row = 0; row < rows; row++) {
        if (!wide.isNull(row) && !sum.fits(ExactSum.value(wide, row))) {
          overflowing.add(row);
        }
      }
    }
    if (shape.complete() && !overflowing.isEmpty()) {
      throw new TallyException(
          ErrorCode.PROTOCOL_VIOLATION,
          "A sum from "
              + source
              + " is larger than the node's own statistics allow. Its bounds for some column do not"
              + " hold; restart the node so that it takes them again.");
    }
    return overflowing.stream().distinct().sorted().toList();
  }

  /** Puts the first piece of a sum into its own row; returns what is left, null if nothing. */
  private static BigInteger payFirst(ExactSum sum, DecimalVector wide, int row, FieldVector read) {
    if (wide.isNull(row)) {
      return null;
    }
    BigInteger value = ExactSum.value(wide, row);
    BigInteger piece = sum.largestPiece(value);
    sum.set(read, row, piece);
    return nullIfZero(value.subtract(piece));
  }

  private static BigInteger nullIfZero(BigInteger rest) {
    return rest.signum() == 0 ? null : rest;
  }

  private ColumnarBatch extraRows() {
    List<Owed> paid = new ArrayList<>();
    while (!owed.isEmpty() && paid.size() < MAX_EXTRA_ROWS_PER_BATCH) {
      Owed next = owed.pop();
      paid.add(next);
      List<BigInteger> rest = new ArrayList<>();
      for (int column = 0; column < sums.size(); column++) {
        BigInteger before = next.rest().get(column);
        rest.add(
            before == null
                ? null
                : nullIfZero(before.subtract(sums.get(column).largestPiece(before))));
      }
      if (rest.stream().anyMatch(each -> each != null)) {
        owed.push(new Owed(next.row(), rest));
      }
    }
    ColumnVector[] columns = new ColumnVector[sums.size()];
    for (int column = 0; column < columns.length; column++) {
      columns[column] = new StreamColumnVector(extraColumn(column, paid));
    }
    return new ColumnarBatch(columns, paid.size());
  }

  private FieldVector extraColumn(int column, List<Owed> paid) {
    FieldVector sent = root.getVector(column);
    FieldVector made =
        sums.get(column) == null
            ? sent.getField().createVector(allocator)
            : sums.get(column).allNull(paid.size(), allocator);
    allocated.add(made);
    switch (shape.outputs().get(column).role()) {
      case KEY -> {
        made.setInitialCapacity(paid.size());
        made.allocateNew();
        for (int i = 0; i < paid.size(); i++) {
          made.copyFromSafe(paid.get(i).row(), i, sent);
        }
        made.setValueCount(paid.size());
      }
      case COUNT -> {
        BigIntVector zeros = (BigIntVector) made;
        zeros.allocateNew(paid.size());
        for (int i = 0; i < paid.size(); i++) {
          zeros.set(i, 0);
        }
        zeros.setValueCount(paid.size());
      }
      case INTEGER_SUM, DECIMAL_SUM -> {
        for (int i = 0; i < paid.size(); i++) {
          BigInteger rest = paid.get(i).rest().get(column);
          if (rest != null) {
            sums.get(column).set(made, i, sums.get(column).largestPiece(rest));
          }
        }
      }
      case OTHER -> {
        made.setInitialCapacity(paid.size());
        made.allocateNew();
        made.setValueCount(paid.size());
      }
    }
    return made;
  }

  @Override
  public ColumnarBatch batch() {
    return batch;
  }

  private void release() {
    allocated.forEach(FieldVector::close);
    allocated.clear();
    batch = null;
  }

  @Override
  public void close() {
    release();
    owed.clear();
    root = null;
  }
}
