package io.tally.spark.read;

import io.tally.spark.pushdown.OutputColumn;
import io.tally.spark.pushdown.OutputColumn.Role;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.nio.ByteBuffer;
import org.apache.arrow.memory.ArrowBuf;
import org.apache.arrow.memory.BufferAllocator;
import org.apache.arrow.vector.BaseFixedWidthVector;
import org.apache.arrow.vector.BaseIntVector;
import org.apache.arrow.vector.BigIntVector;
import org.apache.arrow.vector.DecimalVector;
import org.apache.arrow.vector.FieldVector;
import org.apache.arrow.vector.IntVector;
import org.apache.spark.sql.types.DecimalType;
import org.apache.spark.sql.types.YearMonthIntervalType;

/**
 * How the exact sums of one column, 128 bits wide as the node sends them, fit the type that Spark
 * reads, and how one that does not fit is split. All loops here are over the raw buffer.
 */
abstract sealed class ExactSum {
  private static final int SUM_BYTES = 16;

  /** The way of a column whose role is one of the two exact sums. */
  static ExactSum of(OutputColumn output) {
    if (output.role() == Role.DECIMAL_SUM) {
      return new ReadAsDecimal(
          ((DecimalType) output.read()).precision(), ((DecimalType) output.sent()).scale());
    }
    return new ReadAsInteger(
        output.read() instanceof YearMonthIntervalType ? Integer.SIZE : Long.SIZE);
  }

  /** Whether all of the first {@code rows} values fit; true only if so, NULLs left aside. */
  abstract boolean allFit(DecimalVector sums, int rows);

  /** The largest part of {@code sum} that fits, of the same sign. */
  abstract BigInteger largestPiece(BigInteger sum);

  /**
   * The column as Spark reads it. Values that do not fit are to be replaced by {@link #set}.
   *
   * @param patched whether {@link #set} will be called
   * @return {@code sums} itself, or a new vector that the caller closes
   */
  abstract FieldVector read(
      DecimalVector sums, int rows, boolean patched, BufferAllocator allocator);

  /** A new vector, all NULL, that the caller closes. */
  abstract FieldVector allNull(int rows, BufferAllocator allocator);

  /** Puts a piece into a vector of {@link #read} or {@link #allNull}. */
  abstract void set(FieldVector vector, int row, BigInteger piece);

  /** Whether the value of one row fits. */
  final boolean fits(BigInteger sum) {
    return largestPiece(sum).equals(sum);
  }

  /** The value of a row that is not NULL. */
  static BigInteger value(DecimalVector sums, int row) {
    ArrowBuf data = sums.getDataBuffer();
    ByteBuffer bigEndian = ByteBuffer.allocate(SUM_BYTES);
    bigEndian.putLong(data.getLong((long) row * SUM_BYTES + Long.BYTES));
    bigEndian.putLong(data.getLong((long) row * SUM_BYTES));
    return new BigInteger(bigEndian.array());
  }

  private static void copyValidity(FieldVector from, FieldVector to, int rows) {
    // Not by Arrow's helper: its name differs between the Arrow versions of Spark 4.0 and 4.2.
    int validityBytes = (rows + Byte.SIZE - 1) / Byte.SIZE;
    to.getValidityBuffer().setBytes(0, from.getValidityBuffer(), 0, validityBytes);
  }

  /** Sums of whole numbers: Spark reads BIGINT, or an interval of as many bits. */
  private static final class ReadAsInteger extends ExactSum {
    private final int bits;
    private final BigInteger least;
    private final BigInteger greatest;

    /**
     * @param bits 32 or 64
     */
    ReadAsInteger(int bits) {
      this.bits = bits;
      this.greatest = BigInteger.ONE.shiftLeft(bits - 1).subtract(BigInteger.ONE);
      this.least = greatest.not();
    }

