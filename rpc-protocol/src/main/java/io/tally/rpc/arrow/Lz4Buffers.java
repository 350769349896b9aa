package io.tally.rpc.arrow;

import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.util.Objects;
import net.jpountz.lz4.LZ4Factory;
import net.jpountz.lz4.LZ4FrameInputStream;
import net.jpountz.lz4.LZ4FrameOutputStream;
import net.jpountz.lz4.LZ4FrameOutputStream.BLOCKSIZE;
import net.jpountz.lz4.LZ4FrameOutputStream.FLG;
import org.apache.arrow.memory.ArrowBuf;

/**
 * Turns a buffer into an LZ4 frame and back.
 *
 * <p>Blocks of a frame may refer to those before them, which Arrow's C++ writer makes use of and
 * lz4-java does not read. Such a frame is left to Commons Compress, which reads all, at a small
 * part of the speed.
 *
 * <p>Reading takes room on the heap for two blocks, of which a frame says how large they are: up to
 * 4 MiB each.
 */
final class Lz4Buffers implements BufferCodec {
  /** A block of that size and its hash table stay in a processor's cache. */
  private static final BLOCKSIZE BLOCK = BLOCKSIZE.SIZE_64KB;

  private static final int BLOCK_BYTES = 64 << 10;

  /** Magic number, descriptor with all that it may hold, and the mark of the end. */
  private static final int FRAME_OVERHEAD_BYTES = 4 + 15 + 4;

  /** Where a frame's flags are. */
  private static final int FLAGS_INDEX = 4;

  private static final int INDEPENDENT_BLOCKS = 1 << 5;

  @Override
  public void load() {
    // Chooses between its native part and Java, which runs everywhere.
    Objects.requireNonNull(LZ4Factory.fastestInstance());
  }

  @Override
  public long maxCompressedBytes(long bytes) {
    // A block that does not become smaller is stored as it is, behind its length.
    return bytes + (bytes / BLOCK_BYTES + 1) * Integer.BYTES + FRAME_OVERHEAD_BYTES;
  }

  @Override
  public long compress(ArrowBuf source, ArrowBuf target) {
    Writing written = new Writing(target);
    byte[] block = new byte[(int) Math.min(BLOCK_BYTES, source.readableBytes())];
    try (OutputStream frame =
        new LZ4FrameOutputStream(written, BLOCK, FLG.Bits.BLOCK_INDEPENDENCE)) {
      long end = source.readerIndex() + source.readableBytes();
      for (long at = source.readerIndex(); at < end; at += block.length) {
        int bytes = (int) Math.min(block.length, end - at);
        source.getBytes(at, block, 0, bytes);
        frame.write(block, 0, bytes);
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    return written.position;
  }

  @Override
  public void decompress(ArrowBuf source, ArrowBuf target, long bytes) throws IOException {
    byte[] block = new byte[(int) Math.min(BLOCK_BYTES, bytes)];
    try (InputStream frame = frame(source)) {
      long done = 0;
      while (done < bytes) {
        int read = frame.read(block, 0, (int) Math.min(block.length, bytes - done));
        if (read < 0) {
          throw new EOFException("there are %d bytes".formatted(done));
        }
        target.setBytes(done, block, 0, read);
        done += read;
      }
      if (frame.read() >= 0) {
        throw new IOException("there are more bytes");
      }
    } catch (RuntimeException e) {
      // Both libraries meet damage with whatever their parts throw.
      throw new IOException(e);
    }
  }

  private static InputStream frame(ArrowBuf source) throws IOException {
    InputStream bytes = new Reading(source);
    boolean linked =
        source.readableBytes() > FLAGS_INDEX
            && (source.getByte(source.readerIndex() + FLAGS_INDEX) & INDEPENDENT_BLOCKS) == 0;
    if (!linked) {
      return new LZ4FrameInputStream(bytes, /* readSingleFrame= */ true);
    }
    try {
      return LinkedLz4Frames.open(bytes);
    } catch (LinkageError e) {
      throw new IOException("an LZ4 frame with linked blocks is read by Commons Compress only", e);
    }
  }

  /** The readable bytes of a buffer. */
  private static final class Reading extends InputStream {
    private final ArrowBuf source;
    private long position;
    private final long end;

    Reading(ArrowBuf source) {
      this.source = source;
      this.position = source.readerIndex();
      this.end = position + source.readableBytes();
    }

    @Override
    public int read() {
      return position == end ? -1 : source.getByte(position++) & 0xFF;
    }

    @Override
    public int read(byte[] target, int offset, int length) {
      if (position == end && length > 0) {
        return -1;
      }
      int bytes = (int) Math.min(length, end - position);
      source.getBytes(position, target, offset, bytes);
      position += bytes;
      return bytes;
    }
  }

  /** A buffer, from its start. */
  private static final class Writing extends OutputStream {
    private final ArrowBuf target;
    private long position;

    Writing(ArrowBuf target) {
      this.target = target;
    }

    @Override
    public void write(int value) {
      target.setByte(position++, value);
    }

    @Override
    public void write(byte[] bytes, int offset, int length) {
      target.setBytes(position, bytes, offset, length);
      position += length;
    }
  }
}
