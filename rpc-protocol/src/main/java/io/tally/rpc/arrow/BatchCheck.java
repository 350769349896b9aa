package io.tally.rpc.arrow;

import static io.tally.rpc.arrow.ArrowSchemas.layout;
import static io.tally.rpc.arrow.IpcMessages.violation;

import io.tally.rpc.TallyException;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import org.apache.arrow.flatbuf.Buffer;
import org.apache.arrow.flatbuf.FieldNode;
import org.apache.arrow.flatbuf.RecordBatch;
import org.apache.arrow.memory.ArrowBuf;
import org.apache.arrow.memory.util.MemoryUtil;
import org.apache.arrow.vector.ipc.message.ArrowFieldNode;
import org.apache.arrow.vector.types.pojo.Field;
import org.apache.arrow.vector.types.pojo.Schema;

/**
 * Walks header, body and schema of a received batch side by side and hands on nodes and buffers
 * that are safe to load: every buffer lies in the body and is large enough for its rows, and every
 * offset points into the data or the child that it is meant for.
 *
 * <p>The only work per row is one pass over offsets, without branches.
 */
final class BatchCheck {
  private final RecordBatch header;
  private final ScanFrame frame;
  private final BodyDecompressor body;
  private final List<ArrowFieldNode> nodes = new ArrayList<>();
  private final List<ArrowBuf> buffers = new ArrayList<>();

  private BatchCheck(RecordBatch header, ScanFrame frame, BodyDecompressor body) {
    this.header = header;
    this.frame = frame;
    this.body = body;
  }

  /**
   * Checks a batch; its buffers remain the frame's, or that of {@code body}.
   *
   * @throws TallyException PROTOCOL_VIOLATION; any RuntimeException of a flatbuffer's accessors
   *     means the same
   */
  static BatchCheck of(RecordBatch header, ScanFrame frame, BodyDecompressor body, Schema schema) {
    BatchCheck check = new BatchCheck(header, frame, body);
    if (header.length() < 0 || header.length() > Integer.MAX_VALUE) {
      throw damaged("it has %d rows".formatted(header.length()));
    }
    for (Field field : schema.getFields()) {
      int rows = check.visit(field, header.length());
      if (rows != header.length()) {
        throw damaged(field, "has %d rows".formatted(rows));
      }
    }
    if (header.nodesLength() != check.nodes.size()
        || header.buffersLength() != check.buffers.size()) {
      throw damaged(
          "it has %d nodes and %d buffers where the schema has %d and %d"
              .formatted(
                  header.nodesLength(),
                  header.buffersLength(),
                  check.nodes.size(),
                  check.buffers.size()));
    }
    return check;
  }

  List<ArrowFieldNode> nodes() {
    return nodes;
  }

  List<ArrowBuf> buffers() {
    return buffers;
  }

  /**
   * Checks a field and its children, and returns how many values it has: at least {@code atLeast}.
   */
  private int visit(Field field, long atLeast) {
    ColumnLayout layout = layout(field);
    int width = layout.width();
    ArrowFieldNode node = nextNode(field, atLeast);
    int length = node.getLength();
    if (layout.kind() != ColumnLayout.Kind.NULLS) {
      checkValidity(field, node);
    }
    switch (layout.kind()) {
      case NULLS -> {}
      case FIXED_WIDTH -> nextBuffer(field, Bitmaps.bytes((long) length * width));
      case VARIABLE_WIDTH -> {
        long end = checkOffsets(field, width, length);
        nextBuffer(field, end);
      }
      case VARIABLE_LIST -> {
        long end = checkOffsets(field, width, length);
        visit(field.getChildren().get(0), end);
      }
      case FIXED_LIST -> visit(field.getChildren().get(0), (long) length * width);
      case STRUCT -> field.getChildren().forEach(child -> visit(child, length));
    }
    return length;
  }

