package io.tally.spark.read;

import io.tally.rpc.AggregateFunction;
import io.tally.rpc.v1.Aggregation;
import io.tally.rpc.v1.Expression;
import io.tally.spark.pushdown.OutputColumn;
import io.tally.spark.types.ArrowSparkTypes;
import java.util.ArrayList;
import java.util.List;
import org.apache.arrow.memory.BufferAllocator;
import org.apache.arrow.vector.BaseIntVector;
import org.apache.arrow.vector.BigIntVector;
import org.apache.arrow.vector.FieldVector;
import org.apache.arrow.vector.Float4Vector;
import org.apache.arrow.vector.Float8Vector;
import org.apache.arrow.vector.ValueVector;
import org.apache.arrow.vector.VectorSchemaRoot;
import org.apache.arrow.vector.types.pojo.Field;
import org.apache.spark.sql.execution.vectorized.ConstantColumnVector;
import org.apache.spark.sql.types.DataType;
import org.apache.spark.sql.types.DataTypes;
import org.apache.spark.sql.types.DayTimeIntervalType;
import org.apache.spark.sql.types.IntegralType;
import org.apache.spark.sql.types.YearMonthIntervalType;
import org.apache.spark.sql.vectorized.ColumnVector;
import org.apache.spark.sql.vectorized.ColumnarBatch;

/**
 * Takes batches of rows from a node that cannot aggregate, and gives Spark the partial aggregates
 * that they are: of one row, COUNT(*) is 1, COUNT(x) is 0 or 1, and SUM(x), MIN(x) and MAX(x) are
 * x. No sum leaves the type that Spark reads, because the row's own value is of it, or is widened
 * to it. Most columns are shown as they came; the others take one pass.
 */
final class RawRowBatches implements BatchShaper {
  private final Aggregation aggregation;
  private final ReadShape shape;
  private final BufferAllocator allocator;
  private final List<ValueVector> allocated = new ArrayList<>();

  private VectorSchemaRoot root;
  private ColumnarBatch batch;
  private boolean neutralRowOwed;

  /**
   * @param aggregation of columns alone, see {@link RawRows}
   * @param shape of the aggregation's answer
   * @param allocator for vectors that are made here
   */
  RawRowBatches(Aggregation aggregation, ReadShape shape, BufferAllocator allocator) {
    this.aggregation = aggregation;
    this.shape = shape;
    this.allocator = allocator;
    this.neutralRowOwed = aggregation.getGroupByCount() == 0;
  }

  /** Whether all columns are there and of the types that were planned. */
  boolean accepts(List<Field> fields) {
    for (int output = 0; output < shape.outputs().size(); output++) {
      for (Expression operand : operands(output)) {
        List<DataType> types =
            fields.stream()
                .filter(field -> field.getName().equals(operand.getColumn()))
                .flatMap(field -> ArrowSparkTypes.toSpark(field).stream())
                .toList();
        if (types.size() != 1 || !isOf(types.get(0), output)) {
          return false;
        }
      }
    }
    return true;
  }

  private boolean isOf(DataType sent, int output) {
    OutputColumn expected = shape.outputs().get(output);
    return switch (expected.role()) {
      case COUNT -> true;
      case INTEGER_SUM ->
          expected.read().equals(DataTypes.LongType)
              ? sent instanceof IntegralType
              : isSame(sent, expected.read());
      case DECIMAL_SUM -> sent.equals(expected.read());
      case KEY, OTHER ->
          isSum(output)
              ? sent.equals(DataTypes.FloatType) || sent.equals(DataTypes.DoubleType)
              : isSame(sent, expected.sent());
    };
  }

  /** Fields of an interval aside: the aggregate of one is sent without them. */
  private static boolean isSame(DataType sent, DataType expected) {
    return sent.catalogString().equals(expected.catalogString())
        || (sent instanceof YearMonthIntervalType && expected instanceof YearMonthIntervalType)
        || (sent instanceof DayTimeIntervalType && expected instanceof DayTimeIntervalType);
  }

