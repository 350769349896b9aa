package io.tally.rpc.arrow;

import com.github.luben.zstd.Zstd;
import java.io.IOException;
import org.apache.arrow.memory.ArrowBuf;

/** Turns a buffer into a Zstandard frame and back, from Arrow memory into Arrow memory. */
final class ZstdBuffers implements BufferCodec {
  /** The lowest of the usual levels: a scan should not wait for its compression. */
  private static final int LEVEL = 1;

  @Override
  public void load() {
    // Its native part is loaded with the first class that needs it.
    if (maxCompressedBytes(1) < 1) {
      throw new UnsatisfiedLinkError("zstd has no bound for one byte");
    }
  }

  @Override
  public long maxCompressedBytes(long bytes) {
    return Zstd.compressBound(bytes);
  }

  @Override
  public long compress(ArrowBuf source, ArrowBuf target) {
    long bytes =
        Zstd.compressUnsafe(
            target.memoryAddress(),
            target.capacity(),
            source.memoryAddress() + source.readerIndex(),
            source.readableBytes(),
            LEVEL);
    if (Zstd.isError(bytes)) {
      throw new IllegalStateException("zstd does not compress: " + Zstd.getErrorName(bytes));
    }
    return bytes;
  }

  @Override
  public void decompress(ArrowBuf source, ArrowBuf target, long bytes) throws IOException {
    long written =
        Zstd.decompressUnsafe(
            target.memoryAddress(),
            bytes,
            source.memoryAddress() + source.readerIndex(),
            source.readableBytes());
    if (Zstd.isError(written)) {
      throw new IOException(Zstd.getErrorName(written));
    }
    if (written != bytes) {
      throw new IOException("there are %d bytes".formatted(written));
    }
  }
}
