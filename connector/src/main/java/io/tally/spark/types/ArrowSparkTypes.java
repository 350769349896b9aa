package io.tally.spark.types;

import io.tally.rpc.SqlTypeName;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.apache.arrow.vector.types.DateUnit;
import org.apache.arrow.vector.types.FloatingPointPrecision;
import org.apache.arrow.vector.types.IntervalUnit;
import org.apache.arrow.vector.types.TimeUnit;
import org.apache.arrow.vector.types.pojo.ArrowType;
import org.apache.arrow.vector.types.pojo.Field;
import org.apache.spark.sql.internal.SQLConf;
import org.apache.spark.sql.types.DataType;
import org.apache.spark.sql.types.DataTypes;
import org.apache.spark.sql.types.DayTimeIntervalType;
import org.apache.spark.sql.types.StringType;
import org.apache.spark.sql.types.StructField;
import org.apache.spark.sql.types.YearMonthIntervalType;

/**
 * Takes Arrow fields as the nodes describe them and gives the Spark type under which Spark reads
 * the same vectors without a conversion. The source of the mapping is {@code ArrowUtils} and {@code
 * ArrowColumnVector} of Spark 4.0: what those read, and later versions read the same way, is
 * readable here.
 */
public final class ArrowSparkTypes {
  private static final int MAX_DECIMAL_PRECISION = 38;
  private static final int DECIMAL_BITS = 128;
  private static final ArrowType YEAR_MONTH = new ArrowType.Interval(IntervalUnit.YEAR_MONTH);
  private static final ArrowType MICROSECONDS = new ArrowType.Duration(TimeUnit.MICROSECOND);
  private static final ArrowType NANOSECONDS = new ArrowType.Time(TimeUnit.NANOSECOND, 64);

  private static final String TIME_SETTING = "spark.sql.timeType.enabled";

  /** What a Time without a name is. */
  private static final SqlTypeName TIME = new SqlTypeName("time(6)");

  private ArrowSparkTypes() {}

  /** The Spark type of the field's values, or empty if Spark cannot read vectors of this field. */
  public static Optional<DataType> toSpark(Field field) {
    if (field.getDictionary() != null) {
      return Optional.empty();
    }
    Optional<SqlTypeName> name =
        SqlTypeName.of(field.getMetadata()).filter(each -> !each.isCharOrVarchar());
    return name.isPresent() ? named(field.getType(), name.get()) : unnamed(field);
  }

  /** What the name says, if it is another word for what the Arrow type says. */
  private static Optional<DataType> named(ArrowType arrow, SqlTypeName name) {
    DataType type;
    try {
      type = DataType.fromDDL(name.text());
    } catch (Exception e) {
      // Whatever Spark's parser throws (it declares nothing): this Spark has no such type.
      return Optional.empty();
    }
    boolean fits =
        switch (arrow.getTypeID()) {
          case Utf8, LargeUtf8 -> type instanceof StringType;
          case Interval -> arrow.equals(YEAR_MONTH) && type instanceof YearMonthIntervalType;
          case Duration -> arrow.equals(MICROSECONDS) && type instanceof DayTimeIntervalType;
          case Time ->
              arrow.equals(NANOSECONDS) && type.typeName().startsWith("time(") && sessionHasTime();
          case Struct -> type.typeName().equals("variant");
          default -> false;
        };
    return fits ? Optional.of(type) : Optional.empty();
  }

  /** Unless it is told to have TIME, Spark cannot even look at a table with such a column. */
  private static boolean sessionHasTime() {
    return Boolean.parseBoolean(SQLConf.get().getConfString(TIME_SETTING, "false"));
  }

  /** Why Spark cannot read it, a sentence. */
  static String reason(Field field) {
    return field.getType().equals(NANOSECONDS)
        ? "It is a TIME, which Spark 4.1 and newer read if " + TIME_SETTING + " is true."
        : "Spark has no type that reads it.";
  }

  private static Optional<DataType> unnamed(Field field) {
    ArrowType type = field.getType();
    return switch (type.getTypeID()) {
      case Bool -> Optional.of(DataTypes.BooleanType);
      case Int -> integer((ArrowType.Int) field.getType());
      case FloatingPoint -> floatingPoint((ArrowType.FloatingPoint) field.getType());
      case Decimal -> decimal((ArrowType.Decimal) field.getType());
      case Utf8, LargeUtf8 -> Optional.of(DataTypes.StringType);
      case Binary, LargeBinary -> Optional.of(DataTypes.BinaryType);
      case Date -> date((ArrowType.Date) field.getType());
      case Timestamp -> timestamp((ArrowType.Timestamp) field.getType());
      case Interval ->
          type.equals(YEAR_MONTH)
              ? Optional.of(DataTypes.createYearMonthIntervalType())
              : Optional.empty();
      case Duration ->
          type.equals(MICROSECONDS)
              ? Optional.of(DataTypes.createDayTimeIntervalType())
              : Optional.empty();
      case Time -> named(type, TIME);
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
