package io.tally.rpc;

import io.tally.rpc.v1.DataType;

/** The data types of {@code expression.proto}: how they are made, told apart and named. */
public final class WireTypes {
  /** Most digits of a DECIMAL. */
  public static final int MAX_PRECISION = 38;

  public static final DataType BOOLEAN = of(DataType.Kind.BOOLEAN);
  public static final DataType TINYINT = of(DataType.Kind.TINYINT);
  public static final DataType SMALLINT = of(DataType.Kind.SMALLINT);
  public static final DataType INTEGER = of(DataType.Kind.INTEGER);
  public static final DataType BIGINT = of(DataType.Kind.BIGINT);
  public static final DataType FLOAT = of(DataType.Kind.FLOAT);
  public static final DataType DOUBLE = of(DataType.Kind.DOUBLE);
  public static final DataType STRING = of(DataType.Kind.STRING);
  public static final DataType BINARY = of(DataType.Kind.BINARY);
  public static final DataType DATE = of(DataType.Kind.DATE);
  public static final DataType TIMESTAMP = of(DataType.Kind.TIMESTAMP);
  public static final DataType TIMESTAMP_NTZ = of(DataType.Kind.TIMESTAMP_NTZ);

  public static final DataType YEAR_MONTH_INTERVAL = of(DataType.Kind.YEAR_MONTH_INTERVAL);
  public static final DataType DAY_TIME_INTERVAL = of(DataType.Kind.DAY_TIME_INTERVAL);

  private WireTypes() {}

  private static DataType of(DataType.Kind kind) {
    return DataType.newBuilder().setKind(kind).build();
  }

  /** DECIMAL with that many digits, {@code scale} of them behind the point. */
  public static DataType decimal(int precision, int scale) {
    return DataType.newBuilder()
        .setKind(DataType.Kind.DECIMAL)
        .setPrecision(precision)
        .setScale(scale)
        .build();
  }

  /** Whether it is one of the four integer types. */
  public static boolean isInteger(DataType type) {
    return switch (type.getKind()) {
      case TINYINT, SMALLINT, INTEGER, BIGINT -> true;
      default -> false;
    };
  }

  /** Whether values have a NaN and a negative zero. */
  public static boolean isFloatingPoint(DataType type) {
    return type.getKind() == DataType.Kind.FLOAT || type.getKind() == DataType.Kind.DOUBLE;
  }

  public static boolean isDecimal(DataType type) {
    return type.getKind() == DataType.Kind.DECIMAL;
  }

  /** Whether it is one of the two kinds of intervals, whole months or microseconds. */
  public static boolean isInterval(DataType type) {
    return type.getKind() == DataType.Kind.YEAR_MONTH_INTERVAL
        || type.getKind() == DataType.Kind.DAY_TIME_INTERVAL;
  }

  /** Whether there is arithmetic with values. */
  public static boolean isNumeric(DataType type) {
    return isInteger(type) || isFloatingPoint(type) || isDecimal(type);
  }

  /** The name for people: that of the kind, with the digits of a DECIMAL. */
  public static String name(DataType type) {
    return isDecimal(type)
        ? "DECIMAL(" + type.getPrecision() + "," + type.getScale() + ")"
        : type.getKind().name();
  }
}
