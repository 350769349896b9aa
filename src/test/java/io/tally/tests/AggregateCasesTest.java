package io.tally.tests;

import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import scala.Console;
import scala.runtime.BoxedUnit;

/** Counts, sums and averages that other systems got wrong when they pushed them down. */
class AggregateCasesTest {
  private static final String[] NO_ROWS = {};

  /** Spark gives the one or the other, by where it meets the sum. */
  private static final Set<String> DECIMAL_OVERFLOW =
      Set.of("NUMERIC_VALUE_OUT_OF_RANGE.WITH_SUGGESTION", "ARITHMETIC_OVERFLOW");

  private static Cases cases;

  @BeforeAll
  static void startNodes() {
    cases =
        new Cases.Builder()
            .table("cnt1", "SELECT 'x' AS p, 1::INT AS a")
            .table("cnt3", "SELECT 5::INT AS a", "SELECT 5::INT AS a WHERE false")
            .table("cnt3_null", "SELECT NULL::INT AS a", "SELECT NULL::INT AS a")
            .table(
                "cnt5",
                "SELECT i::INT AS a FROM range(50) r(i)",
                "SELECT i::INT AS a FROM range(50, 100) r(i)")
            .table(
                "agg1",
                "SELECT d::DECIMAL(3,1) AS d FROM (VALUES (99.9), (99.9)) v(d)",
                "SELECT 1.0::DECIMAL(3,1) AS d")
            .table(
                "agg2",
                "SELECT 2147483647::INT AS i, 10.25::DECIMAL(10,2) AS d, 1.5::FLOAT AS f",
                "SELECT 2147483647::INT AS i, 99999999.99::DECIMAL(10,2) AS d, 0.25::FLOAT AS f")
            .table("agg3_small", "SELECT 1::INT AS x FROM range(3)", "SELECT 5::INT AS x")
            .table(
                "agg3_bigint",
                "SELECT 9223372036854775807::BIGINT AS x",
                "SELECT 9223372036854775807::BIGINT AS x")
            .table(
                "agg3_decimal",
                "SELECT 9223372036854775807.12::DECIMAL(21,2) AS x",
                "SELECT 9223372036854775807.24::DECIMAL(21,2) AS x")
            .table("agg5", "SELECT 9223372036854775807::BIGINT AS a", "SELECT 1::BIGINT AS a")
            .table(
                "agg5_back",
                "SELECT 9223372036854775807::BIGINT AS a UNION ALL SELECT 1::BIGINT",
                "SELECT (-5)::BIGINT AS a")
            .table(
                "agg5_part",
                "SELECT 9223372036854775807::BIGINT AS a, 'x' AS k UNION ALL SELECT 1::BIGINT, 'x'",
                "SELECT 5::BIGINT AS a, 'x' AS k UNION ALL SELECT 5::BIGINT, 'y'")
            .table(
                "agg5_decimal_part",
                "SELECT 9000000000000000000000000000.5::DECIMAL(38,10) AS a, 'x' AS k FROM range(20)",
                "SELECT 1::DECIMAL(38,10) AS a, 'x' AS k UNION ALL SELECT 5::DECIMAL(38,10), 'y'")
            .table(
                "agg5_decimal",
                "SELECT 90000000000000000000000000000000000000::DECIMAL(38,0) AS a",
                "SELECT 90000000000000000000000000000000000000::DECIMAL(38,0) AS a")
            .table("agg6", "SELECT unnest([1, 2])::INT AS k", "SELECT unnest([2, 3])::INT AS k")
            .table(
                "agg7",
                "SELECT 'A' AS k FROM range(100) UNION ALL SELECT 'B'",
                "SELECT 'A' AS k FROM range(100) UNION ALL SELECT 'B' FROM range(1000)")
            .table("agg8", "SELECT 'x' AS b", "SELECT 'x' AS b")
            .table(
                "agg10",
                "SELECT s, s::BLOB AS b FROM (SELECT unnest(['a', '']) AS s)",
                "SELECT NULL::VARCHAR AS s, NULL::BLOB AS b")
            .table(
                "agg12",
                "SELECT 1::INT AS a, 'x' AS b, 'q' AS s",
                "SELECT 2::INT AS a, 'x' AS b, 'r' AS s")
            .table(
                "agg14",
                "SELECT 1::INT AS a, 1::INT AS b UNION ALL SELECT 1::INT, NULL",
                "SELECT NULL::INT AS a, NULL::INT AS b")
            .table(
                "many_decimals",
                "SELECT 99.9::DECIMAL(3,1) AS d, i % 7 AS k FROM range(20000) r(i)",
                "SELECT -99.9::DECIMAL(3,1) AS d, i % 7 AS k FROM range(100) r(i)",
                "SELECT 0.1::DECIMAL(3,1) AS d, NULL::BIGINT AS k FROM range(3) r(i)")
            .start();
  }

