package io.tally.server.table;

import com.google.protobuf.ByteString;
import io.tally.rpc.v1.DataType;
import io.tally.rpc.v1.Literal;
import io.tally.server.table.DuckType.DecimalType;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.math.RoundingMode;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.DateTimeException;
import java.time.Instant;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.time.OffsetDateTime;
import java.time.ZoneOffset;
import java.util.Locale;
import java.util.Optional;

/**
 * A wire type whose values can be bounds: how its literals are read from the database and from the
 * text of a declaration. Floating-point types are not among them: NaN makes their bounds useless.
 */
final class LiteralType {
  /** Longer strings are not worth sending as bounds. */
  static final int MAX_STRING_BYTES = 64;

  private final DuckType wire;
  private final DataType dataType;

  private LiteralType(DuckType wire, DataType dataType) {
    this.wire = wire;
    this.dataType = dataType;
  }

  static Optional<LiteralType> of(DuckType wire) {
    if (wire instanceof DecimalType decimal) {
      return Optional.of(
          new LiteralType(
              wire,
              DataType.newBuilder()
                  .setKind(DataType.Kind.DECIMAL)
                  .setPrecision(decimal.precision())
                  .setScale(decimal.scale())
                  .build()));
    }
    if (wire instanceof DuckType.Named named) {
      if (named.name().isInterval()) {
        return of(
            wire,
            wire.sql().equals("INTEGER")
                ? DataType.Kind.YEAR_MONTH_INTERVAL
                : DataType.Kind.DAY_TIME_INTERVAL);
      }
      return named.name().isCharOrVarchar() ? of(named.stored()) : Optional.empty();
    }
    return switch (wire.sql()) {
      case "BOOLEAN" -> of(wire, DataType.Kind.BOOLEAN);
      case "TINYINT" -> of(wire, DataType.Kind.TINYINT);
      case "SMALLINT" -> of(wire, DataType.Kind.SMALLINT);
      case "INTEGER" -> of(wire, DataType.Kind.INTEGER);
      case "BIGINT" -> of(wire, DataType.Kind.BIGINT);
      case "VARCHAR" -> of(wire, DataType.Kind.STRING);
      case "DATE" -> of(wire, DataType.Kind.DATE);
      case "TIMESTAMP" -> of(wire, DataType.Kind.TIMESTAMP_NTZ);
      case "TIMESTAMP WITH TIME ZONE" -> of(wire, DataType.Kind.TIMESTAMP);
      default -> Optional.empty();
    };
  }

  private static Optional<LiteralType> of(DuckType wire, DataType.Kind kind) {
    return Optional.of(new LiteralType(wire, DataType.newBuilder().setKind(kind).build()));
  }

  /** Whether literals are whole numbers, so that an exclusive bound has an inclusive one. */
  boolean isDiscrete() {
    return switch (dataType.getKind()) {
      case TINYINT, SMALLINT, INTEGER, BIGINT, DATE, TIMESTAMP, TIMESTAMP_NTZ -> true;
      default -> false;
    };
  }

  /**
   * An expression that yields what {@link #read} reads: NULL for what has no literal, which are
   * NULL and infinite times.
   */
  String literalSql(String value) {
    return switch (dataType.getKind()) {
      case DATE -> "CASE WHEN isfinite(" + value + ") THEN " + value + " - DATE '1970-01-01' END";
      case TIMESTAMP, TIMESTAMP_NTZ -> "epoch_us(" + value + ")";
      default -> value;
    };
  }

  /** As {@link #literalSql}, without strings that are too long for a bound. */
  String boundSql(String value) {
    return dataType.getKind() == DataType.Kind.STRING
        ? "CASE WHEN strlen(" + value + ") <= " + MAX_STRING_BYTES + " THEN " + value + " END"
        : literalSql(value);
  }

  /** The literal in a column that {@link #literalSql} or {@link #boundSql} yielded. */
  Optional<Literal> read(ResultSet row, int column) throws SQLException {
    if (row.getObject(column) == null) {
      return Optional.empty();
    }
    return Optional.of(
        switch (dataType.getKind()) {
          case BOOLEAN -> literal().setBoolean(row.getBoolean(column)).build();
          case STRING -> literal().setString(row.getString(column)).build();
          case DECIMAL -> decimal(row.getBigDecimal(column));
          default -> integer(row.getLong(column));
        });
  }

