package io.tally.server.scan;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.tally.rpc.BodyCodec;
import io.tally.rpc.TallyException;
import io.tally.rpc.arrow.RecordBatchDecoder;
import io.tally.rpc.arrow.ScanFrame;
import io.tally.rpc.v1.ErrorCode;
import io.tally.server.fixture.Rows;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.stream.IntStream;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;
import org.apache.arrow.memory.BufferAllocator;
import org.apache.arrow.memory.RootAllocator;
import org.apache.arrow.vector.IntVector;
import org.apache.arrow.vector.VarCharVector;
import org.apache.arrow.vector.VectorSchemaRoot;
import org.apache.arrow.vector.ipc.ArrowStreamReader;
import org.apache.arrow.vector.ipc.ArrowStreamWriter;
import org.apache.arrow.vector.types.pojo.ArrowType;
import org.apache.arrow.vector.types.pojo.Field;
import org.apache.arrow.vector.types.pojo.Schema;
import org.junit.jupiter.api.Test;

/** Chunks of any sizes become batches near a size: every row once, in order. */
class BatchCutterTest {
  private static final Schema SCHEMA =
      new Schema(
          List.of(
              Field.nullable("id", new ArrowType.Int(32, true)),
              Field.nullable("text", ArrowType.Utf8.INSTANCE)));
  private static final long NO_ROW_LIMIT = 1 << 20;

  @Property(tries = 200)
  void keepsEveryRowOnceAndTheBound(
      @ForAll long seed, @ForAll @IntRange(min = 1, max = 20_000) int maxBatchBytes)
      throws IOException {
    Random random = new Random(seed);
    List<int[]> chunks = new ArrayList<>();
    for (int i = 0; i < 1 + random.nextInt(12); i++) {
      int rows = random.nextInt(4) == 0 ? random.nextInt(2) : random.nextInt(200);
      int longest = 1 + random.nextInt(300);
      chunks.add(IntStream.range(0, rows).map(row -> random.nextInt(longest) - 1).toArray());
    }
    int total = chunks.stream().mapToInt(chunk -> chunk.length).sum();

    List<List<Object>> rows = new ArrayList<>();
    for (Cut cut : cut(chunks, maxBatchBytes, NO_ROW_LIMIT)) {
      assertTrue(cut.bodyBytes <= maxBatchBytes || cut.rows.size() == 1, cut::toString);
      rows.addAll(cut.rows);
    }

    assertEquals(
        IntStream.range(0, total).boxed().map(Integer::longValue).toList(),
        rows.stream().map(row -> row.get(0)).toList());
    int id = 0;
    for (int[] chunk : chunks) {
      for (int length : chunk) {
        Object text = rows.get(id++).get(1);
        assertEquals(length < 0 ? null : "x".repeat(length), text);
      }
    }
  }

  @Test
  void sendsChunksOfHalfABatchAsTheyAre() throws IOException {
    int[] chunk = IntStream.generate(() -> 10).limit(50).toArray();
    long bytes = cut(List.of(chunk), 1 << 20, NO_ROW_LIMIT).get(0).bodyBytes;

    List<Cut> cuts = cut(List.of(chunk, chunk, chunk), bytes * 2, NO_ROW_LIMIT);

    assertEquals(List.of(50, 50, 50), cuts.stream().map(cut -> cut.rows.size()).toList());
  }

  @Test
  void gathersSmallChunks() throws IOException {
    int[] chunk = IntStream.generate(() -> 10).limit(50).toArray();
    long bytes = cut(List.of(chunk), 1 << 20, NO_ROW_LIMIT).get(0).bodyBytes;

    List<Cut> cuts = cut(Collections.nCopies(40, chunk), bytes * 10, NO_ROW_LIMIT);

    assertTrue(cuts.size() == 4 || cuts.size() == 5, cuts::toString);
    assertEquals(2000, cuts.stream().mapToInt(cut -> cut.rows.size()).sum());
  }

  @Test
  void cutsAChunkThatIsALittleTooLargeInHalves() throws IOException {
    int[] chunk = IntStream.generate(() -> 100).limit(100).toArray();

    List<Cut> cuts = cut(List.of(chunk), 9000, NO_ROW_LIMIT);

    assertEquals(2, cuts.size());
    assertTrue(cuts.get(0).rows.size() >= 45 && cuts.get(0).rows.size() <= 60, cuts::toString);
  }

  @Test
  void sendsALargeRowAlone() throws IOException {
    List<Cut> cuts = cut(List.of(new int[] {1, 1, 5000, 1, 1}), 1000, 10_000);

    assertEquals(List.of(2, 1, 2), cuts.stream().map(cut -> cut.rows.size()).toList());
  }

  @Test
  void refusesARowThatIsTooLarge() {
    TallyException error =
        assertThrows(TallyException.class, () -> cut(List.of(new int[] {1, 5000, 1}), 1000, 2000));

    assertEquals(ErrorCode.ROW_TOO_LARGE, error.code());
    assertTrue(error.getMessage().contains("here"), error::getMessage);
    assertTrue(error.getMessage().contains("\"text\""), error::getMessage);
    assertTrue(error.getMessage().contains("2000"), error::getMessage);
  }

  private record Cut(List<List<Object>> rows, long bodyBytes) {}

  /** Cuts chunks that are given as the lengths of their texts; -1 is NULL. */
  private static List<Cut> cut(List<int[]> chunks, long maxBatchBytes, long maxRowBytes)
      throws IOException {
    try (BufferAllocator allocator = new RootAllocator();
        ArrowStreamReader reader =
            new ArrowStreamReader(new ByteArrayInputStream(stream(chunks)), allocator);
        BatchCutter cutter =
            new BatchCutter(reader, allocator, BodyCodec.NONE, maxBatchBytes, maxRowBytes, "here");
        VectorSchemaRoot root = VectorSchemaRoot.create(SCHEMA, allocator)) {
      List<Cut> cuts = new ArrayList<>();
      for (Optional<ScanFrame> frame = cutter.next(); frame.isPresent(); frame = cutter.next()) {
        long bodyBytes = frame.get().bodyBytes();
        assertEquals(cuts.size(), frame.get().message().getBatch().getSequence());
        RecordBatchDecoder.load(frame.get(), root);
        cuts.add(new Cut(Rows.of(root), bodyBytes));
      }
      return cuts;
    }
  }

  private static byte[] stream(List<int[]> chunks) throws IOException {
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    try (BufferAllocator allocator = new RootAllocator();
        VectorSchemaRoot root = VectorSchemaRoot.create(SCHEMA, allocator);
        ArrowStreamWriter writer = new ArrowStreamWriter(root, null, bytes)) {
      IntVector ids = (IntVector) root.getVector("id");
      VarCharVector texts = (VarCharVector) root.getVector("text");
      int id = 0;
      for (int[] chunk : chunks) {
        root.allocateNew();
        for (int i = 0; i < chunk.length; i++) {
          ids.setSafe(i, id++);
          if (chunk[i] >= 0) {
            texts.setSafe(
                i, "x".repeat(chunk[i]).getBytes(java.nio.charset.StandardCharsets.UTF_8));
          }
        }
        root.setRowCount(chunk.length);
        writer.writeBatch();
      }
    }
    return bytes.toByteArray();
  }
}
