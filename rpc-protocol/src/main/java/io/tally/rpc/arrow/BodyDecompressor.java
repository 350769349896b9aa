package io.tally.rpc.arrow;

import io.tally.rpc.BodyCodec;
import io.tally.rpc.TallyException;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import org.apache.arrow.flatbuf.BodyCompression;
import org.apache.arrow.flatbuf.BodyCompressionMethod;
import org.apache.arrow.flatbuf.RecordBatch;
import org.apache.arrow.memory.ArrowBuf;
import org.apache.arrow.memory.ReferenceManager;
import org.apache.arrow.vector.compression.CompressionUtil;

/**
 * Takes the buffers of one received body, one by one, and hands on what they stand for: themselves,
 * if the body is not compressed. Owns the memory of those that it has decompressed; whoever wants
 * to keep one retains it.
 *
 * <p>How much that may be in all is known before the first is decompressed, and each says how long
 * it is in front of it. So nothing is allocated for more, whatever a node may say.
 */
final class BodyDecompressor implements AutoCloseable {
  static final ArrowBuf EMPTY = new ArrowBuf(ReferenceManager.NO_OP, null, 0, 0);

  private static final long PREFIX_BYTES = CompressionUtil.SIZE_OF_UNCOMPRESSED_LENGTH;

  private final BodyCodec codec;
  private final long maxBytes;
  private final List<ArrowBuf> decompressed = new ArrayList<>();
  private long leftBytes;

  private BodyDecompressor(BodyCodec codec, long maxBytes) {
    this.codec = codec;
    this.maxBytes = maxBytes;
    this.leftBytes = maxBytes;
  }

  /**
   * For the body behind {@code header}.
   *
   * @param accepted the codec that was asked for, which the body need not be compressed with
   * @param maxBytes the most that a body may be as it was before compression, padding included
   * @throws TallyException PROTOCOL_VIOLATION if it is compressed in another way
   */
  static BodyDecompressor of(RecordBatch header, BodyCodec accepted, long maxBytes) {
    BodyCompression compression = header.compression();
    if (compression == null) {
      return new BodyDecompressor(BodyCodec.NONE, maxBytes);
    }
    if (accepted == BodyCodec.NONE
        || compression.codec() != BodyCodecs.arrowType(accepted)
        || compression.method() != BodyCompressionMethod.BUFFER) {
      throw IpcMessages.violation("A batch is compressed in a way that was not asked for.", null);
    }
    return new BodyDecompressor(accepted, maxBytes);
  }

  /**
   * What a buffer stands for.
   *
   * @param buffer not empty
   * @throws IOException if it is damaged, or stands for too much; with a clause for people
   */
  ArrowBuf decompress(ArrowBuf buffer) throws IOException {
    if (codec == BodyCodec.NONE) {
      return buffer;
    }
    long contentBytes = buffer.readableBytes() - PREFIX_BYTES;
    if (contentBytes < 0) {
      throw new IOException("has a compressed buffer that is cut off");
    }
    ArrowBuf content = buffer.slice(buffer.readerIndex() + PREFIX_BYTES, contentBytes);
    long length = buffer.getLong(buffer.readerIndex());
    boolean plain = length == CompressionUtil.NO_COMPRESSION_LENGTH;
    long bytes = plain ? contentBytes : length;
    if (bytes < 0) {
      throw new IOException("has a compressed buffer of %d bytes".formatted(bytes));
    }
    // In this order, because padding a lie might be too much for a number.
    if (bytes > leftBytes || IpcMessages.padded(bytes) > leftBytes) {
      throw new IOException(
          "has a buffer of %d bytes, with which the batch is larger than the %d that were asked for"
              .formatted(bytes, maxBytes));
    }
    leftBytes -= IpcMessages.padded(bytes);
    return plain || bytes == 0 ? content.slice(0, bytes) : decompress(content, bytes);
  }

  private ArrowBuf decompress(ArrowBuf content, long bytes) throws IOException {
    ArrowBuf target = content.getReferenceManager().getAllocator().buffer(bytes);
    decompressed.add(target);
    try {
      BodyCodecs.of(codec).decompress(content, target, bytes);
    } catch (IOException e) {
      throw new IOException(
          "has a buffer that is not %d bytes compressed with %s: %s"
              .formatted(bytes, codec.optionName(), e.getMessage()),
          e);
    }
    return target.slice(0, bytes);
  }

  @Override
  public void close() {
    decompressed.forEach(ArrowBuf::close);
    decompressed.clear();
  }
}
