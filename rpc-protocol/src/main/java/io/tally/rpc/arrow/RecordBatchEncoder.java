package io.tally.rpc.arrow;

import org.apache.arrow.vector.VectorSchemaRoot;

/** Turns the rows of a {@link VectorSchemaRoot} into batch frames, without copying them. */
public final class RecordBatchEncoder {
  private RecordBatchEncoder() {}

  /**
   * A frame with all rows of {@code root}. The buffers are retained by the frame, so the root may
   * be cleared at once; vectors must not be written to afterwards.
   */
  public static ScanFrame encode(VectorSchemaRoot root, long sequence) {
    throw new UnsupportedOperationException("skeleton");
  }

  /**
   * The size of the body that {@link #encode} would make of rows {@code [first, first + rows)},
   * padding included.
   */
  public static long bodyBytes(VectorSchemaRoot root, int first, int rows) {
    throw new UnsupportedOperationException("skeleton");
  }
}
