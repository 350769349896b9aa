package io.tally.tests.golden

import scala.util.Try

import org.apache.spark.sql.catalyst.analysis.{UnresolvedIdentifier, UnresolvedRelation}
import org.apache.spark.sql.catalyst.plans.logical._
import org.apache.spark.sql.classic.SparkSession
import org.apache.spark.sql.execution.command.CreateViewCommand

/** What a statement does to the relations of its file, as far as it matters here. */
private[golden] sealed trait Statement

private[golden] object Statement {

  /** A temporary view of rows that the statement itself gives. */
  final case class DefinesView(name: String) extends Statement

  /** A table is created or gets rows. */
  final case class ChangesTable(name: String) extends Statement

  final case class DropsTable(name: String) extends Statement

  case object OtherCommand extends Statement

  /** Also what Spark cannot parse. */
  case object Query extends Statement

  def of(spark: SparkSession, sql: String): Statement =
    Try(spark.sessionState.sqlParser.parsePlan(sql)).map(of).getOrElse(Query)

  private def of(plan: LogicalPlan): Statement = plan match {
    case view: CreateViewCommand if !readsRelations(view.plan) =>
      DefinesView(view.name.table)
    case CreateTable(identifier: UnresolvedIdentifier, _, _, _, _) =>
      ChangesTable(identifier.nameParts.last)
    case CreateTableAsSelect(identifier: UnresolvedIdentifier, _, _, _, _, _, _) =>
      ChangesTable(identifier.nameParts.last)
    case insert: InsertIntoStatement =>
      insert.table.collectFirst { case it: UnresolvedRelation => it }
        .map(it => ChangesTable(it.name))
        .getOrElse(OtherCommand)
    case DropTable(identifier: UnresolvedIdentifier, _, _) =>
      DropsTable(identifier.nameParts.last)
    case _: Command => OtherCommand
    case _          => Query
  }

  private def readsRelations(plan: LogicalPlan): Boolean =
    plan.collectWithSubqueries { case it: UnresolvedRelation => it }.nonEmpty
}
