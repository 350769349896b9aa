package io.tally.rpc.arrow;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.tally.rpc.BodyCodec;
import io.tally.rpc.v1.ScanResponse;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import net.jqwik.api.constraints.IntRange;
import org.apache.arrow.compression.CommonsCompressionFactory;
import org.apache.arrow.memory.BufferAllocator;
import org.apache.arrow.memory.RootAllocator;
import org.apache.arrow.vector.VectorSchemaRoot;
import org.apache.arrow.vector.compare.Range;
import org.apache.arrow.vector.compare.RangeEqualsVisitor;
import org.apache.arrow.vector.ipc.ArrowStreamReader;
import org.apache.arrow.vector.types.pojo.Schema;

/** Batches of any schema survive the wire, and are what Arrow's own writer and reader mean. */
class RecordBatchRoundTripTest {
  private static final long MAX_BODY_BYTES = 1 << 20;

  @Provide
  Arbitrary<Schema> schemas() {
    return Batches.schemas();
  }

  @Property(tries = 300)
  void anyPartOfABatchArrivesAsItWas(
      @ForAll("schemas") Schema schema,
      @ForAll @IntRange(max = 300) int rows,
      @ForAll @IntRange(max = 300) int from,
      @ForAll @IntRange(max = 300) int count,
      @ForAll BodyCodec codec,
      @ForAll long seed) {
    int first = Math.min(from, rows);
    int part = Math.min(count, rows - first);
    try (BufferAllocator allocator = new RootAllocator();
        VectorSchemaRoot sent = Batches.fill(schema, rows, seed, allocator);
        VectorSchemaRoot received = VectorSchemaRoot.create(schema, allocator)) {
      ScanFrame frame =
          RecordBatchEncoder.encode(sent, first, part, 7, new BodyCompressor(codec, allocator));
      long plainBytes = RecordBatchEncoder.bodyBytes(sent, first, part);
      assertTrue(frame.bodyBytes() <= plainBytes);
      assertTrue(frame.bodyBytes() == plainBytes || codec != BodyCodec.NONE);
      byte[] bytes = Batches.bytes(frame, allocator);
      ScanFrame parsed = Batches.frame(bytes, allocator);
      assertEquals(7, parsed.message().getBatch().getSequence());
      assertEquals(part, parsed.message().getBatch().getRows());
      // No more than that is needed, whatever the buffers are like.
      RecordBatchDecoder.load(parsed, received, codec, plainBytes);
      assertRows(sent, first, part, received);
    }
  }

  @Property(tries = 100)
  void theSentRootMayBeClearedBeforeTheFrameIsWritten(
      @ForAll("schemas") Schema schema, @ForAll BodyCodec codec, @ForAll long seed) {
    try (BufferAllocator allocator = new RootAllocator();
        VectorSchemaRoot expected = Batches.fill(schema, 50, seed, allocator);
        VectorSchemaRoot received = VectorSchemaRoot.create(schema, allocator)) {
      ScanFrame frame;
      try (VectorSchemaRoot sent = Batches.fill(schema, 50, seed, allocator)) {
        frame = RecordBatchEncoder.encode(sent, 0, 50, 0, new BodyCompressor(codec, allocator));
      }
      RecordBatchDecoder.load(frame, received, codec, MAX_BODY_BYTES);
      assertRows(expected, 0, 50, received);
    }
  }

  @Property(tries = 100)
  void arrowsReaderReadsWhatWasSent(
      @ForAll("schemas") Schema schema,
      @ForAll @IntRange(min = 1, max = 150) int batchRows,
      @ForAll BodyCodec codec,
      @ForAll long seed)
      throws IOException {
    int rows = 150;
    try (BufferAllocator allocator = new RootAllocator();
        VectorSchemaRoot sent = Batches.fill(schema, rows, seed, allocator)) {
      ByteArrayOutputStream ipc = new ByteArrayOutputStream();
      ArrowSchemas.encode(schema).writeTo(ipc);
      for (int first = 0; first < rows; first += batchRows) {
        int count = Math.min(batchRows, rows - first);
        ScanFrame frame =
            RecordBatchEncoder.encode(sent, first, count, 0, new BodyCompressor(codec, allocator));
        // Read by the generated parser: the two know the message only through the protocol file.
        ScanResponse response = ScanResponse.parseFrom(Batches.bytes(frame, allocator));
        response.getBatch().getHeader().writeTo(ipc);
        response.getBody().writeTo(ipc);
      }
      try (ArrowStreamReader reader =
          new ArrowStreamReader(
              new ByteArrayInputStream(ipc.toByteArray()),
              allocator,
              CommonsCompressionFactory.INSTANCE)) {
        assertEquals(schema, reader.getVectorSchemaRoot().getSchema());
        for (int first = 0; first < rows; first += batchRows) {
          assertTrue(reader.loadNextBatch());
          assertRows(sent, first, Math.min(batchRows, rows - first), reader.getVectorSchemaRoot());
        }
        assertFalse(reader.loadNextBatch());
      }
    }
  }

  @Property(tries = 100)
  void whatArrowsWriterWroteIsReceived(
      @ForAll("schemas") Schema schema,
      @ForAll @IntRange(max = 100) int rows,
      @ForAll BodyCodec codec,
      @ForAll long seed) {
    try (BufferAllocator allocator = new RootAllocator();
        VectorSchemaRoot sent = Batches.fill(schema, rows, seed, allocator);
        VectorSchemaRoot received = VectorSchemaRoot.create(schema, allocator)) {
      byte[] bytes = Batches.response(sent, 0, codec).toByteArray();
      ScanFrame frame = Batches.frame(bytes, allocator);
      RecordBatchDecoder.load(frame, received, codec, MAX_BODY_BYTES);
      assertRows(sent, 0, rows, received);
    }
  }

  @Property(tries = 100)
  void whatWasReceivedCanBeSentOn(@ForAll("schemas") Schema schema, @ForAll long seed) {
    try (BufferAllocator allocator = new RootAllocator();
        VectorSchemaRoot sent = Batches.fill(schema, 77, seed, allocator);
        VectorSchemaRoot once = VectorSchemaRoot.create(schema, allocator);
        VectorSchemaRoot twice = VectorSchemaRoot.create(schema, allocator)) {
      byte[] bytes = Batches.bytes(RecordBatchEncoder.encode(sent, 13, 50, 0), allocator);
      RecordBatchDecoder.load(Batches.frame(bytes, allocator), once);
      byte[] again = Batches.bytes(RecordBatchEncoder.encode(once, 0), allocator);
      RecordBatchDecoder.load(Batches.frame(again, allocator), twice);
      assertRows(sent, 13, 50, twice);
    }
  }

  private static void assertRows(
      VectorSchemaRoot sent, int first, int rows, VectorSchemaRoot received) {
    assertEquals(rows, received.getRowCount());
    for (int column = 0; column < sent.getFieldVectors().size(); column++) {
      var left = sent.getVector(column);
      var right = received.getVector(column);
      assertEquals(rows, right.getValueCount());
      assertTrue(
          new RangeEqualsVisitor(left, right).rangeEquals(new Range(first, 0, rows)),
          () -> "column " + left.getField() + " differs:\n" + left + "\n" + right);
    }
  }
}
