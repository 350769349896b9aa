package io.tally.spark.pushdown;

import io.tally.rpc.WireTypes;
import io.tally.rpc.v1.DataType;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Collectors;
import org.apache.spark.sql.types.DataTypes;
import org.apache.spark.sql.types.DayTimeIntervalType;
import org.apache.spark.sql.types.DecimalType;
import org.apache.spark.sql.types.YearMonthIntervalType;

/**
 * Takes Spark types and gives the wire types that nodes evaluate with, and back. Types compare
 * equal on the wire exactly if Spark holds their values for equal: a STRING with a collation has no
 * wire type.
 */
final class SparkTypes {
  private static final Map<org.apache.spark.sql.types.DataType, DataType> ATOMIC =
      Map.ofEntries(
          Map.entry(DataTypes.BooleanType, WireTypes.BOOLEAN),
          Map.entry(DataTypes.ByteType, WireTypes.TINYINT),
          Map.entry(DataTypes.ShortType, WireTypes.SMALLINT),
          Map.entry(DataTypes.IntegerType, WireTypes.INTEGER),
          Map.entry(DataTypes.LongType, WireTypes.BIGINT),
          Map.entry(DataTypes.FloatType, WireTypes.FLOAT),
          Map.entry(DataTypes.DoubleType, WireTypes.DOUBLE),
          Map.entry(DataTypes.StringType, WireTypes.STRING),
          Map.entry(DataTypes.BinaryType, WireTypes.BINARY),
          Map.entry(DataTypes.DateType, WireTypes.DATE),
          Map.entry(DataTypes.TimestampType, WireTypes.TIMESTAMP),
          Map.entry(DataTypes.TimestampNTZType, WireTypes.TIMESTAMP_NTZ));
  private static final Map<DataType, org.apache.spark.sql.types.DataType> BY_WIRE_TYPE =
      ATOMIC.entrySet().stream()
          .collect(Collectors.toUnmodifiableMap(Map.Entry::getValue, Map.Entry::getKey));

  private SparkTypes() {}

  /** The wire type, or empty if nodes do not evaluate with values of this type. */
  static Optional<DataType> toWire(org.apache.spark.sql.types.DataType type) {
    if (type instanceof DecimalType decimal) {
      return Optional.of(WireTypes.decimal(decimal.precision(), decimal.scale()));
    }
    // Whatever fields they were declared with, they are months or microseconds.
    if (type instanceof YearMonthIntervalType) {
      return Optional.of(WireTypes.YEAR_MONTH_INTERVAL);
    }
    if (type instanceof DayTimeIntervalType) {
      return Optional.of(WireTypes.DAY_TIME_INTERVAL);
    }
    return Optional.ofNullable(ATOMIC.get(type));
  }

  /** Whether a cast to this type drops what is smaller than its last field. */
  static boolean isCutInterval(org.apache.spark.sql.types.DataType type) {
    return (type instanceof YearMonthIntervalType months
            && months.endField() != YearMonthIntervalType.MONTH())
        || (type instanceof DayTimeIntervalType micros
            && micros.endField() != DayTimeIntervalType.SECOND());
  }

  /** The Spark type of what a node evaluated. */
  static org.apache.spark.sql.types.DataType of(DataType type) {
    if (WireTypes.isDecimal(type)) {
      return DataTypes.createDecimalType(type.getPrecision(), type.getScale());
    }
    return switch (type.getKind()) {
      case YEAR_MONTH_INTERVAL -> DataTypes.createYearMonthIntervalType();
      case DAY_TIME_INTERVAL -> DataTypes.createDayTimeIntervalType();
      default -> Optional.ofNullable(BY_WIRE_TYPE.get(type)).orElseThrow();
    };
  }
}
