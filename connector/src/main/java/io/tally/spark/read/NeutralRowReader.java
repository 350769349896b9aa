package io.tally.spark.read;

import io.tally.spark.pushdown.OutputColumn;
import java.util.ArrayList;
import java.util.List;
import org.apache.arrow.memory.BufferAllocator;
import org.apache.arrow.vector.BigIntVector;
import org.apache.arrow.vector.NullVector;
import org.apache.arrow.vector.ValueVector;
import org.apache.spark.sql.connector.read.PartitionReader;
import org.apache.spark.sql.vectorized.ColumnVector;
import org.apache.spark.sql.vectorized.ColumnarBatch;

/** Gives the one row that an ungrouped aggregation has over no rows: counts 0, all else NULL. */
final class NeutralRowReader implements PartitionReader<ColumnarBatch> {
  private final ReadShape shape;
  private final BufferAllocator allocator;
  private final List<ValueVector> vectors = new ArrayList<>();
  private boolean given;

  NeutralRowReader(ReadShape shape, BufferAllocator allocator) {
    this.shape = shape;
    this.allocator = allocator;
  }

  @Override
  public boolean next() {
    boolean first = !given;
    given = true;
    return first;
  }

  @Override
  public ColumnarBatch get() {
    for (OutputColumn output : shape.outputs()) {
      vectors.add(output.role() == OutputColumn.Role.COUNT ? zero() : new NullVector("neutral", 1));
    }
    ColumnVector[] columns =
        vectors.stream().map(StreamColumnVector::new).toArray(ColumnVector[]::new);
    return new ColumnarBatch(columns, 1);
  }

  private BigIntVector zero() {
    BigIntVector vector = new BigIntVector("neutral", allocator);
    vector.allocateNew(1);
    vector.set(0, 0);
    vector.setValueCount(1);
    return vector;
  }

  @Override
  public void close() {
    vectors.forEach(ValueVector::close);
    vectors.clear();
  }
}
