package io.tally.rpc.client;

import com.google.protobuf.ByteString;
import io.tally.rpc.v1.Batch;
import io.tally.rpc.v1.ScanResponse;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.channels.Channels;
import java.util.List;
import org.apache.arrow.memory.ArrowBuf;
import org.apache.arrow.memory.ReferenceManager;
import org.apache.arrow.vector.ipc.WriteChannel;
import org.apache.arrow.vector.ipc.message.ArrowFieldNode;
import org.apache.arrow.vector.ipc.message.ArrowRecordBatch;
import org.apache.arrow.vector.ipc.message.MessageSerializer;

/** Batches that are well formed and meant badly. */
final class HostileBatches {
  private HostileBatches() {}

  /** So many structs without children and without NULLs: a header and no body. */
  static ScanResponse structs(int rows) {
    ArrowBuf empty = new ArrowBuf(ReferenceManager.NO_OP, null, 0, 0);
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    try (ArrowRecordBatch batch =
        new ArrowRecordBatch(rows, List.of(new ArrowFieldNode(rows, 0)), List.of(empty))) {
      MessageSerializer.serialize(new WriteChannel(Channels.newChannel(bytes)), batch);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    return ScanResponse.newBuilder()
        .setBatch(
            Batch.newBuilder().setRows(rows).setHeader(ByteString.copyFrom(bytes.toByteArray())))
        .build();
  }
}
