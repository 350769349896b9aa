package io.tally.rpc.arrow;

import static io.tally.rpc.arrow.ArrowSchemas.layout;
import static io.tally.rpc.arrow.IpcMessages.padded;

import io.tally.rpc.BodyCodec;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.apache.arrow.memory.ArrowBuf;
import org.apache.arrow.memory.BufferAllocator;
import org.apache.arrow.memory.util.MemoryUtil;
import org.apache.arrow.vector.FieldVector;
import org.apache.arrow.vector.VectorSchemaRoot;
import org.apache.arrow.vector.ipc.message.ArrowFieldNode;

/**
 * Walks the vectors of a root and collects the nodes and buffers of some of its rows, in IPC order.
 *
 * <p>Values are not copied: buffers are retained parts of the root's. Built anew are only offsets
 * that do not start at 0 and bitmaps that do not start on a byte. Validity of a column without
 * NULLs is left out, as IPC allows.
 */
final class BatchSlice implements AutoCloseable {
  private final List<ArrowFieldNode> nodes = new ArrayList<>();
  private final List<ArrowBuf> buffers = new ArrayList<>();

  private BatchSlice() {}

  /** The rows {@code [first, first + rows)}; the caller closes the slice or takes the buffers. */
  static BatchSlice of(VectorSchemaRoot root, int first, int rows) {
    BatchSlice slice = new BatchSlice();
    try {
      for (FieldVector vector : root.getFieldVectors()) {
        slice.add(vector, first, rows);
      }
    } catch (RuntimeException | Error e) {
      slice.close();
      throw e;
    }
    return slice;
  }

  /** The size of the buffers of such a slice, each padded, without making it. */
  static long bytes(VectorSchemaRoot root, int first, int rows) {
    long bytes = 0;
    for (FieldVector vector : root.getFieldVectors()) {
      bytes += bytes(vector, first, rows);
    }
    return bytes;
  }

  List<ArrowFieldNode> nodes() {
    return nodes;
  }

  /** Owned by the slice as long as it is not closed. */
  List<ArrowBuf> buffers() {
    return buffers;
  }

  /**
   * Puts compressed buffers in place of its own, if that makes them fewer bytes.
   *
   * @return how the buffers are compressed now
   */
  BodyCodec compress(BodyCompressor compressor) {
    Optional<List<ArrowBuf>> compressed = compressor.compress(buffers);
    if (compressed.isEmpty()) {
      return BodyCodec.NONE;
    }
    close();
    buffers.addAll(compressed.get());
    return compressor.codec();
  }

  @Override
  public void close() {
    buffers.forEach(ArrowBuf::close);
    buffers.clear();
  }

  private void add(FieldVector vector, int first, int rows) {
    ColumnLayout layout = layout(vector.getField());
    int width = layout.width();
    switch (layout.kind()) {
      case NULLS -> nodes.add(new ArrowFieldNode(rows, rows));
      case FIXED_WIDTH -> {
        addValidity(vector, first, rows);
        addFixedWidth(vector, width, first, rows);
      }
      case VARIABLE_WIDTH -> {
        addValidity(vector, first, rows);
        Range range = addOffsets(vector, width, first, rows);
        addPart(vector.getDataBuffer(), range.first, range.count);
      }
      case VARIABLE_LIST -> {
        addValidity(vector, first, rows);
        Range range = addOffsets(vector, width, first, rows);
        add(onlyChild(vector), (int) range.first, (int) range.count);
      }
      case FIXED_LIST -> {
        addValidity(vector, first, rows);
        add(onlyChild(vector), first * width, rows * width);
      }
      case STRUCT -> {
        addValidity(vector, first, rows);
        vector.getChildrenFromFields().forEach(child -> add(child, first, rows));
      }
    }
  }

  private void addValidity(FieldVector vector, int first, int rows) {
    int nulls = nulls(vector, first, rows);
    nodes.add(new ArrowFieldNode(rows, nulls));
    if (nulls == 0) {
      buffers.add(vector.getAllocator().getEmpty());
    } else {
      addBits(vector.getValidityBuffer(), vector, first, rows);
    }
  }

  private void addFixedWidth(FieldVector vector, int bits, int first, int rows) {
    if (bits == 1) {
      addBits(vector.getDataBuffer(), vector, first, rows);
    } else {
      long width = bits / Byte.SIZE;
      addPart(vector.getDataBuffer(), first * width, rows * width);
    }
  }

