package io.tally.rpc.arrow;

import com.google.protobuf.ByteString;
import io.tally.rpc.BodyCodec;
import io.tally.rpc.v1.Batch;
import io.tally.rpc.v1.ScanResponse;
import java.util.List;
import java.util.Objects;
import org.apache.arrow.flatbuf.BodyCompressionMethod;
import org.apache.arrow.vector.VectorSchemaRoot;
import org.apache.arrow.vector.compression.NoCompressionCodec;
import org.apache.arrow.vector.ipc.message.ArrowBodyCompression;
import org.apache.arrow.vector.ipc.message.ArrowRecordBatch;
import org.apache.arrow.vector.ipc.message.IpcOption;
import org.apache.arrow.vector.ipc.message.MessageSerializer;

/**
 * Turns rows of a {@link VectorSchemaRoot} into batch frames, without copying their values.
 *
 * <p>Every method throws IllegalArgumentException for a vector that the protocol does not carry
 * (dictionary, union, view, run-end encoded); {@link ArrowSchemas#encode} refuses them beforehand.
 */
public final class RecordBatchEncoder {
  private RecordBatchEncoder() {}

  /**
   * A frame with all rows of {@code root}. The buffers are retained by the frame, so the root may
   * be cleared at once; vectors must not be written to afterwards.
   */
  public static ScanFrame encode(VectorSchemaRoot root, long sequence) {
    return encode(root, 0, root.getRowCount(), sequence);
  }

  /**
   * A frame with the rows {@code [first, first + rows)} of {@code root}, as {@link
   * #encode(VectorSchemaRoot, long)}. Where {@code first} is not 0, offsets (and bitmaps, unless
   * {@code first} is a multiple of 8) are built anew from the allocator of their vector; values are
   * never copied.
   */
  public static ScanFrame encode(VectorSchemaRoot root, int first, int rows, long sequence) {
    Objects.checkFromIndexSize(first, rows, root.getRowCount());
    return encode(BatchSlice.of(root, first, rows), rows, sequence, BodyCodec.NONE);
  }

  /**
   * As {@link #encode(VectorSchemaRoot, int, int, long)}, with a body that is compressed if that
   * makes it smaller; then all of it is copied.
   */
  public static ScanFrame encode(
      VectorSchemaRoot root, int first, int rows, long sequence, BodyCompressor compressor) {
    Objects.checkFromIndexSize(first, rows, root.getRowCount());
    BatchSlice slice = BatchSlice.of(root, first, rows);
    BodyCodec codec;
    try {
      codec = slice.compress(compressor);
    } catch (RuntimeException | Error e) {
      slice.close();
      throw e;
    }
    return encode(slice, rows, sequence, codec);
  }

  /** Owns {@code slice}, whose buffers are compressed with {@code codec}. */
  private static ScanFrame encode(BatchSlice slice, int rows, long sequence, BodyCodec codec) {
    try {
      ScanResponse.Builder message = ScanResponse.newBuilder();
      message.setBatch(
          Batch.newBuilder()
              .setSequence(sequence)
              .setRows(rows)
              .setHeader(header(slice, rows, codec)));
      return ScanFrame.ofBatch(message.build(), slice.buffers());
    } catch (RuntimeException | Error e) {
      slice.close();
      throw e;
    }
  }

  /**
   * The exact size of the body that {@link #encode(VectorSchemaRoot, int, int, long)} would make of
   * rows {@code [first, first + rows)}, padding included, before any compression. Looks at offsets
   * and counts validity bits, 64 rows a step; does not touch values.
   */
  public static long bodyBytes(VectorSchemaRoot root, int first, int rows) {
    Objects.checkFromIndexSize(first, rows, root.getRowCount());
    return BatchSlice.bytes(root, first, rows);
  }

  private static ByteString header(BatchSlice slice, int rows, BodyCodec codec) {
    // Only its metadata is used: it lays the buffers out as the marshaller writes them.
    @SuppressWarnings("resource") // does not retain the buffers, so there is nothing to close
    ArrowRecordBatch batch =
        new ArrowRecordBatch(
            rows,
            slice.nodes(),
            slice.buffers(),
            codec == BodyCodec.NONE
                ? NoCompressionCodec.DEFAULT_BODY_COMPRESSION
                : new ArrowBodyCompression(
                    BodyCodecs.arrowType(codec), BodyCompressionMethod.BUFFER),
            List.of(),
            /* alignBuffers= */ true,
            /* retainBuffers= */ false);
    return IpcMessages.encapsulate(MessageSerializer.serializeMetadata(batch, IpcOption.DEFAULT));
  }
}
