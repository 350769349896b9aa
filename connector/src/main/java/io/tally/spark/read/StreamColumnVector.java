package io.tally.spark.read;

import org.apache.arrow.vector.ValueVector;
import org.apache.spark.sql.types.Decimal;
import org.apache.spark.sql.vectorized.ArrowColumnVector;
import org.apache.spark.sql.vectorized.ColumnVector;
import org.apache.spark.sql.vectorized.ColumnarArray;
import org.apache.spark.sql.vectorized.ColumnarMap;
import org.apache.spark.unsafe.types.CalendarInterval;
import org.apache.spark.unsafe.types.UTF8String;

/**
 * Shows Spark an Arrow vector that stays the reader's: {@link #close} does nothing. Spark closes
 * the columns of a batch when it is done with it ({@code ColumnarToRowExec}), and closing an Arrow
 * struct drops its children for good, while the vectors of a stream are filled again with every
 * batch. The reader releases the memory when it moves on, or is closed.
 *
 * <p>It reads through an {@link ArrowColumnVector} and is none, because of those Spark 4.2 expects
 * that every batch has its own: beside a pandas UDF ({@code
 * ColumnarArrowEvalPythonEvaluatorFactory}) it keeps the columns while it reads later batches. Of
 * any other it copies the rows first.
 */
final class StreamColumnVector extends ColumnVector {
  private final ArrowColumnVector values;

  StreamColumnVector(ValueVector vector) {
    this(new ArrowColumnVector(vector));
  }

  private StreamColumnVector(ArrowColumnVector values) {
    super(values.dataType());
    this.values = values;
  }

  /** What it shows. */
  ValueVector vector() {
    return values.getValueVector();
  }

  @Override
  public boolean hasNull() {
    return values.hasNull();
  }

  @Override
  public int numNulls() {
    return values.numNulls();
  }

  @Override
  public boolean isNullAt(int row) {
    return values.isNullAt(row);
  }

  @Override
  public boolean getBoolean(int row) {
    return values.getBoolean(row);
  }

  @Override
  public byte getByte(int row) {
    return values.getByte(row);
  }

  @Override
  public short getShort(int row) {
    return values.getShort(row);
  }

  @Override
  public int getInt(int row) {
    return values.getInt(row);
  }

  @Override
  public long getLong(int row) {
    return values.getLong(row);
  }

  @Override
  public float getFloat(int row) {
    return values.getFloat(row);
  }

  @Override
  public double getDouble(int row) {
    return values.getDouble(row);
  }

  @Override
  public Decimal getDecimal(int row, int precision, int scale) {
    return values.getDecimal(row, precision, scale);
  }

  @Override
  public UTF8String getUTF8String(int row) {
    return values.getUTF8String(row);
  }

  @Override
  public CalendarInterval getInterval(int row) {
    return values.getInterval(row);
  }

  @Override
  public byte[] getBinary(int row) {
    return values.getBinary(row);
  }

  @Override
  public ColumnarArray getArray(int row) {
    return values.getArray(row);
  }

  @Override
  public ColumnarMap getMap(int row) {
    return values.getMap(row);
  }

  @Override
  public ColumnVector getChild(int ordinal) {
    return values.getChild(ordinal);
  }

  @Override
  public void close() {
    // The reader owns the vector, see above.
  }
}