  @AfterAll
  static void stopNodes() {
    if (cases != null) {
      cases.close();
    }
  }

  @Test
  @DisplayName("CNT-1: an ungrouped aggregate over nothing is one row, COUNT is 0")
  void countOfNothing() {
    cases.check(
        "SELECT count(*), count(a), sum(a), min(a), avg(a) FROM cnt1 WHERE p = 'none'",
        "0|0|null|null|null");
    cases.check("SELECT p, count(*) FROM cnt1 WHERE p = 'none' GROUP BY p", NO_ROWS);
    cases.check("SELECT count(*) FROM cnt1", "1");
    ByteArrayOutputStream shown = new ByteArrayOutputStream();
    Dataset<Row> nothing =
        cases.spread().plan("SELECT count(*) AS n, sum(a) AS s FROM cnt1 WHERE p = 'none'");
    Console.withOut(
        shown,
        () -> {
          nothing.show();
          return BoxedUnit.UNIT;
        });
    String table = shown.toString(StandardCharsets.UTF_8);
    assertTrue(table.contains("|  0|NULL|"), table);
  }

  @Test
  @DisplayName("CNT-3: an empty partition adds nothing")
  void emptyPartition() {
    cases.check("SELECT min(a), max(a), sum(a), count(a) FROM cnt3", "5|5|5|1");
    cases.check("SELECT min(a), max(a), sum(a), count(a) FROM cnt3_null", "null|null|null|0");
  }

  @Test
  @DisplayName("CNT-5: a count respects the filter that Spark keeps for itself")
  void countWithResidualFilter() {
    cases.check("SELECT count(*) FROM cnt5 WHERE a % 7 = 0", "15");
  }

  @Test
  @DisplayName("AGG-1: a partial decimal sum may be larger than its input's type")
  void decimalSumInChange() {
    cases.check("SELECT sum(d), avg(d) FROM agg1", "200.8|66.93333");
    String plan = cases.spread().check("SELECT sum(d), avg(d) FROM agg1").plan();
    assertTrue(plan.contains("SUM(d)"), plan);
  }

  @Test
  @DisplayName("AGG-1 at length: thousands of times the largest value of the type, by group")
  void decimalSumInMuchChange() {
    cases.check(
        "SELECT sum(d), count(d), min(d), max(d), avg(d), count(*) FROM many_decimals",
        "1988010.3|20103|-99.9|99.9|98.89123|20103");
    cases.check("SELECT k, sum(d), avg(d), count(*), min(d), max(d) FROM many_decimals GROUP BY k");
  }

  @Test
  @DisplayName("AGG-2: sums have Spark's types")
  void typesOfSums() {
    cases.check("SELECT sum(i), sum(d), sum(f) FROM agg2", "4294967294|100000010.24|1.75");
    cases.check(
        "SELECT typeof(sum(i)), typeof(sum(d)), typeof(sum(f)) FROM agg2",
        "bigint|decimal(20,2)|double");
  }

  @Test
  @DisplayName("AGG-3: averages weigh rows, not partitions, and do not overflow")
  void averages() {
    cases.check("SELECT avg(x) FROM agg3_small", "2.0");
    cases.check("SELECT avg(x) FROM agg3_bigint", "9.223372036854776E18");
    cases.check("SELECT avg(x) FROM agg3_decimal", "9223372036854775807.180000");
  }

  @Test
  @DisplayName("AGG-5: a sum that overflows only in total fails or wraps as Spark says")
  void overflowInTotal() {
    cases.checkAnsiFails(
        "SELECT sum(a) FROM agg5", Set.of("ARITHMETIC_OVERFLOW"), "-9223372036854775808");
    cases.check("SELECT try_sum(a) FROM agg5", "null");
    cases.check("SELECT count(a), min(a), max(a) FROM agg5", "2|1|9223372036854775807");
    cases.check(
        "SELECT avg(a), try_avg(a) FROM agg5", "4.6116860184273879E18|4.6116860184273879E18");
    cases.checkAnsiFails("SELECT sum(a) FROM agg5_decimal", DECIMAL_OVERFLOW, "null");
    cases.checkAnsiFails("SELECT avg(a) FROM agg5_decimal", DECIMAL_OVERFLOW, "null");
    cases.check("SELECT try_sum(a), try_avg(a) FROM agg5_decimal", "null|null");
  }

