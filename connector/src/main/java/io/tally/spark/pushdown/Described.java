package io.tally.spark.pushdown;

import org.apache.spark.sql.connector.expressions.Expression;
import org.apache.spark.sql.connector.expressions.GeneralScalarExpression;
import org.apache.spark.sql.connector.expressions.NamedReference;

/** Takes Spark's expressions and gives them as text for people, of bounded length. */
public final class Described {
  /** An IN list of thousands must not fill the plan. */
  private static final int MAX_CHARS = 200;

  private Described() {}

  /** As SQL where Spark knows how, cut in the middle if it is long. */
  public static String of(Expression expression) {
    try {
      return shortened(expression.describe());
    } catch (StringIndexOutOfBoundsException | AssertionError e) {
      // See fails(), and LiteralValue.toString, which asserts that a BINARY is not NULL.
      return "an expression that Spark cannot write down";
    }
  }

  /**
   * Whether Spark fails where it writes a call down, as it does itself once the call is pushed. Its
   * {@code V2ExpressionSQLBuilder} takes the second operand of startswith, endswith and contains
   * for a literal in quotes, and cuts two characters off, also of a column whose name has one.
   */
  static boolean fails(GeneralScalarExpression call) {
    return switch (call.name()) {
      case "STARTS_WITH", "ENDS_WITH", "CONTAINS" ->
          call.children()[1] instanceof NamedReference column && column.describe().length() < 2;
      default -> false;
    };
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
