package io.tally.server.scan;

import io.tally.rpc.SqlTypeName;
import io.tally.rpc.WireTypes;
import io.tally.rpc.v1.DataType;
import java.util.Locale;
import java.util.Optional;
import org.apache.arrow.vector.types.DateUnit;
import org.apache.arrow.vector.types.FloatingPointPrecision;
import org.apache.arrow.vector.types.IntervalUnit;
import org.apache.arrow.vector.types.TimeUnit;
import org.apache.arrow.vector.types.pojo.ArrowType;
import org.apache.arrow.vector.types.pojo.Field;

/**
 * The type of an expression: one of the wire's data types, or a type that columns may have but that
 * expressions cannot compare.
 *
 * @param wire KIND_UNSPECIFIED for a type outside expressions
 * @param text for people
 */
record ValueType(DataType wire, String text) {
  static final ValueType BOOLEAN = of(WireTypes.BOOLEAN);
  private static final String UTC = "UTC";

  static ValueType of(DataType wire) {
    return new ValueType(wire, WireTypes.name(wire));
  }

  /** The type of a column as it is sent. */
  static ValueType of(Field field) {
    Optional<SqlTypeName> name = SqlTypeName.of(field.getMetadata());
    if (name.filter(SqlTypeName::isCollated).isPresent()) {
      return new ValueType(DataType.getDefaultInstance(), name.get().text());
    }
    DataType wire = wireType(field.getType());
    return wire.getKind() == DataType.Kind.KIND_UNSPECIFIED
        ? new ValueType(wire, field.getType().toString())
        : of(wire);
  }

  /** Whether values of this type take part in comparisons, grouping, MIN and MAX. */
  boolean comparable() {
    return wire.getKind() != DataType.Kind.KIND_UNSPECIFIED;
  }

  /** The Arrow type on the wire of a {@link #comparable} type. */
  ArrowType arrow() {
    return switch (wire.getKind()) {
      case BOOLEAN -> ArrowType.Bool.INSTANCE;
      case TINYINT -> new ArrowType.Int(8, true);
      case SMALLINT -> new ArrowType.Int(16, true);
      case INTEGER -> new ArrowType.Int(32, true);
      case BIGINT -> new ArrowType.Int(64, true);
      case FLOAT -> new ArrowType.FloatingPoint(FloatingPointPrecision.SINGLE);
      case DOUBLE -> new ArrowType.FloatingPoint(FloatingPointPrecision.DOUBLE);
      case DECIMAL -> new ArrowType.Decimal(wire.getPrecision(), wire.getScale(), 128);
      case STRING -> ArrowType.Utf8.INSTANCE;
      case BINARY -> ArrowType.Binary.INSTANCE;
      case DATE -> new ArrowType.Date(DateUnit.DAY);
      case TIMESTAMP -> new ArrowType.Timestamp(TimeUnit.MICROSECOND, UTC);
      case TIMESTAMP_NTZ -> new ArrowType.Timestamp(TimeUnit.MICROSECOND, null);
      case YEAR_MONTH_INTERVAL -> new ArrowType.Interval(IntervalUnit.YEAR_MONTH);
      case DAY_TIME_INTERVAL -> new ArrowType.Duration(TimeUnit.MICROSECOND);
      default -> throw new IllegalStateException(text + " is not sent");
    };
  }

  /** The engine's name of a {@link #comparable} type. */
  String sql() {
    return switch (wire.getKind()) {
      case BOOLEAN, TINYINT, SMALLINT, INTEGER, BIGINT, FLOAT, DOUBLE, DATE ->
          wire.getKind().name();
      case DECIMAL -> text;
      case STRING -> "VARCHAR";
      case BINARY -> "BLOB";
      case TIMESTAMP -> "TIMESTAMPTZ";
      case TIMESTAMP_NTZ -> "TIMESTAMP";
      // The engine knows intervals as the whole numbers that they are.
      case YEAR_MONTH_INTERVAL -> "INTEGER";
      case DAY_TIME_INTERVAL -> "BIGINT";
      default -> throw new IllegalStateException(text + " has no counterpart in SQL");
    };
  }

  /** The feature-name form, as in {@code type.NAME}. */
  String wireName() {
    return wire.getKind().name().toLowerCase(Locale.ROOT);
  }

  private static DataType wireType(ArrowType type) {
    if (type instanceof ArrowType.Decimal decimal && decimal.getBitWidth() == 128) {
      return WireTypes.decimal(decimal.getPrecision(), decimal.getScale());
    }
    for (DataType.Kind kind : ScanFeatures.TYPES) {
      DataType wire = DataType.newBuilder().setKind(kind).build();
      if (kind != DataType.Kind.DECIMAL && of(wire).arrow().equals(type)) {
        return wire;
      }
    }
    return DataType.getDefaultInstance();
  }
}