  private void addBits(ArrowBuf bitmap, FieldVector vector, int first, int rows) {
    if (rows == 0) {
      buffers.add(vector.getAllocator().getEmpty());
    } else {
      buffers.add(Bitmaps.slice(bitmap, first, rows, vector.getAllocator()));
    }
  }

  private void addPart(ArrowBuf buffer, long index, long length) {
    ArrowBuf part = buffer.slice(length == 0 ? 0 : index, length);
    part.getReferenceManager().retain();
    buffers.add(part);
  }

  /** Adds offsets that start at 0 and returns the range of values that they stood for. */
  private Range addOffsets(FieldVector vector, int offsetBytes, int first, int rows) {
    Range range = range(vector, offsetBytes, first, rows);
    ArrowBuf offsets = vector.getOffsetBuffer();
    if (range.first == 0 && offsets.capacity() >= (first + rows + 1L) * offsetBytes) {
      addPart(offsets, (long) first * offsetBytes, (rows + 1L) * offsetBytes);
    } else {
      buffers.add(rebased(vector.getAllocator(), offsets, offsetBytes, first, rows, range.first));
    }
    return range;
  }

  private static ArrowBuf rebased(
      BufferAllocator allocator, ArrowBuf offsets, int width, int first, int rows, long base) {
    long bytes = (rows + 1L) * width;
    ArrowBuf rebased = allocator.buffer(bytes);
    rebased.writerIndex(bytes);
    if (rows == 0) {
      return rebased.setZero(0, bytes);
    }
    // By address: the bounds of both buffers are known here, once for all rows.
    offsets.checkBytes((long) first * width, (first + rows + 1L) * width);
    long from = offsets.memoryAddress() + (long) first * width;
    long to = rebased.memoryAddress();
    if (width == Integer.BYTES) {
      for (long at = 0; at < bytes; at += Integer.BYTES) {
        MemoryUtil.putInt(to + at, MemoryUtil.getInt(from + at) - (int) base);
      }
    } else {
      for (long at = 0; at < bytes; at += Long.BYTES) {
        MemoryUtil.putLong(to + at, MemoryUtil.getLong(from + at) - base);
      }
    }
    return rebased;
  }

  private static long bytes(FieldVector vector, int first, int rows) {
    ColumnLayout layout = layout(vector.getField());
    if (layout.kind() == ColumnLayout.Kind.NULLS) {
      return 0;
    }
    int width = layout.width();
    long validity = nulls(vector, first, rows) == 0 ? 0 : padded(Bitmaps.bytes(rows));
    long values =
        switch (layout.kind()) {
          case NULLS -> 0;
          case FIXED_WIDTH -> padded(Bitmaps.bytes((long) rows * width));
          case VARIABLE_WIDTH -> {
            Range range = range(vector, width, first, rows);
            yield padded((rows + 1L) * width) + padded(range.count);
          }
          case VARIABLE_LIST -> {
            Range range = range(vector, width, first, rows);
            yield padded((rows + 1L) * width)
                + bytes(onlyChild(vector), (int) range.first, (int) range.count);
          }
          case FIXED_LIST -> bytes(onlyChild(vector), first * width, rows * width);
          case STRUCT ->
              vector.getChildrenFromFields().stream()
                  .mapToLong(child -> bytes(child, first, rows))
                  .sum();
        };
    return validity + values;
  }

  private static int nulls(FieldVector vector, int first, int rows) {
    ArrowBuf validity = vector.getValidityBuffer();
    return rows == 0 || validity.capacity() == 0 ? 0 : Bitmaps.countZeros(validity, first, rows);
  }

  private record Range(long first, long count) {}

  private static Range range(FieldVector vector, int offsetBytes, int first, int rows) {
    if (rows == 0) {
      return new Range(0, 0);
    }
    ArrowBuf offsets = vector.getOffsetBuffer();
    long from = offset(offsets, offsetBytes, first);
    return new Range(from, offset(offsets, offsetBytes, first + rows) - from);
  }

  private static long offset(ArrowBuf offsets, int offsetBytes, int index) {
    return offsetBytes == Integer.BYTES
        ? offsets.getInt((long) index * offsetBytes)
        : offsets.getLong((long) index * offsetBytes);
  }

  private static FieldVector onlyChild(FieldVector vector) {
    return vector.getChildrenFromFields().get(0);
  }
}
