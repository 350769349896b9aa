package io.tally.rpc.arrow;

import org.apache.arrow.memory.ArrowBuf;
import org.apache.arrow.memory.BufferAllocator;

/**
 * Counts and cuts Arrow bitmaps (validity, booleans: bit i is bit i % 8 of byte i / 8), 64 bits at
 * a time.
 */
final class Bitmaps {
  private Bitmaps() {}

  static long bytes(long bits) {
    return (bits + Byte.SIZE - 1) / Byte.SIZE;
  }

  /** How many of the bits {@code [first, first + count)} are 0. */
  static int countZeros(ArrowBuf bitmap, long first, int count) {
    int ones = 0;
    for (int done = 0; done < count; done += Long.SIZE) {
      int bits = Math.min(Long.SIZE, count - done);
      ones += Long.bitCount(word(bitmap, first + done, bits));
    }
    return count - ones;
  }

  /**
   * The bits {@code [first, first + count)} as a bitmap of their own: a retained part of {@code
   * bitmap} where they start on a byte, otherwise a copy. The caller closes it.
   */
  static ArrowBuf slice(ArrowBuf bitmap, long first, int count, BufferAllocator allocator) {
    long bytes = bytes(count);
    if (first % Byte.SIZE == 0) {
      ArrowBuf part = bitmap.slice(first / Byte.SIZE, bytes);
      part.getReferenceManager().retain();
      return part;
    }
    ArrowBuf copy = allocator.buffer(bytes);
    for (int done = 0; done < count; done += Long.SIZE) {
      int bits = Math.min(Long.SIZE, count - done);
      long word = word(bitmap, first + done, bits);
      long index = done / Byte.SIZE;
      if (bits == Long.SIZE) {
        copy.setLong(index, word);
      } else {
        for (int i = 0; i < bytes(bits); i++) {
          copy.setByte(index + i, (byte) (word >>> (i * Byte.SIZE)));
        }
      }
    }
    return copy.writerIndex(bytes);
  }

  /** Up to 64 bits from {@code first} on; bits beyond {@code bits} are 0. */
  private static long word(ArrowBuf bitmap, long first, int bits) {
    long index = first / Byte.SIZE;
    int shift = (int) (first % Byte.SIZE);
    long word;
    if (bits == Long.SIZE) {
      word = bitmap.getLong(index) >>> shift;
      if (shift > 0) {
        word |= (long) bitmap.getByte(index + Long.BYTES) << (Long.SIZE - shift);
      }
      return word;
    }
    word = 0;
    int bytes = (int) bytes(shift + bits);
    for (int i = 0; i < bytes; i++) {
      int at = i * Byte.SIZE - shift;
      long next = bitmap.getByte(index + i) & 0xFFL;
      word |= at < 0 ? next >>> -at : next << at;
    }
    return word & (-1L >>> (Long.SIZE - bits));
  }
}
