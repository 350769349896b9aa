package io.tally.tests;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import java.util.Map;
import org.apache.spark.sql.SparkSession;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Three million real rows on three nodes: answers are Spark's, and only tallies travel. */
@ExtendWith(FlightsCluster.class)
class FlightsTest {
  private static final long FLIGHTS = 3_000_000;

  /** Well above the keys of any query here, times three nodes; far below the rows. */
  private static final long FEW_ROWS = 20_000;

  @ParameterizedTest
  @ValueSource(
      strings = {
        "SELECT count(*), count(delay), sum(delay), sum(distance), min(delay), max(delay) FROM flights",
        "SELECT origin, count(*), sum(delay), min(date), max(date) FROM flights GROUP BY origin",
        "SELECT origin, avg(delay), avg(distance) FROM flights GROUP BY origin",
        "SELECT origin, destination, count(*) FROM flights GROUP BY origin, destination",
        "SELECT DISTINCT destination FROM flights",
        "SELECT count(*) FROM flights WHERE origin = 'ORD'",
        "SELECT origin, count(*) FROM flights WHERE origin IN ('ORD', 'JFK', 'none') GROUP BY origin",
        "SELECT count(*) FROM flights WHERE origin NOT IN ('ORD', 'JFK')",
        "SELECT count(*) FROM flights WHERE delay > 100 AND distance <= 500",
        "SELECT count(*) FROM flights WHERE delay < -30 OR distance >= 4000",
        "SELECT count(*) FROM flights WHERE NOT (delay >= 0 OR origin <> 'ATL')",
        "SELECT count(*) FROM flights WHERE origin LIKE 'A%' AND destination LIKE '%D'",
        "SELECT count(*) FROM flights WHERE contains(origin, 'O') AND delay IS NOT NULL",
        "SELECT count(*) FROM flights WHERE delay IS NULL",
        "SELECT count(*), sum(distance) FROM flights"
            + " WHERE date BETWEEN TIMESTAMP_NTZ '2001-02-10 06:00:00' AND TIMESTAMP_NTZ '2001-03-10 12:30:00'",
        "SELECT max(delay) FROM flights WHERE date > TIMESTAMP_NTZ '2001-06-30 23:00:00'",
        "SELECT count(*) FROM flights WHERE origin = destination",
        "SELECT count(*) FROM flights WHERE origin <=> 'SEA'",
        "SELECT origin, count(*) FROM flights WHERE destination = 'nowhere' GROUP BY origin",
        "SELECT origin, count(*) c FROM flights GROUP BY origin HAVING count(*) > 50000",
        "SELECT origin, count(*) c FROM flights GROUP BY origin ORDER BY c DESC, origin LIMIT 7",
      })
  void tallies(String sql, ThreeWays flights) {
    ThreeWays.Outcome outcome = flights.check(sql);
    assertTrue(
        outcome.pushing().rowsReceived() <= FEW_ROWS,
        () -> outcome.pushing().rowsReceived() + " rows crossed the network: " + outcome.plan());
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "SELECT origin, sum(delay) FROM flights GROUP BY ROLLUP (origin)",
        "SELECT to_date(date), count(*), avg(delay) FROM flights GROUP BY to_date(date)",
        "SELECT month(date), origin, sum(delay % 7) FROM flights WHERE delay > 0 GROUP BY ALL",
        "SELECT count(*) FILTER (WHERE delay > 0), sum(CASE WHEN delay > 60 THEN 1 ELSE 0 END) FROM flights",
        "SELECT try_sum(delay), sum(distance * 2), avg(delay + 1) FROM flights",
        "SELECT state, count(*), sum(delay) FROM flights JOIN airports ON origin = iata GROUP BY state",
        "SELECT name, date, delay FROM flights JOIN airports ON destination = iata WHERE delay > 1400",
        "SELECT * FROM flights WHERE delay > 1000",
        "SELECT destination, date FROM flights WHERE origin = 'YAK'",
        "SELECT 1 FROM flights WHERE origin = 'ABE' AND delay > 120",
        "SELECT count(*) FROM (SELECT * FROM flights LIMIT 1234)",
        "SELECT a.origin, a.c, b.c FROM (SELECT origin, count(*) c FROM flights GROUP BY origin) a"
            + " JOIN (SELECT destination, count(*) c FROM flights GROUP BY destination) b ON a.origin = b.destination",
        "SELECT count(*) FROM flights a JOIN flights b ON a.date = b.date AND a.origin = b.destination"
            + " WHERE a.origin = 'ABE' AND b.delay > 30",
        "SELECT count(*) FROM flights WHERE delay > (SELECT avg(delay) * 50 FROM flights)",
        "SELECT count(*) FROM flights WHERE origin IN (SELECT iata FROM airports WHERE state = 'AK')",
        "SELECT iata FROM airports WHERE NOT EXISTS (SELECT 1 FROM (SELECT DISTINCT origin FROM flights) WHERE origin = iata) AND state = 'DE'",
        "WITH d AS (SELECT origin, avg(delay) a FROM flights GROUP BY origin)"
            + " SELECT count(*) FROM d WHERE a > (SELECT avg(a) FROM d)",
        "SELECT origin, c, rank() OVER (ORDER BY c DESC, origin) FROM"
            + " (SELECT origin, count(*) c FROM flights GROUP BY origin) ORDER BY c DESC, origin LIMIT 5",
        "SELECT origin FROM flights WHERE delay > 1200 UNION ALL SELECT destination FROM flights WHERE delay > 1200",
        "SELECT iata, state, latitude FROM airports WHERE latitude > 65 ORDER BY latitude DESC, iata LIMIT 10",
      })
  void everythingElse(String sql, ThreeWays flights) {
    flights.check(sql);
  }

  @Test
  void deviationsOfManyRows(ThreeWays flights) {
    flights
        .addingUp(FLIGHTS)
        .check("SELECT stddev(delay), percentile(delay, 0.5) FROM flights WHERE origin = 'BOS'");
  }

  @Test
  void everyCellOfEveryRowArrives(ThreeWays flights) {
    ThreeWays.Outcome outcome =
        flights.check(
            "SELECT count(*), sum(xxhash64(date, delay, distance, origin, destination) % 1000000007)"
                + " FROM flights");
    assertEquals(FLIGHTS, outcome.pushing().rowsReceived(), outcome.plan());
  }

  @Test
  void knownTotals(ThreeWays flights) {
    flights.check(
        "SELECT count(*), count(DISTINCT origin), count(DISTINCT destination) FROM flights",
        "3000000|229|228");
    flights.check("SELECT avg(delay) FROM flights", "6.667867666666667");
    flights.check(
        "SELECT origin, count(*) c, avg(delay) FROM flights GROUP BY origin ORDER BY c DESC LIMIT 1",
        "ORD|166341|9.27365472132547");
  }

  @Test
  void talliesCrossTheNetworkInsteadOfRows(ThreeWays flights) {
    ThreeWays.Outcome outcome =
        flights.check("SELECT origin, count(*), avg(delay) FROM flights GROUP BY origin");
    assertTrue(outcome.plan().contains("COUNT(*), SUM(delay), COUNT(delay)"), outcome.plan());
    assertTrue(outcome.plan().contains("PushedGroupBy: [origin]"), outcome.plan());
    assertTrue(!outcome.fetching().descriptions().toString().contains("PushedGroupBy"));
    assertEquals(FLIGHTS, outcome.pushing().rowsScanned());
    assertEquals(FLIGHTS, outcome.fetching().rowsReceived());
    assertTrue(outcome.pushing().rowsReceived() <= 3 * 229, outcome.plan());
    assertTrue(
        outcome.pushing().bytesReceived() * 1000 < outcome.fetching().bytesReceived(),
        () -> outcome.pushing().bytesReceived() + " of " + outcome.fetching().bytesReceived());
  }

  @Test
  void partitionsThatCannotMatchAreNotScanned(ThreeWays flights) {
    ThreeWays.Outcome outcome =
        flights.check(
            "SELECT origin, count(*) FROM flights WHERE date >= TIMESTAMP_NTZ '2001-05-10'"
                + " AND date < TIMESTAMP_NTZ '2001-05-11' GROUP BY origin");
    assertEquals(518_831, outcome.pushing().rowsScanned(), "all of May, and nothing else");
  }

  @Test
  void aCountIsZeroWithEveryPartitionPruned(ThreeWays flights) {
    ThreeWays.Outcome outcome =
        flights.check(
            "SELECT count(*), sum(delay), min(origin) FROM flights"
                + " WHERE date < TIMESTAMP_NTZ '1999-01-01'",
            "0|null|null");
    assertEquals(0, outcome.pushing().rowsScanned());
    assertEquals(
        0,
        flights
            .check(
                "SELECT origin, count(*) FROM flights WHERE date < TIMESTAMP_NTZ '1999-01-01'"
                    + " GROUP BY origin",
                new String[0])
            .pushing()
            .rowsScanned());
  }

  /** Planned alone, by what scans estimate. */
  @Test
  void aSmallTableIsBroadcastInAJoin(TallyCluster cluster) {
    SparkSession spark = LocalSpark.newSession();
    for (String table : List.of("flights", "airports")) {
      spark
          .read()
          .format("tally")
          .options(cluster.options(table))
          .load()
          .createOrReplaceTempView(table);
    }
    String small = "SELECT name, delay FROM flights JOIN airports ON origin = iata";
    String large = "SELECT a.delay FROM flights a JOIN flights b ON a.origin = b.destination";
    assertPlan(spark, small, "BroadcastHashJoin");
    assertPlan(spark, large, "SortMergeJoin");
    spark.conf().set("spark.sql.autoBroadcastJoinThreshold", "10000");
    assertPlan(spark, small, "SortMergeJoin");
  }

  private static void assertPlan(SparkSession spark, String sql, String operator) {
    String plan = spark.sql(sql).queryExecution().executedPlan().toString();
    assertTrue(plan.contains(operator), plan);
  }

  @Test
  void columnsThatNobodyReadsDoNotTravel(ThreeWays flights) {
    ThreeWays.Outcome narrow =
        flights.check("SELECT sum(xxhash64(delay) % 3) FROM flights WHERE delay > 0");
    ThreeWays.Outcome wide =
        flights.check(
            "SELECT sum(xxhash64(date, delay, distance, origin, destination) % 3) FROM flights"
                + " WHERE delay > 0");
    assertEquals(narrow.pushing().rowsReceived(), wide.pushing().rowsReceived());
    assertTrue(narrow.pushing().bytesReceived() * 2 < wide.pushing().bytesReceived());
  }

  @Test
  void theTimeZoneOfTheSessionIsSparksAlone(TallyCluster cluster) {
    ThreeWays flights =
        FlightsCluster.threeWays(
            cluster,
            Map.of(
                "spark.sql.session.timeZone",
                "America/Los_Angeles",
                "spark.sql.ansi.enabled",
                "false"));
    flights.check("SELECT count(*) FROM flights WHERE date < TIMESTAMP_NTZ '2001-02-01 00:00:00'");
    flights.check("SELECT min(date), max(date) FROM flights");
    flights.check(
        "SELECT count(*) FROM flights WHERE date >= TIMESTAMP '2001-06-30 22:00:00 America/New_York'");
  }
}
