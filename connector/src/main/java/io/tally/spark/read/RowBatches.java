package io.tally.spark.read;

import java.util.List;
import org.apache.arrow.vector.FieldVector;
import org.apache.arrow.vector.VectorSchemaRoot;
import org.apache.spark.sql.execution.vectorized.ConstantColumnVector;
import org.apache.spark.sql.types.DataTypes;
import org.apache.spark.sql.vectorized.ColumnVector;
import org.apache.spark.sql.vectorized.ColumnarBatch;
import org.apache.spark.unsafe.types.UTF8String;

/**
 * Shows each batch of a stream of rows to Spark as it is, without copying anything, and adds the
 * name of the node where Spark asks for it.
 */
final class RowBatches implements BatchShaper {
  private final int[] positions;
  private final UTF8String nodeId;
  private VectorSchemaRoot root;
  private ColumnarBatch batch;

  /**
   * @param nodeId of the node that sends the rows
   */
  RowBatches(RowColumns columns, String nodeId) {
    this.positions = columns.positions();
    this.nodeId = UTF8String.fromString(nodeId);
  }

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
    ColumnVector[] columns = new ColumnVector[positions.length];
    for (int i = 0; i < columns.length; i++) {
      columns[i] =
          positions[i] == RowColumns.NOT_SENT
              ? node()
              : new StreamColumnVector(vectors.get(positions[i]));
    }
    batch = new ColumnarBatch(columns, root.getRowCount());
    root = null;
    return true;
  }

  private ColumnVector node() {
    ConstantColumnVector vector =
        new ConstantColumnVector(root.getRowCount(), DataTypes.StringType);
    vector.setUtf8String(nodeId);
    return vector;
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
