package io.tally.server.scan;

import io.tally.rpc.ScalarFunction;
import io.tally.rpc.v1.Call;
import io.tally.rpc.v1.Expression;
import java.util.ArrayList;
import java.util.List;

/**
 * Turns a predicate into the condition of a WHERE.
 *
 * <p>The engine takes a condition apart into the operands of its ANDs and looks at them in pairs.
 * For some thousands of them that takes minutes, cannot be interrupted, and recurses so deeply that
 * the process crashes. A large predicate is therefore kept in one piece by IS TRUE, which a WHERE
 * means anyway, behind the first of its operands, by which row groups can be skipped.
 *
 * <p>So is one that looks into a STRUCT: where statistics say that a condition on a field is TRUE
 * or NULL, the engine (2.0.0) takes it for the condition that the whole STRUCT is not NULL.
 */
final class FilterSql {
  /** A predicate with more calls than this is kept in one piece. */
  private static final int MAX_PLAIN_CALLS = 200;

  private static final int MAX_SKIPPING_OPERANDS = 16;

  private final TableColumns columns;
  private final ExpressionLimits limits;

  FilterSql(TableColumns columns, ExpressionLimits limits) {
    this.columns = columns;
    this.limits = limits;
  }

  /** Appends a condition that is TRUE for the rows for which {@code predicate} is. */
  void append(Sql sql, ExpressionSql expressions, Expression predicate) {
    Sql whole = new Sql();
    int before = expressions.calls();
    expressions.appendPredicate(whole, predicate, "the predicate");
    boolean plain = expressions.calls() - before <= MAX_PLAIN_CALLS && !mentionsPath(predicate);
    if (plain) {
      sql.append(whole);
      return;
    }
    for (Expression operand : skippingOperands(predicate)) {
      new ExpressionSql(columns, limits).append(sql, operand);
      sql.append(" AND ");
    }
    sql.append("(").append(whole).append(" IS TRUE)");
  }

  private static List<Expression> skippingOperands(Expression predicate) {
    List<Expression> operands = new ArrayList<>();
    if (isAnd(predicate)) {
      for (Expression operand : predicate.getCall().getArgumentsList()) {
        if (operands.size() < MAX_SKIPPING_OPERANDS && isSimple(operand)) {
          operands.add(operand);
        }
      }
    }
    return operands;
  }

  private static boolean mentionsPath(Expression expression) {
    return expression.hasPath()
        || expression.getCall().getArgumentsList().stream().anyMatch(FilterSql::mentionsPath);
  }

  private static boolean isAnd(Expression expression) {
    return expression.getCall().getFunction().equals(ScalarFunction.AND.wireName());
  }

  /** A call without calls within. */
  private static boolean isSimple(Expression expression) {
    Call call = expression.getCall();
    return expression.hasCall()
        && call.getArgumentsCount() <= 2
        && !mentionsPath(expression)
        && call.getArgumentsList().stream().noneMatch(Expression::hasCall);
  }
}
