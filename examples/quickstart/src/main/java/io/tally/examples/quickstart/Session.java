package io.tally.examples.quickstart;

import java.util.List;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.SparkSession;

/** A Spark session with the views {@code flights} and {@code airports} over Tally's nodes. */
record Session(SparkSession spark) {

  /** Creates the views; this is all that a Spark needs to know of Tally. */
  static Session over(String endpoints, SparkSession spark, boolean pushDown) {
    for (String table : List.of("flights", "airports")) {
      spark.sql(
          """
          CREATE TEMPORARY VIEW %s USING tally
          OPTIONS (endpoints '%s', table '%s', `push-down` '%s')"""
              .formatted(table, endpoints, table, pushDown));
    }
    return new Session(spark);
  }

  /** Runs the query to its end. */
  Answer ask(Quickstart.Question question) {
    long start = System.nanoTime();
    Dataset<Row> dataset = spark.sql(question.sql());
    List<Row> rows = dataset.collectAsList();
    long millis = (System.nanoTime() - start) / 1_000_000;
    return new Answer(
        List.of(dataset.columns()),
        rows,
        millis,
        TallyScans.of(dataset.queryExecution().executedPlan()));
  }

  /**
   * The result of one question and what it cost.
   *
   * @param scans what Spark asked the nodes
   */
  record Answer(List<String> columns, List<Row> rows, long millis, TallyScans scans) {}
}