  /**
   * A declared value.
   *
   * @throws IllegalArgumentException if the text is not a value of this type
   */
  Literal parse(String text) {
    return switch (dataType.getKind()) {
      case BOOLEAN -> literal().setBoolean(parseBoolean(text)).build();
      case STRING -> literal().setString(text).build();
      case DECIMAL -> parseDecimal(text);
      default -> integer(parseInteger(text));
    };
  }

  /**
   * A declared value of a discrete type as the whole number that its literal holds; it may lie
   * outside of the type, as an exclusive bound may.
   */
  long parseInteger(String text) {
    try {
      return switch (dataType.getKind()) {
        case DATE -> LocalDate.parse(text).toEpochDay();
        case TIMESTAMP_NTZ -> epochMicros(parseLocal(text).toInstant(ZoneOffset.UTC));
        case TIMESTAMP -> epochMicros(parseInstant(text));
        default -> Long.parseLong(text);
      };
    } catch (NumberFormatException | DateTimeException | ArithmeticException e) {
      throw noValue(text, e);
    }
  }

  /** The literal of a whole number that {@link #parseInteger} yielded. */
  Literal integer(long value) {
    long bits =
        switch (dataType.getKind()) {
          case TINYINT -> Byte.SIZE;
          case SMALLINT -> Short.SIZE;
          case INTEGER, DATE, YEAR_MONTH_INTERVAL -> Integer.SIZE;
          default -> Long.SIZE;
        };
    if (bits < Long.SIZE && value >> (bits - 1) != value >> (Long.SIZE - 1)) {
      throw noValue(Long.toString(value), null);
    }
    return literal().setInteger(value).build();
  }

  /** The literal as it compares to what {@link #literalSql} yields. */
  String sql(Literal literal) {
    return switch (dataType.getKind()) {
      case BOOLEAN -> Boolean.toString(literal.getBoolean());
      case STRING -> SqlText.text(literal.getString());
      case DECIMAL ->
          "CAST("
              + SqlText.text(
                  new BigDecimal(
                          new BigInteger(literal.getUnscaled().toByteArray()), dataType.getScale())
                      .toPlainString())
              + " AS "
              + wire.sql()
              + ")";
      default -> Long.toString(literal.getInteger());
    };
  }

  private Literal.Builder literal() {
    return Literal.newBuilder().setType(dataType);
  }

  private Literal decimal(BigDecimal value) {
    return literal().setUnscaled(ByteString.copyFrom(value.unscaledValue().toByteArray())).build();
  }

  private Literal parseDecimal(String text) {
    BigDecimal value;
    try {
      value = new BigDecimal(text).setScale(dataType.getScale(), RoundingMode.UNNECESSARY);
    } catch (NumberFormatException | ArithmeticException e) {
      throw noValue(text, e);
    }
    if (value.precision() > dataType.getPrecision()) {
      throw noValue(text, null);
    }
    return decimal(value);
  }

  private boolean parseBoolean(String text) {
    return switch (text.toLowerCase(Locale.ROOT)) {
      case "true" -> true;
      case "false" -> false;
      default -> throw noValue(text, null);
    };
  }

  private static LocalDateTime parseLocal(String text) {
    String iso = text.replace(' ', 'T');
    return iso.indexOf('T') < 0 ? LocalDate.parse(iso).atStartOfDay() : LocalDateTime.parse(iso);
  }

  private static Instant parseInstant(String text) {
    String iso = text.replace(' ', 'T');
    boolean hasOffset = iso.endsWith("Z") || iso.matches(".*T.*[+-]\\d{2}(:?\\d{2})?");
    return hasOffset
        ? OffsetDateTime.parse(iso).toInstant()
        : parseLocal(iso).toInstant(ZoneOffset.UTC);
  }

  private static long epochMicros(Instant instant) {
    if (instant.getNano() % 1_000 != 0) {
      throw new DateTimeException("finer than a microsecond");
    }
    return Math.addExact(
        Math.multiplyExact(instant.getEpochSecond(), 1_000_000L), instant.getNano() / 1_000);
  }

  private IllegalArgumentException noValue(String text, Throwable cause) {
    return new IllegalArgumentException(text + " is not a value of type " + wire.sql(), cause);
  }
}