    @Override
    boolean allFit(DecimalVector sums, int rows) {
      ArrowBuf data = sums.getDataBuffer();
      int unread = Long.SIZE - bits;
      long differences = 0;
      for (long at = 0; at < (long) rows * SUM_BYTES; at += SUM_BYTES) {
        // It fits if all above the lowest bits is nothing but their sign.
        long read = data.getLong(at) << unread >> unread;
        differences |= (data.getLong(at + Long.BYTES) ^ (read >> 63)) | (data.getLong(at) ^ read);
      }
      return differences == 0;
    }

    @Override
    BigInteger largestPiece(BigInteger sum) {
      return sum.max(least).min(greatest);
    }

    @Override
    FieldVector read(DecimalVector sums, int rows, boolean patched, BufferAllocator allocator) {
      FieldVector integers = allNull(rows, allocator);
      ArrowBuf from = sums.getDataBuffer();
      ArrowBuf to = integers.getDataBuffer();
      if (bits == Long.SIZE) {
        for (long row = 0; row < rows; row++) {
          to.setLong(row * Long.BYTES, from.getLong(row * SUM_BYTES));
        }
      } else {
        for (long row = 0; row < rows; row++) {
          to.setInt(row * Integer.BYTES, (int) from.getLong(row * SUM_BYTES));
        }
      }
      copyValidity(sums, integers, rows);
      return integers;
    }

    @Override
    FieldVector allNull(int rows, BufferAllocator allocator) {
      BaseFixedWidthVector integers =
          bits == Long.SIZE ? new BigIntVector("sum", allocator) : new IntVector("sum", allocator);
      integers.allocateNew(rows);
      integers.setValueCount(rows);
      return integers;
    }

    @Override
    void set(FieldVector vector, int row, BigInteger piece) {
      ((BaseIntVector) vector).setWithPossibleTruncate(row, piece.longValueExact());
    }
  }

  /** Sums of DECIMAL(p, s): Spark reads DECIMAL(p, s). */
  private static final class ReadAsDecimal extends ExactSum {
    private static final int MAX_PRECISION = 38;

    private final int scale;
    private final BigInteger greatest;
    private final long greatestHigh;
    private final long greatestLow;

    ReadAsDecimal(int precision, int scale) {
      this.scale = scale;
      this.greatest = BigInteger.TEN.pow(precision).subtract(BigInteger.ONE);
      this.greatestHigh = greatest.shiftRight(Long.SIZE).longValueExact();
      this.greatestLow = greatest.longValue();
    }

    @Override
    boolean allFit(DecimalVector sums, int rows) {
      ArrowBuf data = sums.getDataBuffer();
      boolean fit = true;
      for (long at = 0; at < (long) rows * SUM_BYTES; at += SUM_BYTES) {
        long high = data.getLong(at + Long.BYTES);
        long sign = high >> 63;
        // The absolute value, as two's complement over both halves.
        long absoluteLow = (data.getLong(at) ^ sign) - sign;
        long absoluteHigh = (high ^ sign) + (sign != 0 && absoluteLow == 0 ? 1 : 0);
        fit &=
            absoluteHigh < greatestHigh
                || (absoluteHigh == greatestHigh
                    && Long.compareUnsigned(absoluteLow, greatestLow) <= 0);
      }
      return fit;
    }

    @Override
    BigInteger largestPiece(BigInteger sum) {
      return sum.max(greatest.negate()).min(greatest);
    }

    @Override
    FieldVector read(DecimalVector sums, int rows, boolean patched, BufferAllocator allocator) {
      if (!patched) {
        return sums;
      }
      DecimalVector copy = allNull(rows, allocator);
      copy.getDataBuffer().setBytes(0, sums.getDataBuffer(), 0, (long) rows * SUM_BYTES);
      copyValidity(sums, copy, rows);
      return copy;
    }

    @Override
    DecimalVector allNull(int rows, BufferAllocator allocator) {
      DecimalVector decimals = new DecimalVector("sum", allocator, MAX_PRECISION, scale);
      decimals.allocateNew(rows);
      decimals.setValueCount(rows);
      return decimals;
    }

    @Override
    void set(FieldVector vector, int row, BigInteger piece) {
      ((DecimalVector) vector).set(row, new BigDecimal(piece, scale));
    }
  }
}
