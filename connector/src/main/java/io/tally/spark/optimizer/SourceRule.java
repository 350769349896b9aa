package io.tally.spark.optimizer;

import java.util.function.Predicate;
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan;
import org.apache.spark.sql.catalyst.rules.Rule;
import org.apache.spark.sql.connector.catalog.Table;
import org.apache.spark.sql.execution.datasources.v2.DataSourceV2Relation;
import scala.runtime.AbstractPartialFunction;

/**
 * Takes a plan and changes the operators in it that Spark may offer to the source of a table: those
 * that have but one table below them, with no other branch on the way. Above a join, or a union,
 * nothing is offered to a source that does not join.
 */
abstract class SourceRule extends Rule<LogicalPlan> {
  private final Predicate<Table> ours;

  /**
   * A rule for some tables.
   *
   * @param ours which they are
   */
  SourceRule(Predicate<Table> ours) {
    this.ours = ours;
  }

  /** What becomes of such an operator. */
  abstract LogicalPlan change(LogicalPlan operator);

  @Override
  public final LogicalPlan apply(LogicalPlan plan) {
    return plan.transformUp(
        new AbstractPartialFunction<LogicalPlan, LogicalPlan>() {
          @Override
          public boolean isDefinedAt(LogicalPlan operator) {
            return reads(operator);
          }

          @Override
          public LogicalPlan apply(LogicalPlan operator) {
            return change(operator);
          }
        });
  }

  private boolean reads(LogicalPlan operator) {
    LogicalPlan lowest = operator;
    while (lowest.children().size() == 1) {
      lowest = lowest.children().head();
    }
    return lowest instanceof DataSourceV2Relation relation && ours.test(relation.table());
  }
}
