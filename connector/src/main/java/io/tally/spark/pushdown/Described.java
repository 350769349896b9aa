package io.tally.spark.pushdown;

import org.apache.spark.sql.connector.expressions.Expression;

/** Takes Spark's expressions and gives them as text for people, of bounded length. */
public final class Described {
  /** An IN list of thousands must not fill the plan. */
  private static final int MAX_CHARS = 200;

  private Described() {}

  /** As SQL where Spark knows how, cut in the middle if it is long. */
  public static String of(Expression expression) {
    return shortened(expression.describe());
  }

  static String shortened(String text) {
    if (text.length() <= MAX_CHARS) {
      return text;
    }
    int half = MAX_CHARS / 2;
    return text.substring(0, half)
        + " … "
        + (text.length() - 2 * half)
        + " characters … "
        + text.substring(text.length() - half);
  }
}
