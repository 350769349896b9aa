package io.tally.tests.golden

import io.tally.tests.SparkRelease.isAtLeast

/** Statements whose golden answers cannot hold over nodes, as `golden-exclusions.txt` lists them. */
private[golden] object Exclusions {
  private val Entry = "([^ :]+)(?: (before|since) 4\\.(\\d+))?: (.*)".r

  /** Of one file, without surplus white space. */
  def of(file: String): Set[String] = all.collect { case (`file`, sql) => sql }.toSet

  def excludes(file: String, sql: String): Boolean = of(file)(normal(sql))

  def normal(sql: String): String = sql.replaceAll("\\s+", " ").trim

  private lazy val all: Seq[(String, String)] =
    GoldenFile
      .resource("golden-exclusions.txt")
      .linesIterator
      .collect {
        case Entry(file, side, minor, sql)
            if Option(side).forall(it => isAtLeast(minor.toInt) == (it == "since")) =>
          file -> normal(sql)
      }
      .toSeq
}
