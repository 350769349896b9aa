package io.tally.spark.read;

import org.apache.arrow.vector.ValueVector;
import org.apache.spark.sql.vectorized.ArrowColumnVector;

/**
 * Shows Spark an Arrow vector that stays the reader's: {@link #close} does nothing. Spark closes
 * the columns of a batch when it is done with it ({@code ColumnarToRowExec}), and closing an Arrow
 * struct drops its children for good, while the vectors of a stream are filled again with every
 * batch. The reader releases the memory when it moves on, or is closed.
 */
final class StreamColumnVector extends ArrowColumnVector {
  StreamColumnVector(ValueVector vector) {
    super(vector);
  }

  @Override
  public void close() {
    // The reader owns the vector, see above.
  }
}
