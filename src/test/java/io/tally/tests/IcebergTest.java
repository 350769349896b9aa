package io.tally.tests;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.tally.examples.quickstart.TallyScans;
import java.util.Map;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.SparkSession;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** Tables of nodes and tables of Iceberg in one session: neither is in the way of the other. */
@ExtendWith(FlightsCluster.class)
class IcebergTest {
  private static final String CATALOG = "org.apache.iceberg.spark.SparkCatalog";

  /** The name of a table of flights, then that of one of airports. */
  private static final String JOIN =
      """
      SELECT a.state, sum(f.flights) AS flights, sum(f.minutes) AS minutes
      FROM (SELECT origin, count(*) AS flights, sum(delay) AS minutes FROM %s GROUP BY origin) f
      JOIN %s a ON f.origin = a.iata
      WHERE a.state IN ('AK', 'DE') GROUP BY a.state ORDER BY a.state""";

  /** In the two states. */
  private static final int MOST_AIRPORTS = 300;

  private static final int NODES = 3;

  private static ScratchFolder warehouse;
  private static SparkSession spark;

  @BeforeAll
  static void makeTables(TallyCluster cluster) {
    assumeTrue(
        Boolean.getBoolean("tally.iceberg"),
        "Iceberg is there in the build's run on Spark 4.0 only");
    warehouse = new ScratchFolder("iceberg");
    spark =
        LocalSpark.newSession(
            Map.of(
                "spark.sql.catalog.ice",
                CATALOG,
                "spark.sql.catalog.ice.type",
                "hadoop",
                "spark.sql.catalog.ice.warehouse",
                warehouse.path().toString()));
    spark
        .read()
        .format("tally")
        .options(cluster.options("flights"))
        .load()
        .createOrReplaceTempView("flights");
    spark
        .read()
        .parquet(Home.root().resolve("examples/data/flights").toString())
        .createOrReplaceTempView("plain_flights");
    spark
        .read()
        .option("header", "true")
        .csv(Home.airports().toString())
        .createOrReplaceTempView("plain_airports");
  }

  @AfterAll
  static void deleteTables() {
    if (warehouse != null) {
      warehouse.close();
    }
  }

  @Test
  void bothDoTheirPartOfAJoin() {
    spark.sql("CREATE TABLE ice.db.airports USING iceberg AS SELECT * FROM plain_airports");
    Dataset<Row> joined = spark.sql(JOIN.formatted("flights", "ice.db.airports"));
    assertSame(spark.sql(JOIN.formatted("plain_flights", "plain_airports")), joined);

    String plan = joined.queryExecution().executedPlan().toString();
    TallyScans scans = TallyScans.of(joined.queryExecution().executedPlan());
    assertEquals(1, scans.descriptions().size(), plan);
    assertTrue(
        scans.descriptions().get(0).contains("PushedAggregates: [COUNT(*), SUM(delay)]"), plan);
    // The keys that Iceberg has left reach the nodes.
    assertTrue(scans.rowsReceived() < MOST_AIRPORTS * NODES, plan);
    assertTrue(plan.contains("ice.db.airports"), plan);
    assertTrue(plan.contains("state IN ('AK', 'DE')"), plan);
  }

  @Test
  void rowsOfNodesAreWrittenToIceberg() {
    String late = " FROM %s WHERE delay > 600";
    spark.sql("CREATE TABLE ice.db.late USING iceberg AS SELECT *" + late.formatted("flights"));
    assertSame(spark.sql("SELECT *" + late.formatted("plain_flights")), spark.table("ice.db.late"));
  }

  private static void assertSame(Dataset<Row> expected, Dataset<Row> actual) {
    assertTrue(
        Rows.same(expected.collectAsList(), actual.collectAsList(), false),
        () -> Rows.show(actual.collectAsList()));
  }
}
