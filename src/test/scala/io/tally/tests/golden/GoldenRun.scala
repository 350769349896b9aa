package io.tally.tests.golden

import scala.collection.mutable

import io.tally.tests.golden.Statement._
import org.apache.spark.sql.classic.SparkSession

/**
 * One run through a file's statements in a session: puts the nodes' tables in the place of the
 * file's own as soon as it has made them, and hands on each answer.
 */
private[golden] final class GoldenRun(
    file: GoldenFile,
    relations: Seq[Relation],
    builtIn: Seq[Relation],
    served: ServedRelations,
    spark: SparkSession
) {

  /** Tables that views of the nodes' tables stand before, while nothing changes them. */
  private val tables = mutable.Map[String, Relation]()
  private val hidden = mutable.Set[String]()

  def answers(): Seq[Answer] = {
    builtIn.filter(isNamed).foreach(served.defineView(_, spark))
    file.statements.zipWithIndex.map { case (golden, index) =>
      Statement.of(spark, golden.sql) match {
        case Query            => defineViews(index)
        case DropsTable(name) => showTables(); tables -= name
        case _                => showTables()
      }
      Answer.of(spark, golden.sql)
    }
  }

  private def isNamed(relation: Relation): Boolean =
    file.statements.exists(_.sql.toLowerCase.contains(relation.name))

  private def defineViews(statement: Int): Unit = {
    val fresh = relations.filter(it => it.statement == statement && served.serves(it))
    fresh.filterNot(_.isTable).foreach(served.defineView(_, spark))
    fresh.filter(_.isTable).foreach { it =>
      tables(it.name) = it
      hidden -= it.name
    }
    tables.values.filter(it => hidden.add(it.name)).foreach(served.defineView(_, spark))
  }

  private def showTables(): Unit = {
    hidden.foreach(spark.catalog.dropTempView)
    hidden.clear()
  }
}
