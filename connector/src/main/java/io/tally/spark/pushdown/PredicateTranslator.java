package io.tally.spark.pushdown;

import io.tally.rpc.WireTypes;
import io.tally.rpc.v1.Expression;
import io.tally.spark.pushdown.Translation.Refused;
import io.tally.spark.pushdown.Translation.Translated;
import org.apache.spark.sql.connector.expressions.filter.Predicate;

/**
 * Takes conditions that rows must meet and gives the wire expression that is TRUE for the same
 * rows, or the reason why there is none. For one thread.
 */
public final class PredicateTranslator {
  private final ExpressionTranslator expressions;

  public PredicateTranslator(ExpressionTranslator expressions) {
    this.expressions = expressions;
  }

  /** Translates a condition that rows must meet. */
  public Translation translate(Predicate predicate) {
    Translation result = expressions.translate(predicate);
    if (!(result instanceof Translated translated)) {
      return result;
    }
    if (!translated.type().equals(WireTypes.BOOLEAN)) {
      return new Refused("it is not a condition");
    }
    // A condition without columns is the same for all rows; Spark folds it, or has a reason not to.
    return translated.expression().hasLiteral() || mentionsColumn(translated.expression())
        ? translated
        : new Refused("it depends on no column");
  }

  private static boolean mentionsColumn(Expression expression) {
    return expression.hasColumn()
        || expression.hasPath()
        || expression.getCall().getArgumentsList().stream()
            .anyMatch(PredicateTranslator::mentionsColumn);
  }
}
