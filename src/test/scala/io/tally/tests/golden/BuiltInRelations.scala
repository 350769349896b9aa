package io.tally.tests.golden

import org.apache.spark.sql.Row
import org.apache.spark.sql.classic.SparkSession
import org.apache.spark.sql.types.StructType

/** The tables that Spark's suite makes before it runs any file, with the rows that it gives them. */
private[golden] object BuiltInRelations {
  private val Wide =
    "unique1 int, unique2 int, two int, four int, ten int, twenty int, hundred int," +
      " thousand int, twothousand int, fivethous int, tenthous int, odd int, even int," +
      " stringu1 string, stringu2 string, string4 string"

  def of(spark: SparkSession): Seq[Relation] = Seq(
    relation(
      "testdata",
      "key int, value string",
      (1 to 100).map(it => Row(it, it.toString))
    ),
    relation(
      "arraydata",
      "arraycol array<int>, nestedarraycol array<array<int>>",
      Seq(Row(Seq(1, 2, 3), Seq(Seq(1, 2, 3))), Row(Seq(2, 3, 4), Seq(Seq(2, 3, 4))))
    ),
    relation(
      "mapdata",
      "mapcol map<int, string>",
      (1 to 5).map(row => Row((1 to 6 - row).map(it => it -> s"${('a' + it - 1).toChar}$row").toMap))
    ),
    fromFile("aggtest", "a int, b float", "agg.data", spark),
    fromFile("onek", Wide, "onek.data", spark),
    fromFile("tenk1", Wide, "tenk.data", spark)
  )

  private def fromFile(name: String, schema: String, file: String, spark: SparkSession) = {
    import spark.implicits._
    val lines = GoldenFile.resource(s"test-data/postgresql/$file").linesIterator.toSeq.toDS()
    val data = spark.read.option("delimiter", "\t").schema(schema).csv(lines)
    relation(name, schema, data.collect().toSeq)
  }

  private def relation(name: String, schema: String, rows: Seq[Row]) =
    Relation("built_in", 0, name, isTable = false, StructType.fromDDL(schema), rows)
}
