package io.tally.spark.read;

import java.util.List;
import org.apache.arrow.vector.FieldVector;
import org.apache.arrow.vector.VectorSchemaRoot;
import org.apache.spark.sql.vectorized.ColumnVector;
import org.apache.spark.sql.vectorized.ColumnarBatch;

/** Shows each batch of a stream of rows to Spark as it is, without copying anything. */
final class RowBatches implements BatchShaper {
  private VectorSchemaRoot root;
  private ColumnarBatch batch;

  @Override
  public void start(VectorSchemaRoot root) {
    this.root = root;
  }

  @Override
  public boolean next() {
    if (root == null) {
      return false;
    }
    List<FieldVector> vectors = root.getFieldVectors();
    ColumnVector[] columns = new ColumnVector[vectors.size()];
    for (int i = 0; i < columns.length; i++) {
      columns[i] = new StreamColumnVector(vectors.get(i));
    }
    batch = new ColumnarBatch(columns, root.getRowCount());
    root = null;
    return true;
  }

  @Override
  public ColumnarBatch batch() {
    return batch;
  }

  @Override
  public void close() {
    root = null;
    batch = null;
  }
}