  @Test
  @DisplayName("AGG-5: a sum that overflows in one node's part fails or wraps as Spark says")
  void overflowInPart() {
    cases.checkAnsiFails(
        "SELECT k, sum(a) FROM agg5_part GROUP BY k",
        Set.of("ARITHMETIC_OVERFLOW"),
        "x|-9223372036854775803",
        "y|5");
    cases.check(
        "SELECT k, try_sum(a), avg(a), try_avg(a) FROM agg5_part GROUP BY k",
        "x|null|3.0744573456182584E18|3.0744573456182584E18",
        "y|5|5.0|5.0");
    for (String function : List.of("sum", "avg")) {
      cases.checkAnsiFails(
          "SELECT k, %s(a) = 5 FROM agg5_decimal_part GROUP BY k".formatted(function),
          DECIMAL_OVERFLOW,
          "x|null",
          "y|true");
    }
    cases.check(
        "SELECT k, try_sum(a) = 5, try_avg(a) = 5 FROM agg5_decimal_part GROUP BY k",
        "x|null|null",
        "y|true|true");
  }

  @Test
  @DisplayName("AGG-6: DISTINCT aggregates are not added up")
  void distinctAggregates() {
    cases.check("SELECT count(DISTINCT k), sum(DISTINCT k), count(*) FROM agg6", "3|6|4");
  }

  @Test
  @DisplayName("AGG-7: the largest group is found after the merge")
  void topGroup() {
    cases.check("SELECT k, count(*) c FROM agg7 GROUP BY k ORDER BY c DESC LIMIT 1", "B|1001");
  }

  @Test
  @DisplayName("AGG-8: a group that is on two nodes is one group")
  void groupsAlone() {
    cases.check("SELECT DISTINCT b FROM agg8", "x");
    cases.check("SELECT b FROM agg8 GROUP BY b", "x");
  }

  @Test
  @DisplayName("AGG-10: a NULL literal in a grouping expression")
  void nullLiteralInKey() {
    cases.check(
        "SELECT NULLIF(s, '') k, count(*) FROM agg10 GROUP BY NULLIF(s, '')", "a|1", "null|2");
    ThreeWays.Outcome binary =
        cases
            .spread()
            .check(
                "SELECT hex(NULLIF(b, X'')), count(*) FROM agg10 GROUP BY NULLIF(b, X'')",
                "61|1",
                "null|2");
    assertTrue(binary.plan().contains("a NULL of type BINARY"), binary::plan);
  }

  @Test
  @DisplayName("AGG-12: columns come in the order of the query, each aggregate once")
  void orderOfColumns() {
    cases.check("SELECT max(s), sum(a) + 1, sum(A), b FROM agg12 GROUP BY b", "r|4|3|x");
  }

  @Test
  @DisplayName("AGG-14: COUNT of several columns, of a nullable one, of a literal")
  void kindsOfCount() {
    cases.check("SELECT count(a, b), count(a), count(1) FROM agg14", "1|2|3");
    cases.check("SELECT count(NULL), count(*), sum(1) FROM agg14", "0|3|3");
  }

  @Test
  @DisplayName("Aggregates with FILTER, DISTINCT and expressions, mixed with plain ones")
  void mixedAggregates() {
    cases.check(
        "SELECT count(*) FILTER (WHERE k > 1), sum(k * 2), max(k), count(DISTINCT k) FROM agg6",
        "3|16|3|3");
    cases.check("SELECT k + 1, count(*) FROM agg6 GROUP BY k + 1", "2|1", "3|2", "4|1");
  }

  @Test
  @DisplayName("A partial sum that leaves BIGINT and comes back")
  void sumThatComesBack() {
    // With ANSI it depends on the order of the rows whether Spark meets an overflow on the way.
    cases
        .ways(Map.of("spark.sql.ansi.enabled", "false"))
        .check("SELECT sum(a) FROM agg5_back", "9223372036854775803");
  }
}
