package io.tally.tests.golden

import scala.collection.mutable
import scala.util.control.NonFatal

import io.tally.tests.golden.Statement._
import org.apache.spark.sql.Row
import org.apache.spark.sql.classic.SparkSession
import org.apache.spark.sql.types.StructType

/**
 * The rows of a view or table, as the statements before one statement of a file have left them.
 *
 * @param statement
 *   the first that can read them
 * @param isTable
 *   not a temporary view
 */
private[golden] final case class Relation(
    file: String,
    statement: Int,
    name: String,
    isTable: Boolean,
    schema: StructType,
    rows: Seq[Row]
) {

  /** Under which the nodes serve it: no two relations of all files have the same. */
  def servedAs: String =
    s"${file.stripSuffix(".sql")}_${name}_$statement".toLowerCase.replaceAll("[^a-z0-9]", "_")
}

private[golden] object Relations {

  /** Runs what defines and fills the relations of a file, with Spark alone; drops them again. */
  def of(file: GoldenFile, spark: SparkSession): Seq[Relation] = {
    val found = mutable.Buffer[Relation]()
    val changed = mutable.LinkedHashMap[String, Boolean]()
    val tables = mutable.LinkedHashSet[String]()
    try {
      for ((golden, index) <- file.statements.zipWithIndex) {
        Statement.of(spark, golden.sql) match {
          case DefinesView(name) =>
            if (succeeds(spark, golden.sql)) changed(name) = false
          case ChangesTable(name) =>
            tables += name
            if (succeeds(spark, golden.sql)) changed(name) = true
          case DropsTable(name) =>
            succeeds(spark, golden.sql)
            changed -= name
          case OtherCommand => succeeds(spark, golden.sql)
          case Query =>
            found ++= changed.map { case (name, isTable) =>
              val data = spark.table(name)
              Relation(file.name, index, name, isTable, data.schema, data.collect().toSeq)
            }
            changed.clear()
        }
      }
    } finally tables.foreach(it => spark.sql(s"DROP TABLE IF EXISTS $it"))
    found.toSeq
  }

  /** Some statements are there to fail. */
  private def succeeds(spark: SparkSession, sql: String): Boolean =
    try {
      spark.sql(sql).collect()
      true
    } catch {
      case NonFatal(_) => false
    }
}
