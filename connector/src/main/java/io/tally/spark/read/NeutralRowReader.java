package io.tally.spark.read;

import java.util.ArrayList;
import java.util.List;
import org.apache.arrow.memory.BufferAllocator;
import org.apache.arrow.vector.ValueVector;
import org.apache.spark.sql.connector.read.PartitionReader;
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
    return NeutralRow.batch(shape, allocator, vectors);
  }

  @Override
  public void close() {
    vectors.forEach(ValueVector::close);
    vectors.clear();
  }
}
