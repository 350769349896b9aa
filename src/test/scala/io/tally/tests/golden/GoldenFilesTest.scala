package io.tally.tests.golden

import scala.collection.mutable
import scala.jdk.CollectionConverters._

import io.tally.tests.{LocalSpark, ScratchFolder, SparkRelease}
import org.apache.spark.sql.classic.SparkSession
import org.scalatest.BeforeAndAfterAll
import org.scalatest.funsuite.AnyFunSuite

/**
 * Spark's own golden files: their tables are dealt out over three nodes, and every statement gives
 * what Spark's developers have written down, error conditions included.
 */
class GoldenFilesTest extends AnyFunSuite with BeforeAndAfterAll {
  private val names = Seq(
    "group-by.sql",
    "group-by-all.sql",
    "group-by-ordinal.sql",
    "group-by-alias.sql",
    "group-by-filter.sql",
    "grouping_set.sql",
    "count.sql",
    "having.sql",
    "limit.sql",
    "order-by.sql",
    "order-by-nulls-ordering.sql",
    "null-handling.sql",
    "null-propagation.sql",
    "predicate-functions.sql",
    "string-functions.sql",
    "date.sql",
    "timestamp.sql",
    "cast.sql"
  )
  private lazy val files = names.map(GoldenFile.read)
  private lazy val relations = files.map(it => it -> Relations.of(it, sessionOf(it))).toMap
  private lazy val builtIn = BuiltInRelations.of(session(Map.empty))
  private lazy val folder = new ScratchFolder("golden")
  private lazy val served =
    ServedRelations.start(builtIn ++ files.flatMap(relations), folder.path, session(Map.empty))
  private val counts = mutable.LinkedHashMap[String, Counts]()

  for ((name, index) <- names.zipWithIndex) {
    test(name)(check(files(index)))
  }

  test("nodes did what Spark asked for") {
    info("\n" + Counts.table(counts.toSeq))
    val all = Counts.sum(counts.values)
    if (SparkRelease.isAtLeast(2)) {
      // As docs/correctness.md has them.
      assert(
        all ==
          Counts(statements = 1259, scanning = 255, aggregating = 87, filtering = 26, refused = 5)
      )
    } else {
      // Older Sparks have other files.
      assert(all.scanning > 200 && all.aggregating > 60 && all.filtering > 20)
    }
  }

  private def check(file: GoldenFile): Unit = {
    val spark = sessionOf(file)
    val answers = new GoldenRun(file, relations(file), builtIn, served, spark).answers()
    counts(file.name) = Counts.of(answers)
    val excluded = Exclusions.of(file.name)
    val unknown = excluded -- file.statements.map(it => Exclusions.normal(it.sql))
    assert(unknown.isEmpty, "golden-exclusions.txt names statements that the file does not have")
    val others = file.statements
      .zip(answers)
      .filterNot { case (golden, answer) => same(golden, answer) }
      .filterNot { case (golden, _) => excluded(Exclusions.normal(golden.sql)) }
    if (others.nonEmpty) {
      fail(others.map((show _).tupled).mkString(s"${others.size} answers are others:\n", "\n", ""))
    }
  }

  private def same(golden: Golden, answer: Answer): Boolean =
    golden.schema == answer.schema && golden.output == answer.output

  private def show(golden: Golden, answer: Answer): String =
    s"""== ${golden.sql}
       |-- golden
       |${golden.schema}
       |${golden.output}
       |-- now
       |${answer.schema}
       |${answer.output}
       |-- scans
       |${answer.scans.mkString("\n")}
       |""".stripMargin

  private def sessionOf(file: GoldenFile): SparkSession = session(file.settings.toMap)

  private def session(settings: Map[String, String]): SparkSession =
    LocalSpark.newSession((GoldenFilesTest.Settings ++ settings).asJava) match {
      case it: SparkSession => it
      case other            => fail(s"$other is not a classic session")
    }

  override def afterAll(): Unit = {
    served.close()
    folder.close()
  }
}

private object GoldenFilesTest {

  /** Those of Spark's suite that show in answers. */
  private val Settings = Map(
    "spark.sql.session.timeZone" -> "America/Los_Angeles",
    "spark.sql.datetime.java8API.enabled" -> "true",
    "spark.sql.codegen.fallback" -> "false",
    "spark.sql.codegen.factoryMode" -> "CODEGEN_ONLY",
    "spark.sql.timeType.enabled" -> "true",
    "spark.sql.parquet.outputTimestampType" -> "TIMESTAMP_MICROS",
    "spark.sql.optimizer.excludedRules" ->
      "org.apache.spark.sql.catalyst.optimizer.ConvertToLocalRelation"
  )
}
