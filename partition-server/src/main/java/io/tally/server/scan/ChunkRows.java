package io.tally.server.scan;

import java.util.List;
import org.apache.arrow.vector.types.IntervalUnit;
import org.apache.arrow.vector.types.pojo.ArrowType;
import org.apache.arrow.vector.types.pojo.Field;

/**
 * Chooses how many rows the engine puts into one exported chunk, so that most chunks are sent as
 * they are: neither copied together nor cut.
 */
final class ChunkRows {
  /** The engine works on so many rows at a time; multiples of it leave no remainders. */
  private static final int VECTOR_ROWS = 2048;

  private static final int MAX_ROWS = 1 << 18;

  /** Most rows where the size of a row is guessed from what is stored. */
  private static final int MAX_GUESSED_ROWS = 12 * VECTOR_ROWS;

  /**
   * Most rows where nothing is known: a tenth slower than many, but long values are held in few.
   */
  private static final int MAX_UNKNOWN_ROWS = VECTOR_ROWS / 4;

  /**
   * Of a value of varying width, with its offset: a code or a short name. A larger guess leaves
   * batches of short values half empty; chunks of longer ones are cut without a copy.
   */
  private static final int GUESSED_BYTES = 12;

  /** How much larger rows may be than they are stored, after compression. */
  private static final int GUESSED_COMPRESSION = 4;

  private ChunkRows() {}

  /**
   * Rows of one chunk.
   *
   * @param storedBytesPerRow of all columns of the table; 0 if unknown
   */
  static int of(List<Field> fields, long maxBatchBytes, long storedBytesPerRow) {
    long bits = 0;
    boolean guessed = false;
    for (Field field : fields) {
      int width = bits(field.getType());
      bits += width;
      guessed |= width == 0;
      bits += width == 0 ? GUESSED_BYTES * 8L : 0;
    }
    long rowBytes = Math.max(1, bits / 8);
    if (guessed) {
      rowBytes = Math.max(rowBytes, storedBytesPerRow * GUESSED_COMPRESSION);
    }
    // A little less than a batch, for validity bitmaps and padding.
    long rows = maxBatchBytes * 15 / 16 / rowBytes;
    long most = MAX_ROWS;
    if (guessed) {
      most = storedBytesPerRow == 0 ? MAX_UNKNOWN_ROWS : MAX_GUESSED_ROWS;
    }
    return (int) Math.max(1, Math.min(most, rows < VECTOR_ROWS ? rows : rows - rows % VECTOR_ROWS));
  }

  /** Width of a value; 0 if it varies. */
  private static int bits(ArrowType type) {
    if (type instanceof ArrowType.Interval interval) {
      return interval.getUnit() == IntervalUnit.YEAR_MONTH ? 32 : 0;
    } else if (type instanceof ArrowType.Bool) {
      return 1;
    } else if (type instanceof ArrowType.Int integer) {
      return integer.getBitWidth();
    } else if (type instanceof ArrowType.Decimal decimal) {
      return decimal.getBitWidth();
    } else if (type instanceof ArrowType.FloatingPoint
        || type instanceof ArrowType.Timestamp
        || type instanceof ArrowType.Duration) {
      return 64;
    } else if (type instanceof ArrowType.Date) {
      return 32;
    }
    return type instanceof ArrowType.Time time ? time.getBitWidth() : 0;
  }
}
