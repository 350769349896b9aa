package io.tally.spark.types;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.apache.arrow.vector.types.DateUnit;
import org.apache.arrow.vector.types.FloatingPointPrecision;
import org.apache.arrow.vector.types.TimeUnit;
import org.apache.arrow.vector.types.pojo.ArrowType;
import org.apache.arrow.vector.types.pojo.Field;
import org.apache.spark.sql.types.DataType;
import org.apache.spark.sql.types.DataTypes;
import org.apache.spark.sql.types.StructField;

/**
 * Takes Arrow fields as the nodes describe them and gives the Spark type under which Spark reads
 * the same vectors without a conversion. The source of the mapping is {@code ArrowUtils} and {@code
 * ArrowColumnVector} of Spark 4.0: what those read, and later versions read the same way, is
 * readable here.
 */
public final class ArrowSparkTypes {
  private static final int MAX_DECIMAL_PRECISION = 38;
  private static final int DECIMAL_BITS = 128;

  private ArrowSparkTypes() {}

  /** The Spark type of the field's values, or empty if Spark cannot read vectors of this field. */
  public static Optional<DataType> toSpark(Field field) {
    if (field.getDictionary() != null) {
      return Optional.empty();
    }
    return switch (field.getType().getTypeID()) {
      case Bool -> Optional.of(DataTypes.BooleanType);
      case Int -> integer((ArrowType.Int) field.getType());
      case FloatingPoint -> floatingPoint((ArrowType.FloatingPoint) field.getType());
      case Decimal -> decimal((ArrowType.Decimal) field.getType());
      case Utf8, LargeUtf8 -> Optional.of(DataTypes.StringType);
      case Binary, LargeBinary -> Optional.of(DataTypes.BinaryType);
      case Date -> date((ArrowType.Date) field.getType());
      case Timestamp -> timestamp((ArrowType.Timestamp) field.getType());
      case List -> list(field);
      case Struct -> struct(field);
      case Map -> map(field);
      default -> Optional.empty();
    };
  }

  private static Optional<DataType> integer(ArrowType.Int type) {
    if (!type.getIsSigned()) {
      return Optional.empty();
    }
    return switch (type.getBitWidth()) {
      case 8 -> Optional.of(DataTypes.ByteType);
      case 16 -> Optional.of(DataTypes.ShortType);
      case 32 -> Optional.of(DataTypes.IntegerType);
      case 64 -> Optional.of(DataTypes.LongType);
      default -> Optional.empty();
    };
  }

  private static Optional<DataType> floatingPoint(ArrowType.FloatingPoint type) {
    if (type.getPrecision() == FloatingPointPrecision.SINGLE) {
      return Optional.of(DataTypes.FloatType);
    }
    if (type.getPrecision() == FloatingPointPrecision.DOUBLE) {
      return Optional.of(DataTypes.DoubleType);
    }
    return Optional.empty();
  }

  private static Optional<DataType> decimal(ArrowType.Decimal type) {
    boolean readable =
        type.getBitWidth() == DECIMAL_BITS
            && type.getPrecision() >= 1
            && type.getPrecision() <= MAX_DECIMAL_PRECISION
            && type.getScale() >= 0
            && type.getScale() <= type.getPrecision();
    return readable
        ? Optional.of(DataTypes.createDecimalType(type.getPrecision(), type.getScale()))
        : Optional.empty();
  }

  private static Optional<DataType> date(ArrowType.Date type) {
    return type.getUnit() == DateUnit.DAY ? Optional.of(DataTypes.DateType) : Optional.empty();
  }

  private static Optional<DataType> timestamp(ArrowType.Timestamp type) {
    if (type.getUnit() != TimeUnit.MICROSECOND) {
      return Optional.empty();
    }
    return Optional.of(
        type.getTimezone() == null ? DataTypes.TimestampNTZType : DataTypes.TimestampType);
  }

  private static Optional<DataType> list(Field field) {
    Field element = field.getChildren().get(0);
    return toSpark(element).map(type -> DataTypes.createArrayType(type, element.isNullable()));
  }

  private static Optional<DataType> struct(Field field) {
    List<StructField> fields = new ArrayList<>();
    for (Field child : field.getChildren()) {
      Optional<DataType> type = toSpark(child);
      if (type.isEmpty()) {
        return Optional.empty();
      }
      fields.add(DataTypes.createStructField(child.getName(), type.get(), child.isNullable()));
    }
    return Optional.of(DataTypes.createStructType(fields));
  }

  private static Optional<DataType> map(Field field) {
    Field entries = field.getChildren().get(0);
    Field value = entries.getChildren().get(1);
    Optional<DataType> keyType = toSpark(entries.getChildren().get(0));
    Optional<DataType> valueType = toSpark(value);
    if (keyType.isEmpty() || valueType.isEmpty()) {
      return Optional.empty();
    }
    return Optional.of(DataTypes.createMapType(keyType.get(), valueType.get(), value.isNullable()));
  }
}
