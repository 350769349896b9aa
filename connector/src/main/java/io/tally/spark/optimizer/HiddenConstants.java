package io.tally.spark.optimizer;

import java.util.function.Predicate;
import org.apache.spark.sql.catalyst.InternalRow;
import org.apache.spark.sql.catalyst.expressions.And;
import org.apache.spark.sql.catalyst.expressions.Expression;
import org.apache.spark.sql.catalyst.expressions.KnownNotNull;
import org.apache.spark.sql.catalyst.expressions.KnownNullable;
import org.apache.spark.sql.catalyst.expressions.Literal;
import org.apache.spark.sql.catalyst.expressions.Not;
import org.apache.spark.sql.catalyst.expressions.Or;
import org.apache.spark.sql.catalyst.expressions.TaggingExpression;
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan;
import org.apache.spark.sql.connector.catalog.Table;

/**
 * Takes expressions over a table and hides in them the constants with which Spark's {@code
 * V2ExpressionBuilder} does not come to an end, so that it offers those parts to no source. Spark
 * evaluates them as before.
 *
 * <ul>
 *   <li>A constant that fails, as a branch of CASE that no row may ever take: the builder folds it,
 *       gets it back as it was, and folds it again, for ever.
 *   <li>A NULL of type BOOLEAN as an operand of AND, OR and NOT: the builder asserts that operands
 *       are predicates, and takes a NULL for none.
 * </ul>
 */
public final class HiddenConstants extends SourceRule {
  /**
   * A rule for some tables.
   *
   * @param ours which they are
   */
  public HiddenConstants(Predicate<Table> ours) {
    super(ours);
  }

  @Override
  LogicalPlan change(LogicalPlan operator) {
    return operator.mapExpressions(HiddenConstants::hide);
  }

  private static Expression hide(Expression expression) {
    if (expression instanceof TaggingExpression) {
      return expression;
    }
    if (fails(expression)) {
      return hidden(expression);
    }
    boolean ofPredicates =
        expression instanceof And || expression instanceof Or || expression instanceof Not;
    return expression.mapChildren(
        child -> ofPredicates && isNull(child) ? hidden(child) : hide(child));
  }

  /** Spark has folded all constants that do not, but for those of rules that came later. */
  private static boolean fails(Expression expression) {
    if (!expression.foldable() || expression instanceof Literal) {
      return false;
    }
    try {
      expression.eval(InternalRow.empty());
      return false;
    } catch (Exception e) {
      // Spark raises it where a row needs the value. Scala does not declare what it throws.
      return true;
    }
  }

  private static boolean isNull(Expression expression) {
    return expression instanceof Literal literal && literal.value() == null;
  }

  /** No source is offered it: the builder knows nothing of tags, which change no value. */
  private static Expression hidden(Expression expression) {
    return expression.nullable() ? new KnownNullable(expression) : new KnownNotNull(expression);
  }
}
