package io.tally.rpc.arrow;

import com.google.protobuf.ByteString;
import io.tally.rpc.BodyCodec;
import io.tally.rpc.TallyException;
import io.tally.rpc.v1.Batch;
import java.util.List;
import org.apache.arrow.flatbuf.Message;
import org.apache.arrow.flatbuf.MessageHeader;
import org.apache.arrow.flatbuf.RecordBatch;
import org.apache.arrow.memory.OutOfMemoryException;
import org.apache.arrow.vector.VectorLoader;
import org.apache.arrow.vector.VectorSchemaRoot;
import org.apache.arrow.vector.compression.NoCompressionCodec;
import org.apache.arrow.vector.ipc.message.ArrowRecordBatch;

/**
 * Loads batch frames into a {@link VectorSchemaRoot}, without copying the body unless it is
 * compressed.
 */
public final class RecordBatchDecoder {
  private RecordBatchDecoder() {}

  /**
   * Replaces the content of {@code root} by the rows of {@code frame}, whose memory passes to the
   * root. All lengths and offsets are checked against the body, so that damaged input cannot make a
   * reader leave its buffers; values are not looked at (a string may not be valid UTF-8).
   *
   * <p>The root's allocator grants what the body does not hold: one bit a row for each column whose
   * validity was left out because it has no NULLs.
   *
   * @throws TallyException PROTOCOL_VIOLATION if header, body and schema do not fit; the frame is
   *     closed and the root is empty
   */
  public static void load(ScanFrame frame, VectorSchemaRoot root) {
    load(frame, root, BodyCodec.NONE, 0);
  }

  /**
   * As {@link #load(ScanFrame, VectorSchemaRoot)}, for a body that may be compressed. What it
   * stands for then is granted by the frame's allocator, and never more than allowed, whatever the
   * body says.
   *
   * @param accepted how it may be compressed; it need not be
   * @param maxBodyBytes the most bytes that a compressed body may stand for, padding included
   */
  public static void load(
      ScanFrame frame, VectorSchemaRoot root, BodyCodec accepted, long maxBodyBytes) {
    root.clear();
    boolean loaded = false;
    try (frame) {
      loadChecked(frame, root, accepted, maxBodyBytes);
      loaded = true;
    } catch (TallyException e) {
      throw e;
    } catch (RuntimeException e) {
      // Flatbuffers meet damage with whatever their accessors throw; Arrow's loader wraps.
      String what =
          e instanceof OutOfMemoryException || e.getCause() instanceof OutOfMemoryException
              ? "A batch stands for more memory than is left to the scan: "
              : "A batch is damaged: ";
      throw IpcMessages.violation(what + e.getMessage() + ".", e);
    } finally {
      if (!loaded) {
        root.clear();
      }
    }
  }

  private static void loadChecked(
      ScanFrame frame, VectorSchemaRoot root, BodyCodec accepted, long maxBodyBytes) {
    if (!frame.message().hasBatch()) {
      throw IpcMessages.violation("A frame that should be a batch is not.", null);
    }
    Batch batch = frame.message().getBatch();
    RecordBatch header = header(batch.getHeader(), frame.bodyBytes());
    if (batch.getRows() != header.length()) {
      throw IpcMessages.violation(
          "A batch announces %d rows and holds %d.".formatted(batch.getRows(), header.length()),
          null);
    }
    try (BodyDecompressor body = BodyDecompressor.of(header, accepted, maxBodyBytes)) {
      BatchCheck checked = BatchCheck.of(header, frame, body, root.getSchema());
      try (ArrowRecordBatch recordBatch =
          new ArrowRecordBatch(
              (int) header.length(),
              checked.nodes(),
              checked.buffers(),
              NoCompressionCodec.DEFAULT_BODY_COMPRESSION,
              List.of(),
              /* alignBuffers= */ true,
              /* retainBuffers= */ true)) {
        new VectorLoader(root).load(recordBatch);
      }
    }
  }

  private static RecordBatch header(ByteString encapsulated, long bodyBytes) {
    Message message = IpcMessages.open(encapsulated, MessageHeader.RecordBatch, "record batch");
    if (message.bodyLength() != bodyBytes) {
      throw IpcMessages.violation(
          "A batch announces a body of %d bytes and has %d."
              .formatted(message.bodyLength(), bodyBytes),
          null);
    }
    RecordBatch header = (RecordBatch) message.header(new RecordBatch());
    if (header == null) {
      throw IpcMessages.violation("A batch has no header.", null);
    }
    if (header.variadicBufferCountsLength() != 0) {
      throw IpcMessages.violation("A batch has variadic buffers.", null);
    }
    return header;
  }
}
