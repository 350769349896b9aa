package io.tally.rpc.arrow;

import io.tally.rpc.BodyCodec;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.apache.arrow.memory.ArrowBuf;
import org.apache.arrow.memory.BufferAllocator;
import org.apache.arrow.vector.compression.CompressionUtil;

/**
 * Takes the buffers of a body and hands on the same compressed, each behind its length, as Arrow
 * IPC has it; a buffer that does not become smaller stays as it is, behind a mark that says so.
 */
public final class BodyCompressor {
  /** What is smaller fits into a packet or two as it is. */
  static final int LEAST_BODY_BYTES = 1 << 10;

  private static final int PREFIX_BYTES = (int) CompressionUtil.SIZE_OF_UNCOMPRESSED_LENGTH;

  private final BodyCodec codec;
  private final BufferAllocator allocator;

  /**
   * @param codec available here, see {@link BodyCodecs}
   * @param allocator for what is compressed; outlives it
   */
  public BodyCompressor(BodyCodec codec, BufferAllocator allocator) {
    this.codec = codec;
    this.allocator = allocator;
  }

  /** How {@link #compress} compresses. */
  BodyCodec codec() {
    return codec;
  }

  /**
   * The compressed buffers, which the caller owns beside those that were given; empty if the body
   * would not become smaller.
   */
  Optional<List<ArrowBuf>> compress(List<ArrowBuf> body) {
    long plainBytes = IpcMessages.bodyBytes(body);
    if (codec == BodyCodec.NONE || plainBytes < LEAST_BODY_BYTES) {
      return Optional.empty();
    }
    BufferCodec library = BodyCodecs.of(codec);
    long longest = body.stream().mapToLong(ArrowBuf::readableBytes).max().orElseThrow();
    List<ArrowBuf> compressed = new ArrayList<>();
    boolean smaller = false;
    try (ArrowBuf scratch = allocator.buffer(library.maxCompressedBytes(longest))) {
      for (ArrowBuf buffer : body) {
        compressed.add(compress(buffer, library, scratch));
      }
      smaller = IpcMessages.bodyBytes(compressed) < plainBytes;
    } finally {
      if (!smaller) {
        compressed.forEach(ArrowBuf::close);
      }
    }
    return smaller ? Optional.of(compressed) : Optional.empty();
  }

  private ArrowBuf compress(ArrowBuf buffer, BufferCodec library, ArrowBuf scratch) {
    long plainBytes = buffer.readableBytes();
    if (plainBytes == 0) {
      // An empty buffer has no length in front of it.
      return allocator.getEmpty();
    }
    long bytes = library.compress(buffer, scratch);
    return bytes < plainBytes
        ? behind(plainBytes, scratch, 0, bytes)
        : behind(CompressionUtil.NO_COMPRESSION_LENGTH, buffer, buffer.readerIndex(), plainBytes);
  }

  /** In memory of its own size: scratch has room for the worst. */
  private ArrowBuf behind(long prefix, ArrowBuf source, long index, long bytes) {
    ArrowBuf copy = allocator.buffer(PREFIX_BYTES + bytes);
    copy.setLong(0, prefix);
    copy.setBytes(PREFIX_BYTES, source, index, bytes);
    return copy.writerIndex(PREFIX_BYTES + bytes);
  }
}
