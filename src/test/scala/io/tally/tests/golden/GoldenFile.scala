package io.tally.tests.golden

import java.nio.charset.StandardCharsets.UTF_8

import org.apache.spark.sql.SQLQueryTestHelper

/** What a golden file says about one statement. */
private[golden] final case class Golden(sql: String, schema: String, output: String)

/**
 * One of Spark's files of statements with the golden answers to them.
 *
 * @param name
 *   as Spark's, such as `group-by.sql`
 * @param settings
 *   of the session
 */
private[golden] final case class GoldenFile(
    name: String,
    statements: Seq[Golden],
    settings: Seq[(String, String)]
)

/** Reads the files out of Spark's jar of tests, by Spark's own rules. */
private[golden] object GoldenFile extends SQLQueryTestHelper {
  private val SegmentsOfStatement = 3

  def read(name: String): GoldenFile = {
    val (comments, code) = splitCommentsAndCodes(resource(s"sql-tests/inputs/$name"))
    // Not by getQueries, which looks for imported files on disk.
    val imported = comments.find(_.startsWith("--IMPORT ")).map(_.substring(9).trim)
    val importedCode = imported.toArray.flatMap { it =>
      splitCommentsAndCodes(resource(s"sql-tests/inputs/$it"))._2
    }
    val queries = getQueries(importedCode ++ code, Array.empty, Seq.empty)
    GoldenFile(
      name,
      goldens(name, queries),
      // Answers are the same with each; the first set is Spark's default.
      getSparkSettings(comments).toSeq ++ getSparkConfigDimensions(comments).head
    )
  }

  private def goldens(name: String, queries: Seq[String]): Seq[Golden] = {
    val segments = resource(s"sql-tests/results/$name.out").split("-- !query.*\n").toSeq.drop(1)
    require(
      segments.size == queries.size * SegmentsOfStatement,
      s"$name: ${queries.size} statements, and ${segments.size} segments of answers"
    )
    queries.zip(segments.grouped(SegmentsOfStatement)).map { case (sql, answer) =>
      require(answer.head.trim == sql, s"$name: not the answer to $sql")
      Golden(sql, answer(1).trim, Answer.normal(answer(2)))
    }
  }

  def resource(path: String): String = {
    val stream = Option(getClass.getClassLoader.getResourceAsStream(path))
      .getOrElse(throw new IllegalArgumentException(s"there is no $path"))
    try new String(stream.readAllBytes(), UTF_8)
    finally stream.close()
  }
}