  private List<Expression> operands(int output) {
    int keys = aggregation.getGroupByCount();
    return output < keys
        ? List.of(aggregation.getGroupBy(output))
        : aggregation.getAggregates(output - keys).getArgumentsList();
  }

  private boolean isSum(int output) {
    int keys = aggregation.getGroupByCount();
    return output >= keys
        && aggregation
            .getAggregates(output - keys)
            .getFunction()
            .equals(AggregateFunction.SUM.wireName());
  }

  @Override
  public void start(VectorSchemaRoot root) {
    this.root = root;
  }

  @Override
  public boolean next() {
    release();
    if (root == null) {
      return false;
    }
    int rows = root.getRowCount();
    neutralRowOwed &= rows == 0;
    ColumnVector[] columns = new ColumnVector[shape.outputs().size()];
    for (int output = 0; output < columns.length; output++) {
      columns[output] = column(output, rows);
    }
    batch = new ColumnarBatch(columns, rows);
    root = null;
    return true;
  }

  /** Without rows, an ungrouped aggregation has one group nevertheless. */
  @Override
  public boolean end() {
    release();
    if (neutralRowOwed) {
      neutralRowOwed = false;
      batch = NeutralRow.batch(shape, allocator, allocated);
      return true;
    }
    return false;
  }

  private ColumnVector column(int output, int rows) {
    List<FieldVector> sent =
        operands(output).stream().map(operand -> root.getVector(operand.getColumn())).toList();
    return switch (shape.outputs().get(output).role()) {
      case COUNT -> sent.isEmpty() ? ones(rows) : made(counts(sent, rows));
      case INTEGER_SUM ->
          sent.get(0) instanceof BaseIntVector integers && !(integers instanceof BigIntVector)
              ? made(longs(integers, rows))
              : new StreamColumnVector(sent.get(0));
      case KEY, DECIMAL_SUM, OTHER ->
          isSum(output) && sent.get(0) instanceof Float4Vector floats
              ? made(doubles(floats, rows))
              : new StreamColumnVector(sent.get(0));
    };
  }

  private static ColumnVector ones(int rows) {
    ConstantColumnVector ones = new ConstantColumnVector(rows, DataTypes.LongType);
    ones.setLong(1);
    return ones;
  }

  private BigIntVector counts(List<FieldVector> sent, int rows) {
    BigIntVector counts = new BigIntVector("count", allocator);
    counts.allocateNew(rows);
    for (int row = 0; row < rows; row++) {
      boolean counted = true;
      for (FieldVector vector : sent) {
        counted &= !vector.isNull(row);
      }
      counts.set(row, counted ? 1 : 0);
    }
    counts.setValueCount(rows);
    return counts;
  }

  private BigIntVector longs(BaseIntVector integers, int rows) {
    BigIntVector longs = new BigIntVector("sum", allocator);
    longs.allocateNew(rows);
    for (int row = 0; row < rows; row++) {
      if (!integers.isNull(row)) {
        longs.set(row, integers.getValueAsLong(row));
      }
    }
    longs.setValueCount(rows);
    return longs;
  }

  private Float8Vector doubles(Float4Vector floats, int rows) {
    Float8Vector doubles = new Float8Vector("sum", allocator);
    doubles.allocateNew(rows);
    for (int row = 0; row < rows; row++) {
      if (!floats.isNull(row)) {
        doubles.set(row, floats.get(row));
      }
    }
    doubles.setValueCount(rows);
    return doubles;
  }

  private ColumnVector made(FieldVector vector) {
    allocated.add(vector);
    return new StreamColumnVector(vector);
  }

  @Override
  public ColumnarBatch batch() {
    return batch;
  }

  private void release() {
    allocated.forEach(ValueVector::close);
    allocated.clear();
    batch = null;
  }

  @Override
  public void close() {
    release();
    root = null;
  }
}
