package io.tally.rpc.arrow;

import io.tally.rpc.BodyCodec;
import java.util.Optional;
import java.util.function.Supplier;
import org.apache.arrow.flatbuf.CompressionType;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Gives the library for each codec, if this process has it: both are loaded when they are first
 * asked for, and one of them is native. Whoever does without compression does without them.
 */
public final class BodyCodecs {
  private static final Logger LOG = LoggerFactory.getLogger(BodyCodecs.class);

  private BodyCodecs() {}

  /** Whether this process can compress and decompress so; without a codec, all can. */
  public static boolean isAvailable(BodyCodec codec) {
    return codec == BodyCodec.NONE || find(codec).isPresent();
  }

  /** The library of a codec that is available. */
  static BufferCodec of(BodyCodec codec) {
    return find(codec)
        .orElseThrow(() -> new IllegalStateException(codec.optionName() + " is not available"));
  }

  private static Optional<BufferCodec> find(BodyCodec codec) {
    return switch (codec) {
      case NONE -> Optional.empty();
      case LZ4 -> Lz4.CODEC;
      case ZSTD -> Zstd.CODEC;
    };
  }

  /** As {@code org.apache.arrow.flatbuf.CompressionType}. */
  static byte arrowType(BodyCodec codec) {
    return codec == BodyCodec.LZ4 ? CompressionType.LZ4_FRAME : CompressionType.ZSTD;
  }

  private static final class Lz4 {
    static final Optional<BufferCodec> CODEC = load(BodyCodec.LZ4, Lz4Buffers::new);
  }

  private static final class Zstd {
    static final Optional<BufferCodec> CODEC = load(BodyCodec.ZSTD, ZstdBuffers::new);
  }

  private static Optional<BufferCodec> load(BodyCodec codec, Supplier<BufferCodec> library) {
    try {
      BufferCodec loaded = library.get();
      loaded.load();
      return Optional.of(loaded);
    } catch (LinkageError e) {
      LOG.warn(
          "Bodies are not compressed with {} here, because its library cannot be loaded",
          codec.optionName(),
          e);
      return Optional.empty();
    }
  }
}
