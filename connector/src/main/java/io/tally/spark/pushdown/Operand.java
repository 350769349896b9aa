package io.tally.spark.pushdown;

import io.tally.rpc.v1.Expression;
import org.apache.spark.sql.types.DataType;

/**
 * What is aggregated or grouped by, translated.
 *
 * @param text for people
 * @param expression on the wire
 * @param wireType of its values
 * @param type likewise, as Spark names it
 */
record Operand(
    String text, Expression expression, io.tally.rpc.v1.DataType wireType, DataType type) {

  static Operand of(Translation.Translated translated) {
    return new Operand(
        WireText.of(translated.expression()),
        translated.expression(),
        translated.type(),
        SparkTypes.of(translated.type()));
  }
}
