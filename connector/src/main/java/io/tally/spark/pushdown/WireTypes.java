package io.tally.spark.pushdown;

import io.tally.rpc.v1.DataType;
import java.util.Map;
import java.util.Optional;
import org.apache.spark.sql.types.DataTypes;
import org.apache.spark.sql.types.DecimalType;

/**
 * Takes Spark types and gives the wire types that nodes evaluate with. Types compare equal on the
 * wire exactly if Spark holds them for equal: a STRING with a collation, CHAR and VARCHAR have no
 * wire type.
 */
final class WireTypes {
  static final DataType BOOLEAN = of(DataType.Kind.BOOLEAN);

  private static final Map<org.apache.spark.sql.types.DataType, DataType> ATOMIC =
      Map.ofEntries(
          Map.entry(DataTypes.BooleanType, BOOLEAN),
          Map.entry(DataTypes.ByteType, of(DataType.Kind.TINYINT)),
          Map.entry(DataTypes.ShortType, of(DataType.Kind.SMALLINT)),
          Map.entry(DataTypes.IntegerType, of(DataType.Kind.INTEGER)),
          Map.entry(DataTypes.LongType, of(DataType.Kind.BIGINT)),
          Map.entry(DataTypes.FloatType, of(DataType.Kind.FLOAT)),
          Map.entry(DataTypes.DoubleType, of(DataType.Kind.DOUBLE)),
          Map.entry(DataTypes.StringType, of(DataType.Kind.STRING)),
          Map.entry(DataTypes.BinaryType, of(DataType.Kind.BINARY)),
          Map.entry(DataTypes.DateType, of(DataType.Kind.DATE)),
          Map.entry(DataTypes.TimestampType, of(DataType.Kind.TIMESTAMP)),
          Map.entry(DataTypes.TimestampNTZType, of(DataType.Kind.TIMESTAMP_NTZ)));

  private WireTypes() {}

  private static DataType of(DataType.Kind kind) {
    return DataType.newBuilder().setKind(kind).build();
  }

  /** The wire type, or empty if nodes do not evaluate with values of this type. */
  static Optional<DataType> of(org.apache.spark.sql.types.DataType type) {
    if (type instanceof DecimalType decimal) {
      return Optional.of(
          DataType.newBuilder()
              .setKind(DataType.Kind.DECIMAL)
              .setPrecision(decimal.precision())
              .setScale(decimal.scale())
              .build());
    }
    return Optional.ofNullable(ATOMIC.get(type));
  }

  /** Whether it is one of the four integer types. */
  static boolean isInteger(DataType type) {
    return switch (type.getKind()) {
      case TINYINT, SMALLINT, INTEGER, BIGINT -> true;
      default -> false;
    };
  }

  /** Whether values have a NaN and a negative zero. */
  static boolean isFloatingPoint(DataType type) {
    return type.getKind() == DataType.Kind.FLOAT || type.getKind() == DataType.Kind.DOUBLE;
  }
}
