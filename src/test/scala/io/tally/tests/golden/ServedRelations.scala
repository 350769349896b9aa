package io.tally.tests.golden

import java.nio.file.{Files, Path}

import scala.jdk.CollectionConverters._
import scala.util.control.NonFatal

import io.tally.tests.SpreadTables
import org.apache.spark.sql.Row
import org.apache.spark.sql.classic.SparkSession

/**
 * Takes relations, deals the rows of each out to three nodes, and hands on views that read them
 * from there.
 */
private[golden] final class ServedRelations(
    cluster: SpreadTables,
    served: Set[Relation],
    val left: Map[Relation, String]
) extends AutoCloseable {

  def serves(relation: Relation): Boolean = served(relation)

  def defineView(relation: Relation, spark: SparkSession): Unit =
    ServedRelations.read(relation, cluster, spark).createOrReplaceTempView(relation.name)

  override def close(): Unit = cluster.close()
}

private[golden] object ServedRelations {
  private val Nodes = 3

  /** Writes the rows into the folder, and starts the nodes. */
  def start(relations: Seq[Relation], folder: Path, spark: SparkSession): ServedRelations = {
    val written = relations.map(it => it -> write(it, folder, spark)).toMap
    val files = written.collect { case (relation, Right(files)) => relation.servedAs -> files.asJava }
    val cluster = SpreadTables.start(Nodes, files.asJava)
    val (served, unlike) = written.keys
      .filter(it => written(it).isRight)
      .map(it => it -> read(it, cluster, spark).schema.catalogString)
      .partition { case (relation, schema) => schema == relation.schema.catalogString }
    val left = written.collect { case (relation, Left(reason)) => relation -> reason } ++
      unlike.map { case (relation, schema) => relation -> s"nodes serve it as $schema" }
    new ServedRelations(cluster, served.map(_._1).toSet, left)
  }

  private def read(relation: Relation, cluster: SpreadTables, spark: SparkSession) =
    spark.read.format("tally").options(cluster.options(relation.servedAs)).load()

  /** One file for each partition that has rows, in order. */
  private def write(
      relation: Relation,
      folder: Path,
      spark: SparkSession
  ): Either[String, Seq[Path]] = {
    val hands = relation.rows.zipWithIndex.groupMap(_._2 % Nodes)(_._1).withDefaultValue(Seq.empty)
    val dealt = spark.sparkContext
      .parallelize[Seq[Row]]((0 until Nodes).map(hands), Nodes)
      .flatMap(identity)
    val target = folder.resolve(relation.servedAs)
    try {
      spark.createDataFrame(dealt, relation.schema).write.parquet(target.toString)
      val files = Files.list(target)
      try Right(files.iterator.asScala.filter(_.toString.endsWith(".parquet")).toSeq.sorted)
      finally files.close()
    } catch {
      case NonFatal(e) => Left(e.getMessage.linesIterator.next())
    }
  }
}
