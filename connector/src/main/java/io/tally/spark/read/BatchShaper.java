package io.tally.spark.read;

import org.apache.arrow.vector.VectorSchemaRoot;
import org.apache.spark.sql.vectorized.ColumnarBatch;

/**
 * Takes the batches of a stream, one at a time, and gives the batches that Spark gets for each.
 *
 * <p>Used by one thread. What {@link #batch} returns is valid until the next call of {@link #next}
 * or {@link #close}, and needs the content of the root until then.
 */
interface BatchShaper extends AutoCloseable {
  /** Takes the next batch of the stream; the root stays the stream's. */
  void start(VectorSchemaRoot root);

  /** Moves to the next batch for Spark; false: the batch of the stream is used up. */
  boolean next();

  /**
   * Moves to a last batch for Spark that the stream's end makes due; false: there is none, or no
   * more.
   */
  default boolean end() {
    return false;
  }

  /** The current batch for Spark. */
  ColumnarBatch batch();

  /** Releases what was allocated here; may be called again. */
  @Override
  void close();
}
