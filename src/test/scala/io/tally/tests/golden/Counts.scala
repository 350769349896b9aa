package io.tally.tests.golden

/**
 * How many statements asked nodes, and for what.
 *
 * @param scanning
 *   read a table of nodes
 * @param aggregating
 *   of these, got aggregates or groups from nodes
 * @param filtering
 *   of these, had nodes apply predicates
 * @param refused
 *   of these, had something refused that Spark offered
 */
private[golden] final case class Counts(
    statements: Int,
    scanning: Int,
    aggregating: Int,
    filtering: Int,
    refused: Int
) {
  def +(other: Counts): Counts = Counts(
    statements + other.statements,
    scanning + other.scanning,
    aggregating + other.aggregating,
    filtering + other.filtering,
    refused + other.refused
  )
}

private[golden] object Counts {
  private val Zero = Counts(0, 0, 0, 0, 0)

  def of(answers: Seq[Answer]): Counts = {
    val scanning = answers.map(_.scans).filter(_.nonEmpty)
    Counts(
      answers.size,
      scanning.size,
      scanning.count(_.exists(_.contains("PushedAggregates:"))),
      scanning.count(_.exists(!_.contains("PushedPredicates: []"))),
      scanning.count(_.exists(_.contains("NotPushed:")))
    )
  }

  def sum(counts: Iterable[Counts]): Counts = counts.fold(Zero)(_ + _)

  def table(counts: Seq[(String, Counts)]): String = {
    val lines = (counts :+ ("all" -> sum(counts.map(_._2)))).map { case (name, it) =>
      f"$name%-28s ${it.statements}%10d ${it.scanning}%8d ${it.aggregating}%11d" +
        f" ${it.filtering}%9d ${it.refused}%7d"
    }
    val head = f"${"file"}%-28s statements scanning aggregating filtering refused"
    (head +: lines).mkString("\n")
  }
}