  private ArrowFieldNode nextNode(Field field, long atLeast) {
    int index = nodes.size();
    if (index >= header.nodesLength()) {
      throw damaged(field, "has no node");
    }
    FieldNode node = header.nodes(index);
    long length = node.length();
    if (length < atLeast || length > Integer.MAX_VALUE) {
      throw damaged(field, "has %d values and needs %d".formatted(length, atLeast));
    }
    if (node.nullCount() < 0 || node.nullCount() > length) {
      throw damaged(field, "counts %d NULLs in %d values".formatted(node.nullCount(), length));
    }
    ArrowFieldNode checked = new ArrowFieldNode((int) length, (int) node.nullCount());
    nodes.add(checked);
    return checked;
  }

  private ArrowBuf nextBuffer(Field field, long atLeastBytes) {
    int index = buffers.size();
    if (index >= header.buffersLength()) {
      throw damaged(field, "lacks a buffer");
    }
    Buffer buffer = header.buffers(index);
    long offset = buffer.offset();
    long bytes = buffer.length();
    if (offset % IpcMessages.ALIGNMENT_BYTES != 0) {
      throw damaged(field, "has a buffer that is not aligned");
    }
    ArrowBuf part = bytes == 0 ? BodyDecompressor.EMPTY : content(field, offset, bytes);
    if (part.readableBytes() < atLeastBytes) {
      throw damaged(
          field,
          "has a buffer of %d bytes and needs %d".formatted(part.readableBytes(), atLeastBytes));
    }
    buffers.add(part);
    return part;
  }

  private ArrowBuf content(Field field, long offset, long bytes) {
    ArrowBuf part =
        frame
            .bodyPart(offset, bytes)
            .orElseThrow(
                () ->
                    damaged(
                        field,
                        "has a buffer (%d bytes at %d) outside of the body of %d bytes"
                            .formatted(bytes, offset, frame.bodyBytes())));
    try {
      return body.decompress(part);
    } catch (IOException e) {
      throw violation(
          "A batch is damaged: field \"%s\" %s.".formatted(field.getName(), e.getMessage()), e);
    }
  }

  private void checkValidity(Field field, ArrowFieldNode node) {
    int length = node.getLength();
    ArrowBuf validity = nextBuffer(field, 0);
    if (validity.capacity() == 0) {
      if (node.getNullCount() != 0) {
        throw damaged(field, "lacks its validity");
      }
      return;
    }
    if (validity.capacity() < Bitmaps.bytes(length)) {
      throw damaged(field, "has a validity that is too short");
    }
    int nulls = Bitmaps.countZeros(validity, 0, length);
    if (nulls != node.getNullCount()) {
      throw damaged(field, "counts %d NULLs and has %d".formatted(node.getNullCount(), nulls));
    }
  }

  /**
   * Checks that offsets never fall, and returns the last. No offsets at all stand for no values.
   */
  private long checkOffsets(Field field, int width, int length) {
    ArrowBuf offsets = nextBuffer(field, length == 0 ? 0 : (length + 1L) * width);
    if (length == 0) {
      return 0;
    }
    // By address: that the buffer holds them all was checked once, above.
    long from = offsets.memoryAddress();
    boolean rising = width == Integer.BYTES ? isRising32(from, length) : isRising64(from, length);
    if (!rising) {
      throw damaged(field, "has offsets that fall or are negative");
    }
    return width == Integer.BYTES
        ? offsets.getInt((long) length * width)
        : offsets.getLong((long) length * width);
  }

  /** A difference of numbers that are not negative has its sign bit set only if it is negative. */
  private static boolean isRising32(long address, int count) {
    int previous = MemoryUtil.getInt(address);
    int signs = previous;
    for (int i = 1; i <= count; i++) {
      int next = MemoryUtil.getInt(address + (long) i * Integer.BYTES);
      signs |= next | (next - previous);
      previous = next;
    }
    return signs >= 0;
  }

  private static boolean isRising64(long address, int count) {
    long previous = MemoryUtil.getLong(address);
    long signs = previous;
    for (int i = 1; i <= count; i++) {
      long next = MemoryUtil.getLong(address + (long) i * Long.BYTES);
      signs |= next | (next - previous);
      previous = next;
    }
    return signs >= 0;
  }

  private static TallyException damaged(Field field, String what) {
    return damaged("field \"%s\" %s".formatted(field.getName(), what));
  }

  private static TallyException damaged(String what) {
    return violation("A batch is damaged: " + what + ".", null);
  }
}
