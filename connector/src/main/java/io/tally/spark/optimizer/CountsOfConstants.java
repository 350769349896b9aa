package io.tally.spark.optimizer;

import java.util.List;
import java.util.function.Predicate;
import org.apache.spark.sql.catalyst.expressions.Expression;
import org.apache.spark.sql.catalyst.expressions.GreaterThan;
import org.apache.spark.sql.catalyst.expressions.If;
import org.apache.spark.sql.catalyst.expressions.Literal;
import org.apache.spark.sql.catalyst.expressions.NamedExpression;
import org.apache.spark.sql.catalyst.expressions.aggregate.AggregateExpression;
import org.apache.spark.sql.catalyst.expressions.aggregate.Count;
import org.apache.spark.sql.catalyst.plans.logical.Aggregate;
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan;
import org.apache.spark.sql.catalyst.rules.Rule;
import org.apache.spark.sql.connector.catalog.Table;
import org.apache.spark.sql.types.DataTypes;
import scala.jdk.javaapi.CollectionConverters;

/**
 * Takes {@code COUNT(DISTINCT constant)} over a table and gives what it means: 1 where there is a
 * row, 0 where there is none. Spark's {@code V2ExpressionBuilder} offers the count of any literal
 * to a source as {@code COUNT(*)}, be it DISTINCT or NULL, and the source cannot tell.
 */
public final class CountsOfConstants extends Rule<LogicalPlan> {
  private final Predicate<Table> ours;

  /**
   * A rule for some tables.
   *
   * @param ours which they are
   */
  public CountsOfConstants(Predicate<Table> ours) {
    this.ours = ours;
  }

  @Override
  public LogicalPlan apply(LogicalPlan plan) {
    return SourcePlans.change(
        plan,
        ours,
        operator ->
            operator instanceof Aggregate aggregate
                ? aggregate.mapExpressions(it -> meant(it, aggregate.child()))
                : operator);
  }

  private static Expression meant(Expression expression, LogicalPlan below) {
    if (expression instanceof AggregateExpression aggregate
        && aggregate.aggregateFunction() instanceof Count count
        && count.children().size() == 1
        && SourcePlans.unnamed(count.children().head(), below) instanceof Literal constant) {
      return meant(aggregate, constant);
    }
    return expression.mapChildren(it -> meant(it, below));
  }

  private static Expression meant(AggregateExpression aggregate, Literal constant) {
    Expression none = longLiteral(0);
    if (constant.value() == null) {
      return none;
    }
    if (!aggregate.isDistinct()) {
      return aggregate;
    }
    Expression rows =
        new AggregateExpression(
            new Count(CollectionConverters.asScala(List.of(longLiteral(1))).toSeq()),
            aggregate.mode(),
            false,
            aggregate.filter(),
            NamedExpression.newExprId());
    return new If(new GreaterThan(rows, none), longLiteral(1), none);
  }

  private static Expression longLiteral(long value) {
    return new Literal(value, DataTypes.LongType);
  }
}
