package io.tally.spark.pushdown;

import io.tally.rpc.v1.Expression;
import io.tally.spark.pushdown.Translation.Translated;

/**
 * Counts what the expressions of one scan have together, so that no node refuses them. For one
 * thread.
 */
public final class ExpressionBudget {
  /** What every node accepts, see expression.proto. */
  static final int MAX_CALLS = 10_000;

  private int nodesLeft;
  private int callsLeft = MAX_CALLS;

  public ExpressionBudget(CommonFeatures features) {
    // One part is kept for the AND that joins all conditions.
    this.nodesLeft = features.maxExpressionNodes() - 1;
  }

  private ExpressionBudget(int nodesLeft, int callsLeft) {
    this.nodesLeft = nodesLeft;
    this.callsLeft = callsLeft;
  }

  /** A budget of what is left here, spent apart from it. */
  public ExpressionBudget copy() {
    return new ExpressionBudget(nodesLeft, callsLeft);
  }

  /** Whether the expression still fits; if so, it is counted. */
  public boolean take(Translated translated) {
    int calls = calls(translated.expression());
    if (translated.nodes() > nodesLeft || calls > callsLeft) {
      return false;
    }
    nodesLeft -= translated.nodes();
    callsLeft -= calls;
    return true;
  }

  private static int calls(Expression expression) {
    return expression.hasCall()
        ? 1
            + expression.getCall().getArgumentsList().stream()
                .mapToInt(ExpressionBudget::calls)
                .sum()
        : 0;
  }
}
