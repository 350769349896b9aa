package io.tally.rpc.arrow;

import java.io.IOException;
import org.apache.arrow.memory.ArrowBuf;

/**
 * Compresses the bytes of one buffer and gets them back, as Arrow IPC defines it for a body that is
 * compressed buffer by buffer; the length in front of each is not seen here. Without state, and
 * safe for any thread.
 */
interface BufferCodec {
  /**
   * Loads the library.
   *
   * @throws LinkageError if it is not there, or does not run here
   */
  void load();

  /** The most bytes that {@link #compress} writes for so many. */
  long maxCompressedBytes(long bytes);

  /**
   * Writes the readable bytes of {@code source} to the start of {@code target}, which has room for
   * {@link #maxCompressedBytes}, and returns how many that are.
   */
  long compress(ArrowBuf source, ArrowBuf target);

  /**
   * Writes what the readable bytes of {@code source} stand for to the start of {@code target}, and
   * never more than {@code bytes}.
   *
   * @param bytes at least 1, and no more than the target has room for
   * @throws IOException if the source is damaged, or stands for more or less than {@code bytes}
   */
  void decompress(ArrowBuf source, ArrowBuf target, long bytes) throws IOException;
}
