package io.tally.rpc.client;

import com.google.protobuf.ByteString;
import io.tally.rpc.BodyCodec;
import io.tally.rpc.arrow.ArrowSchemas;
import io.tally.rpc.arrow.Batches;
import io.tally.rpc.v1.Applied;
import io.tally.rpc.v1.End;
import io.tally.rpc.v1.Opened;
import io.tally.rpc.v1.Progress;
import io.tally.rpc.v1.ScanResponse;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import org.apache.arrow.memory.BufferAllocator;
import org.apache.arrow.memory.RootAllocator;
import org.apache.arrow.vector.VectorSchemaRoot;
import org.apache.arrow.vector.types.pojo.Schema;

/** Takes a right answer to a scan, message by message, and a seed, and spoils it. */
final class HostileAnswer {
  private static final int MOST_DAMAGES = 3;
  private static final int MOST_BATCHES = 3;
  private static final int MOST_ROWS = 20;
  private static final int LONG_RUN_BYTES = 10;

  private HostileAnswer() {}

  /** What a node says that does all right, and compresses as it was asked to. */
  static List<ByteString> right(Schema schema, BodyCodec codec, long seed) {
    Random random = new Random(seed);
    List<ByteString> messages = new ArrayList<>();
    Opened.Builder opened =
        Opened.newBuilder()
            .setArrowSchema(ArrowSchemas.encode(schema))
            .setApplied(
                Applied.newBuilder()
                    .setResume(random.nextBoolean())
                    .setBodyCodec(codec != BodyCodec.NONE))
            .setNodeId("node-a");
    messages.add(ScanResponse.newBuilder().setOpened(opened).build().toByteString());
    End.Builder end = End.newBuilder();
    for (int i = random.nextInt(MOST_BATCHES + 1); i > 0; i--) {
      int rows = random.nextInt(MOST_ROWS);
      try (BufferAllocator allocator = new RootAllocator();
          VectorSchemaRoot root = Batches.fill(schema, rows, random.nextLong(), allocator)) {
        ScanResponse batch = Batches.response(root, end.getBatches(), codec);
        messages.add(batch.toByteString());
        end.setBatches(end.getBatches() + 1)
            .setRows(end.getRows() + rows)
            .setBodyBytes(end.getBodyBytes() + batch.getBody().size());
      }
      if (random.nextInt(4) == 0) {
        messages.add(
            ScanResponse.newBuilder()
                .setProgress(Progress.getDefaultInstance())
                .build()
                .toByteString());
      }
    }
    messages.add(ScanResponse.newBuilder().setEnd(end).build().toByteString());
    return messages;
  }

  /** The same with a few damages, of which some may do no harm. */
  static List<ByteString> spoil(List<ByteString> right, List<ByteString> other, long seed) {
    Random random = new Random(seed);
    List<ByteString> spoilt = new ArrayList<>(right);
    for (int i = 1 + random.nextInt(MOST_DAMAGES); i > 0 && !spoilt.isEmpty(); i--) {
      int at = random.nextInt(spoilt.size());
      ByteString message = spoilt.get(at);
      switch (random.nextInt(10)) {
        case 0 -> spoilt.remove(at);
        case 1 -> spoilt.add(at, message);
        case 2 -> Collections.swap(spoilt, at, random.nextInt(spoilt.size()));
        case 3 -> spoilt.set(at, other.get(random.nextInt(other.size())));
        case 4 -> spoilt.set(at, message.substring(0, random.nextInt(message.size() + 1)));
        case 5 -> spoilt.set(at, inserted(message, random));
        default -> spoilt.set(at, overwritten(message, random));
      }
    }
    return spoilt;
  }

  /** Bytes between others; often such as make a number very large. */
  private static ByteString inserted(ByteString message, Random random) {
    byte[] bytes = new byte[1 + random.nextInt(LONG_RUN_BYTES)];
    if (random.nextBoolean()) {
      Arrays.fill(bytes, (byte) 0xFF);
    } else {
      random.nextBytes(bytes);
    }
    int at = random.nextInt(message.size() + 1);
    return message
        .substring(0, at)
        .concat(ByteString.copyFrom(bytes))
        .concat(message.substring(at));
  }

  private static ByteString overwritten(ByteString message, Random random) {
    if (message.isEmpty()) {
      return message;
    }
    byte[] bytes = message.toByteArray();
    for (int i = 1 + random.nextInt(MOST_DAMAGES); i > 0; i--) {
      int at = random.nextInt(bytes.length);
      bytes[at] =
          switch (random.nextInt(5)) {
            case 0 -> 0;
            case 1 -> (byte) 0xFF;
            case 2 -> 0x7F;
            case 3 -> (byte) (bytes[at] ^ (1 << random.nextInt(Byte.SIZE)));
            default -> (byte) random.nextInt();
          };
    }
    return ByteString.copyFrom(bytes);
  }
}
