package io.tally.spark.optimizer;

import java.util.List;
import java.util.function.Predicate;
import org.apache.spark.sql.catalyst.expressions.Alias;
import org.apache.spark.sql.catalyst.expressions.Attribute;
import org.apache.spark.sql.catalyst.expressions.Expression;
import org.apache.spark.sql.catalyst.expressions.GreaterThan;
import org.apache.spark.sql.catalyst.expressions.If;
import org.apache.spark.sql.catalyst.expressions.Literal;
import org.apache.spark.sql.catalyst.expressions.NamedExpression;
import org.apache.spark.sql.catalyst.expressions.aggregate.AggregateExpression;
import org.apache.spark.sql.catalyst.expressions.aggregate.Count;
import org.apache.spark.sql.catalyst.plans.logical.Aggregate;
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan;
import org.apache.spark.sql.catalyst.plans.logical.Project;
import org.apache.spark.sql.connector.catalog.Table;
import org.apache.spark.sql.types.DataTypes;
import scala.jdk.javaapi.CollectionConverters;

/**
 * Takes {@code COUNT(DISTINCT constant)} over a table and gives what it means: 1 where there is a
 * row, 0 where there is none. Spark's {@code V2ExpressionBuilder} offers the count of any literal
 * to a source as {@code COUNT(*)}, be it DISTINCT or NULL, and the source cannot tell.
 */
public final class CountsOfConstants extends SourceRule {
  /**
   * A rule for some tables.
   *
   * @param ours which they are
   */
  public CountsOfConstants(Predicate<Table> ours) {
    super(ours);
  }

  @Override
  LogicalPlan change(LogicalPlan operator) {
    return operator instanceof Aggregate aggregate
        ? aggregate.mapExpressions(it -> meant(it, aggregate.child()))
        : operator;
  }

  private static Expression meant(Expression expression, LogicalPlan below) {
    if (expression instanceof AggregateExpression aggregate
        && aggregate.aggregateFunction() instanceof Count count
        && count.children().size() == 1
        && unnamed(count.children().head(), below) instanceof Literal constant) {
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

  /**
   * What an expression is once Spark has put the projections below it into it, as far as it is but
   * a name for something.
   *
   * @param below the child of the operator that the expression is of
   */
  private static Expression unnamed(Expression expression, LogicalPlan below) {
    Expression value = expression;
    for (LogicalPlan operator = below;
        value instanceof Attribute && operator.children().size() == 1;
        operator = operator.children().head()) {
      if (operator instanceof Project project) {
        value = unnamed((Attribute) value, project);
      }
    }
    return value;
  }

  private static Expression unnamed(Attribute name, Project project) {
    for (NamedExpression column : CollectionConverters.asJava(project.projectList())) {
      if (column instanceof Alias alias && alias.exprId().equals(name.exprId())) {
        return alias.child();
      }
    }
    return name;
  }
}
