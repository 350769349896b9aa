package io.tally.rpc.arrow;

import org.apache.arrow.vector.VectorSchemaRoot;

/** Loads batch frames into a {@link VectorSchemaRoot}, without copying the body. */
public final class RecordBatchDecoder {
  private RecordBatchDecoder() {}

  /**
   * Replaces the content of {@code root} by the rows of {@code frame}, whose memory passes to the
   * root. All lengths and offsets are checked against the body, so that damaged input cannot make a
   * reader leave its buffers.
   *
   * @throws io.tally.rpc.TallyException PROTOCOL_VIOLATION if header, body and schema do not fit;
   *     the frame is closed
   */
  public static void load(ScanFrame frame, VectorSchemaRoot root) {
    throw new UnsupportedOperationException("skeleton");
  }
}
