package io.tally.tests.golden

import io.tally.examples.quickstart.TallyScans
import org.apache.spark.sql.SQLQueryTestHelper
import org.apache.spark.sql.classic.SparkSession
import org.apache.spark.sql.execution.HiveResult.hiveResultString
import org.apache.spark.sql.execution.SQLExecution

/**
 * What a statement has given, written as golden files write it.
 *
 * @param scans
 *   one line for each scan of nodes
 */
private[golden] final case class Answer(schema: String, output: String, scans: Seq[String])

private[golden] object Answer extends SQLQueryTestHelper {

  /** As Spark's own suite does it (getNormalizedQueryExecutionResult), with a look at the plan. */
  def of(spark: SparkSession, sql: String): Answer = {
    var scans = Seq.empty[String]
    val (schema, lines) = handleExceptions {
      val data = spark.sql(sql)
      val execution = data.queryExecution
      val lines = SQLExecution.withNewExecutionId(execution, Some(sql)) {
        hiveResultString(execution.executedPlan).map(replaceNotIncludedMsg)
      }
      scans = TallyScans.of(execution.executedPlan).descriptions.toArray(Array.empty[String]).toSeq
      val sorted = isSemanticallySorted(execution.analyzed)
      (data.schema.catalogString, if (sorted) lines else lines.sorted)
    }
    Answer(schema, normal(lines.mkString("\n")), scans)
  }

  /** Without what tells a table of Spark's catalog from one of nodes. */
  def normal(output: String): String =
    normalizeTestResults(output).replace("spark_catalog.default.", "")
}
