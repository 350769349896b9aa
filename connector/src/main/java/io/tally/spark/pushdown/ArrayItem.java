package io.tally.spark.pushdown;

import io.tally.spark.since41.ArrayItems;
import java.util.Optional;
import org.apache.spark.sql.connector.expressions.Expression;

/**
 * An item of an array. Takes the expression that a Spark offers which has one for that, and hands
 * its parts to the translator.
 *
 * @param failsBehindEnd whether Spark fails where the array has no such item; else it is NULL
 */
record ArrayItem(Expression array, Expression ordinal, boolean failsBehindEnd) {
  private static final String OFFERED_AS =
      "org.apache.spark.sql.connector.expressions.GetArrayItem";

  /** Told by its name: where it is missing, no class that names it is to be loaded. */
  static Optional<ArrayItem> of(Expression expression) {
    return expression.getClass().getName().equals(OFFERED_AS)
        ? Optional.of(
            new ArrayItem(
                ArrayItems.array(expression),
                ArrayItems.ordinal(expression),
                ArrayItems.failsBehindEnd(expression)))
        : Optional.empty();
  }
}
