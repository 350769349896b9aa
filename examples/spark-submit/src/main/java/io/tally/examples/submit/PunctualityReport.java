package io.tally.examples.submit;

import static org.apache.spark.sql.functions.col;
import static org.apache.spark.sql.functions.count;
import static org.apache.spark.sql.functions.lit;
import static org.apache.spark.sql.functions.month;
import static org.apache.spark.sql.functions.sum;
import static org.apache.spark.sql.functions.when;

import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.SaveMode;
import org.apache.spark.sql.SparkSession;

/**
 * Takes the name of a folder and writes a report there, in Parquet: how punctual flights were, by
 * month and the state that they left from. Shows the plan first, which says what the nodes are
 * asked.
 *
 * <p>Where the nodes are is said by whoever submits it, with {@code --conf
 * spark.datasource.tally.endpoints=…}, as are the master and the connector's jar: the job knows the
 * names of the tables alone.
 */
public final class PunctualityReport {
  private static final int LATE_MINUTES = 15;

  private PunctualityReport() {}

  /** Takes one argument, the folder; what is there is replaced. */
  public static void main(String[] args) {
    if (args.length != 1) {
      System.err.println("Usage: PunctualityReport FOLDER");
      System.exit(2);
    }
    SparkSession spark = SparkSession.builder().appName("Punctuality report").getOrCreate();
    try {
      Dataset<Row> report = report(table(spark, "flights"), table(spark, "airports"));
      report.explain();
      report.write().mode(SaveMode.Overwrite).parquet(args[0]);
      System.out.println("The report is in " + args[0]);
    } finally {
      spark.stop();
    }
  }

  private static Dataset<Row> table(SparkSession spark, String name) {
    return spark.read().format("tally").option("table", name).load();
  }

  /**
   * The report over any source of flights and airports.
   *
   * @param flights columns {@code date, delay, origin}
   * @param airports columns {@code iata, state}
   */
  public static Dataset<Row> report(Dataset<Row> flights, Dataset<Row> airports) {
    // By airport first: this is what the nodes do, each for its own flights.
    Dataset<Row> byAirport =
        flights
            .groupBy(col("origin"), month(col("date")).as("month"))
            .agg(
                count(lit(1)).as("flights"),
                sum(when(col("delay").gt(LATE_MINUTES), 1).otherwise(0)).as("late"),
                sum("delay").as("minutes"));
    return byAirport
        .join(airports, col("origin").equalTo(col("iata")))
        .groupBy("state", "month")
        .agg(
            sum("flights").as("flights"),
            sum("late").as("late"),
            sum("minutes").divide(sum("flights")).as("average_delay"))
        .orderBy("state", "month");
  }
}
