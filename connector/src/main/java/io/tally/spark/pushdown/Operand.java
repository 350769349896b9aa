package io.tally.spark.pushdown;

import io.tally.rpc.v1.Expression;
import org.apache.spark.sql.types.DataType;

/**
 * What is aggregated or grouped by, translated.
 *
 * @param text for people
 * @param expression on the wire
 * @param wireType of its values; none of what is counted only
 */
record Operand(String text, Expression expression, io.tally.rpc.v1.DataType wireType) {

  static Operand of(Translation.Translated translated) {
    return new Operand(
        WireText.of(translated.expression()), translated.expression(), translated.type());
  }

  /** The type of its values, as Spark names it. */
  DataType type() {
    return SparkTypes.of(wireType);
  }
}
