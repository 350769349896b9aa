package io.tally.spark.pushdown;

import io.tally.rpc.WireTypes;
import io.tally.rpc.v1.DataType;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Collectors;
import org.apache.spark.sql.types.DataTypes;
import org.apache.spark.sql.types.DecimalType;

/**
 * Takes Spark types and gives the wire types that nodes evaluate with, and back. Types compare
 * equal on the wire exactly if Spark holds them for equal: a STRING with a collation, CHAR and
 * VARCHAR have no wire type.
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
    return type instanceof DecimalType decimal
        ? Optional.of(WireTypes.decimal(decimal.precision(), decimal.scale()))
        : Optional.ofNullable(ATOMIC.get(type));
  }

  /** The Spark type of what a node evaluated. */
  static org.apache.spark.sql.types.DataType of(DataType type) {
    if (WireTypes.isDecimal(type)) {
      return DataTypes.createDecimalType(type.getPrecision(), type.getScale());
    }
    return Optional.ofNullable(BY_WIRE_TYPE.get(type)).orElseThrow();
  }
}
