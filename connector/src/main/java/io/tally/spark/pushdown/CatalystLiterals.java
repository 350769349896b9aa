package io.tally.spark.pushdown;

import io.tally.rpc.v1.Literal;
import java.math.BigDecimal;
import java.math.BigInteger;
import org.apache.spark.sql.types.Decimal;
import org.apache.spark.unsafe.types.UTF8String;

/**
 * Takes wire literals and gives the values by which Spark holds them inside; the opposite of {@link
 * WireLiterals}.
 */
public final class CatalystLiterals {
  private CatalystLiterals() {}

  /** The value of a literal that is not NULL and has one of the types that nodes evaluate. */
  public static Object of(Literal literal) {
    return switch (literal.getType().getKind()) {
      case BOOLEAN -> literal.getBoolean();
      case TINYINT -> (byte) literal.getInteger();
      case SMALLINT -> (short) literal.getInteger();
      case INTEGER, DATE, YEAR_MONTH_INTERVAL -> (int) literal.getInteger();
      case BIGINT, TIMESTAMP, TIMESTAMP_NTZ, DAY_TIME_INTERVAL -> literal.getInteger();
      case FLOAT -> literal.getFloat32();
      case DOUBLE -> literal.getFloat64();
      case DECIMAL -> decimal(literal);
      case STRING -> UTF8String.fromString(literal.getString());
      case BINARY -> literal.getBinary().toByteArray();
      default -> throw new IllegalArgumentException("No values of " + literal.getType().getKind());
    };
  }

  private static Decimal decimal(Literal literal) {
    BigInteger unscaled = new BigInteger(literal.getUnscaled().toByteArray());
    return Decimal.apply(
        new BigDecimal(unscaled, literal.getType().getScale()),
        literal.getType().getPrecision(),
        literal.getType().getScale());
  }
}
