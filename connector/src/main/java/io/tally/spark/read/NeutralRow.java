package io.tally.spark.read;

import io.tally.spark.pushdown.OutputColumn;
import java.util.List;
import org.apache.arrow.memory.BufferAllocator;
import org.apache.arrow.vector.BigIntVector;
import org.apache.arrow.vector.NullVector;
import org.apache.arrow.vector.ValueVector;
import org.apache.spark.sql.connector.read.InputPartition;
import org.apache.spark.sql.vectorized.ColumnVector;
import org.apache.spark.sql.vectorized.ColumnarBatch;

/**
 * The only task of an ungrouped aggregation that has no partition to read: one row of neutral
 * elements, without asking a node. Without it, Spark would finalise COUNT as a SUM of nothing,
 * which is NULL and not 0.
 */
record NeutralRow() implements InputPartition {

  /**
   * That row: counts 0, all else NULL.
   *
   * @param made gets what the caller has to close
   */
  static ColumnarBatch batch(ReadShape shape, BufferAllocator allocator, List<ValueVector> made) {
    ColumnVector[] columns = new ColumnVector[shape.outputs().size()];
    for (int i = 0; i < columns.length; i++) {
      boolean count = shape.outputs().get(i).role() == OutputColumn.Role.COUNT;
      ValueVector vector = count ? zero(allocator) : new NullVector("neutral", 1);
      made.add(vector);
      columns[i] = new StreamColumnVector(vector);
    }
    return new ColumnarBatch(columns, 1);
  }

  private static BigIntVector zero(BufferAllocator allocator) {
    BigIntVector vector = new BigIntVector("neutral", allocator);
    vector.allocateNew(1);
    vector.set(0, 0);
    vector.setValueCount(1);
    return vector;
  }
}
