package io.tally.spark.optimizer;

import java.util.function.Predicate;
import org.apache.spark.sql.catalyst.expressions.Alias;
import org.apache.spark.sql.catalyst.expressions.Attribute;
import org.apache.spark.sql.catalyst.expressions.Expression;
import org.apache.spark.sql.catalyst.expressions.NamedExpression;
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan;
import org.apache.spark.sql.catalyst.plans.logical.Project;
import org.apache.spark.sql.connector.catalog.Table;
import org.apache.spark.sql.execution.datasources.v2.DataSourceV2Relation;
import scala.jdk.javaapi.CollectionConverters;
import scala.runtime.AbstractPartialFunction;

/** Finds in a plan the operators that Spark may offer to the source of a table. */
final class SourcePlans {
  private SourcePlans() {}

  /** What becomes of an operator. */
  interface Change {
    LogicalPlan of(LogicalPlan operator);
  }

  /**
   * Changes each operator that has but one table below it, with no other branch on the way. Above a
   * join, or a union, nothing is offered to a source that does not join.
   *
   * @param ours which tables are meant
   */
  static LogicalPlan change(LogicalPlan plan, Predicate<Table> ours, Change change) {
    return plan.transformUp(
        new AbstractPartialFunction<LogicalPlan, LogicalPlan>() {
          @Override
          public boolean isDefinedAt(LogicalPlan operator) {
            return reads(operator, ours);
          }

          @Override
          public LogicalPlan apply(LogicalPlan operator) {
            return change.of(operator);
          }
        });
  }

  private static boolean reads(LogicalPlan operator, Predicate<Table> ours) {
    LogicalPlan lowest = operator;
    while (lowest.children().size() == 1) {
      lowest = lowest.children().head();
    }
    return lowest instanceof DataSourceV2Relation relation && ours.test(relation.table());
  }

  /**
   * What an expression is once Spark has put the projections below it into it, as far as it is but
   * a name for something.
   *
   * @param below the child of the operator that the expression is of
   */
  static Expression unnamed(Expression expression, LogicalPlan below) {
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
