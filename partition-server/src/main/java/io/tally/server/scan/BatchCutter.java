package io.tally.server.scan;

import io.tally.rpc.BodyCodec;
import io.tally.rpc.TallyException;
import io.tally.rpc.arrow.BodyCompressor;
import io.tally.rpc.arrow.RecordBatchEncoder;
import io.tally.rpc.arrow.ScanFrame;
import io.tally.rpc.v1.ErrorCode;
import java.io.IOException;
import java.util.List;
import java.util.Optional;
import org.apache.arrow.memory.BufferAllocator;
import org.apache.arrow.vector.FieldVector;
import org.apache.arrow.vector.VectorSchemaRoot;
import org.apache.arrow.vector.ipc.ArrowReader;
import org.apache.arrow.vector.util.VectorSchemaRootAppender;

/**
 * Receives the chunks of a reader and hands on batches near a size: chunks of at least half of it
 * as they are, larger ones cut evenly without a copy, smaller ones copied together. Every row goes
 * out exactly once, in order, compressed if that was asked for. Not safe for concurrent use.
 *
 * <p>Holds at most one chunk and one batch of small chunks. Frames retain what they need of a
 * chunk. Does not close the reader.
 */
final class BatchCutter implements AutoCloseable {
  private final ArrowReader reader;
  private final VectorSchemaRoot chunk;
  private final VectorSchemaRoot gathered;
  private final BodyCompressor compressor;
  private final long maxBatchBytes;
  private final long maxRowBytes;
  private final String where;
  private int next;
  private long sequence;

  /**
   * A cutter of what {@code reader} yields.
   *
   * @param allocator for small chunks while they are gathered, and for frames whose bodies are
   *     compressed, which it outlives
   * @param maxBatchBytes before they are compressed
   * @param where names table and partitions in errors
   */
  BatchCutter(
      ArrowReader reader,
      BufferAllocator allocator,
      BodyCodec codec,
      long maxBatchBytes,
      long maxRowBytes,
      String where)
      throws IOException {
    this.reader = reader;
    this.chunk = reader.getVectorSchemaRoot();
    this.gathered = VectorSchemaRoot.create(chunk.getSchema(), allocator);
    this.compressor = new BodyCompressor(codec, allocator);
    this.maxBatchBytes = maxBatchBytes;
    this.maxRowBytes = maxRowBytes;
    this.where = where;
  }

  /**
   * The next batch, owned by the caller; empty at the end.
   *
   * @throws TallyException ROW_TOO_LARGE
   * @throws IOException what the reader throws
   */
  Optional<ScanFrame> next() throws IOException {
    while (true) {
      int rows = chunk.getRowCount() - next;
      if (rows == 0) {
        next = 0;
        chunk.clear();
        if (!reader.loadNextBatch()) {
          return gathered.getRowCount() == 0 ? Optional.empty() : Optional.of(sendGathered());
        }
        continue;
      }
      long bytes = RecordBatchEncoder.bodyBytes(chunk, next, rows);
      if (bytes < maxBatchBytes / 2) {
        if (gatheredBytes() + bytes > maxBatchBytes) {
          return Optional.of(sendGathered());
        }
        gather(rows);
      } else if (gathered.getRowCount() > 0) {
        return Optional.of(sendGathered());
      } else {
        return Optional.of(sendChunk(rowsThatFit(rows, bytes)));
      }
    }
  }

  @Override
  public void close() {
    gathered.close();
  }

  private ScanFrame sendGathered() {
    ScanFrame frame =
        RecordBatchEncoder.encode(gathered, 0, gathered.getRowCount(), sequence++, compressor);
    gathered.clear();
    return frame;
  }

  private ScanFrame sendChunk(int rows) {
    ScanFrame frame = RecordBatchEncoder.encode(chunk, next, rows, sequence++, compressor);
    next += rows;
    return frame;
  }

  private long gatheredBytes() {
    return RecordBatchEncoder.bodyBytes(gathered, 0, gathered.getRowCount());
  }

  private void gather(int rows) {
    if (gathered.getRowCount() == 0) {
      gathered.allocateNew(); // the appender reads the first offset
    }
    if (next == 0) {
      VectorSchemaRootAppender.append(gathered, chunk);
    } else {
      try (VectorSchemaRoot rest = chunk.slice(next, rows)) {
        VectorSchemaRootAppender.append(gathered, rest);
      }
    }
    next += rows;
  }

  /** How many rows make the next of the fewest, evenly filled batches for what is left. */
  private int rowsThatFit(int rows, long bytes) {
    if (bytes <= maxBatchBytes) {
      return rows;
    }
    long batches = (bytes + maxBatchBytes - 1) / maxBatchBytes;
    long target = Math.max(maxBatchBytes / 2, bytes / batches + bytes / (16 * batches));
    int fitting = largestFit(rows, Math.min(target, maxBatchBytes));
    if (fitting == 0) {
      // The even share is less than a row; a whole batch may still hold one.
      fitting = Math.max(1, largestFit(rows, maxBatchBytes));
    }
    long size = fitting > 1 ? 0 : RecordBatchEncoder.bodyBytes(chunk, next, 1);
    if (size > maxRowBytes) {
      throw rowTooLarge(size);
    }
    return fitting;
  }

  /** The most rows from {@link #next} whose body is at most {@code limit}. */
  private int largestFit(int rows, long limit) {
    int fits = 0;
    int tooMany = rows + 1;
    while (tooMany - fits > 1) {
      int middle = fits + (tooMany - fits) / 2;
      if (RecordBatchEncoder.bodyBytes(chunk, next, middle) <= limit) {
        fits = middle;
      } else {
        tooMany = middle;
      }
    }
    return fits;
  }

  private TallyException rowTooLarge(long size) {
    String largest = "";
    long largestBytes = -1;
    for (FieldVector vector : chunk.getFieldVectors()) {
      long bytes = columnBytes(vector);
      if (bytes > largestBytes) {
        largestBytes = bytes;
        largest = vector.getName();
      }
    }
    return new TallyException(
        ErrorCode.ROW_TOO_LARGE,
        "A row of %s has %d bytes, %d of them in column \"%s\"; at most %d are allowed. Raise the limit for rows (max-row-bytes), or leave the column out."
            .formatted(where, size, largestBytes, largest, maxRowBytes));
  }

  private long columnBytes(FieldVector vector) {
    // Not closed: it shares the chunk's vector.
    VectorSchemaRoot column =
        new VectorSchemaRoot(List.of(vector.getField()), List.of(vector), chunk.getRowCount());
    return RecordBatchEncoder.bodyBytes(column, next, 1);
  }
}
