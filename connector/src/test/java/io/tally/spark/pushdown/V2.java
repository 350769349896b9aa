package io.tally.spark.pushdown;

import org.apache.spark.sql.connector.expressions.Expression;
import org.apache.spark.sql.connector.expressions.Expressions;
import org.apache.spark.sql.connector.expressions.LiteralValue;
import org.apache.spark.sql.connector.expressions.NamedReference;
import org.apache.spark.sql.connector.expressions.filter.Predicate;
import org.apache.spark.sql.types.DataType;
import org.apache.spark.sql.types.DataTypes;
import org.apache.spark.sql.types.Decimal;
import org.apache.spark.unsafe.types.UTF8String;

/** Writes expressions as Spark's V2ExpressionBuilder does. */
public final class V2 {
  private V2() {}

  /** A column; its name is taken as it is, dots included. */
  public static NamedReference column(String name) {
    return Expressions.column("`" + name.replace("`", "``") + "`");
  }

  public static NamedReference nested(String path) {
    return Expressions.column(path);
  }

  /** A literal in Spark's internal form. */
  public static Expression literal(Object value, DataType type) {
    return new LiteralValue<>(value, type);
  }

  public static Expression integer(int value) {
    return literal(value, DataTypes.IntegerType);
  }

  public static Expression string(String value) {
    return literal(UTF8String.fromString(value), DataTypes.StringType);
  }

  public static Expression decimal(String value, int precision, int scale) {
    return literal(
        Decimal.apply(new java.math.BigDecimal(value), precision, scale),
        DataTypes.createDecimalType(precision, scale));
  }

  public static Predicate call(String name, Expression... arguments) {
    return new Predicate(name, arguments);
  }
}
