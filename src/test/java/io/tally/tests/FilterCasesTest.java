package io.tally.tests;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.SparkSession;
import org.apache.spark.sql.api.java.UDF1;
import org.apache.spark.sql.expressions.UserDefinedFunction;
import org.apache.spark.sql.functions;
import org.apache.spark.sql.types.DataTypes;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** Predicates and limits that other systems got wrong when they pushed them down. */
class FilterCasesTest {
  private static final String[] NO_ROWS = {};

  private static Cases cases;

  @BeforeAll
  static void startNodes() {
    cases =
        new Cases.Builder()
            .table(
                "flt1",
                "SELECT 1::INT AS id, NULL::INT AS b UNION ALL SELECT 2::INT, 1::INT",
                "SELECT 3::INT AS id, 2::INT AS b")
            .table("flt2", "SELECT unnest([1, 2])::INT AS a", "SELECT NULL::INT AS a")
            .table(
                "flt4",
                "SELECT 1::INT AS a, 1::INT AS b UNION ALL SELECT 1::INT, NULL",
                "SELECT NULL::INT AS a, NULL::INT AS b")
            .table("flt6", "SELECT 1::INT AS a")
            .table("flt7", "SELECT unnest([1.0, 'NaN'::DOUBLE]) AS d", "SELECT '-0.0'::DOUBLE AS d")
            .table("flt9", "SELECT 2147483647::INT AS a")
            .table("flt10", "SELECT 'n' AS kind, '7' AS s", "SELECT 't' AS kind, 'abc' AS s")
            .table(
                "flt12",
                "SELECT 1::INT AS c, 'abc' AS v, 'k1' AS k",
                "SELECT 2::INT AS c, 'abd' AS v, 'k2' AS k")
            .table("flt13", "SELECT 1::INT AS a, 1::INT AS b", "SELECT 2::INT AS a, 2::INT AS b")
            .table(
                "flt14",
                "SELECT DATE '2016-01-01' AS d, 2.00::DECIMAL(10,2) AS p,"
                    + " (-9223372036854775808)::BIGINT AS x, '\\x00\\xFF'::BLOB AS b, 1e-7::DOUBLE AS f,"
                    + " 1.1::FLOAT AS g, 7::TINYINT AS t, 300::SMALLINT AS s, true AS o",
                "SELECT DATE '2016-01-02' AS d, 2.01::DECIMAL(10,2) AS p,"
                    + " 9223372036854775807::BIGINT AS x, '\\x00'::BLOB AS b, 2e-7::DOUBLE AS f,"
                    + " 1.2::FLOAT AS g, (-7)::TINYINT AS t, (-300)::SMALLINT AS s, false AS o")
            .table(
                "flt15",
                "SELECT i AS id FROM range(0, 300, 3) r(i)",
                "SELECT i AS id FROM range(300000, 300003) r(i)")
            .table(
                "str1",
                "SELECT unnest(['a_b', 'axb', 'a%b']) AS s",
                "SELECT unnest(['a\\b', 'it''s', '', '日本', '\uD83D\uDE00x']) AS s")
            .table("str3", "SELECT unnest(['ab', 'abc']) AS c", "SELECT 'ab   ' AS c")
            .table(
                "lim3",
                "SELECT i AS a FROM range(10) r(i)",
                "SELECT i AS a FROM range(10, 20) r(i)")
            .table("f", "SELECT 'p1' AS p, 1::INT AS k", "SELECT 'p2' AS p, 1::INT AS k")
            .table("d", "SELECT 'p1' AS p, 1::INT AS x", "SELECT 'p2' AS p, 2::INT AS x")
            .start();
  }

  @AfterAll
  static void stopNodes() {
    if (cases != null) {
      cases.close();
    }
  }

  @Test
  @DisplayName("FLT-1: NOT (b <=> 1) keeps NULL")
  void notNullSafeEqual() {
    cases.check("SELECT id FROM flt1 WHERE NOT (b <=> 1)", "1", "3");
    cases.check("SELECT id FROM flt1 WHERE b <=> NULL", "1");
    cases.check("SELECT count(*) FROM flt1 WHERE NOT (b <=> 1)", "2");
  }

  @Test
  @DisplayName("FLT-2: NULL inside IN")
  void nullInList() {
    cases.check("SELECT a FROM flt2 WHERE a IN (1, NULL)", "1");
    cases.check("SELECT a FROM flt2 WHERE a NOT IN (1, NULL)", NO_ROWS);
    cases.check("SELECT a FROM flt2 WHERE a NOT IN (SELECT NULL)", NO_ROWS);
    cases.check("SELECT count(*) FROM flt2 WHERE NOT (a IN (2, 3))", "1");
  }

  @Test
  @DisplayName("FLT-4: (a = b) IS NULL")
  void isNullOfComparison() {
    cases.check("SELECT count(*) FROM flt4 WHERE (a = b) IS NULL", "2");
    cases.check("SELECT count(*) FROM flt4 WHERE (a = b) IS NOT NULL", "1");
    cases.check("SELECT count(*) FROM flt4 WHERE NOT (a = b AND b > 0)", "0");
    cases.check("SELECT count(*) FROM flt4 WHERE (a = b OR a IS NULL)", "2");
  }

  @Test
  @DisplayName("FLT-6: a predicate without columns is not taken as applied")
  void predicateWithoutColumns() {
    cases.check("SELECT a FROM flt6 WHERE rand() < 0", NO_ROWS);
    cases.check("SELECT count(*) FROM flt6 WHERE rand() < 0", "0");
    cases.check("SELECT count(*) FROM flt6 WHERE 1 = 0", "0");
    cases.check("SELECT count(*) FROM flt6 WHERE CAST(NULL AS BOOLEAN)", "0");
  }

  @Test
  @DisplayName("FLT-6 for functions of users, which Spark may compute beforehand or not")
  void functionWithoutColumns() {
    SparkSession spark = cases.sessionOver("flt6");
    UserDefinedFunction never =
        functions.udf((UDF1<Integer, Boolean>) value -> false, DataTypes.BooleanType);
    spark.udf().register("never", never);
    spark.udf().register("never_again", never.asNondeterministic());
    for (String predicate : List.of("never(1)", "never_again(1)")) {
      Row answer =
          spark
              .sql(
                  "SELECT (SELECT count(*) FROM flt6 WHERE %1$s), (SELECT max(a) FROM flt6 WHERE %1$s)"
                      .formatted(predicate))
              .head();
      assertEquals("0|null", Rows.show(answer), predicate);
    }
  }

  @Test
  @DisplayName("FLT-7: NaN and -0.0 survive filters and statistics")
  void notANumber() {
    cases.check("SELECT d FROM flt7 WHERE d > 5", "NaN");
    cases.check("SELECT d FROM flt7 WHERE d = double('NaN')", "NaN");
    cases.check("SELECT d FROM flt7 WHERE d = 0.0D", "-0.0");
    cases.check("SELECT count(*) FROM flt7 WHERE d >= 0.0D", "3");
    cases.check("SELECT max(d), count(d) FROM flt7", "NaN|3");
  }

  @Test
  @DisplayName("FLT-9: overflow and division by zero by Spark's mode")
  void arithmeticByMode() {
    cases.checkAnsiFails(
        "SELECT a FROM flt9 WHERE a + 1 > 0", Set.of("ARITHMETIC_OVERFLOW"), NO_ROWS);
    cases.checkAnsiFails(
        "SELECT a FROM flt9 WHERE a / 0 IS NULL", Set.of("DIVIDE_BY_ZERO"), "2147483647");
    cases.check("SELECT sum(a div 2) FROM flt9", "1073741823");
  }

  @Test
  @DisplayName("FLT-10: a condition that guards another one is not overtaken by it")
  void guardedCast() {
    cases.check("SELECT kind, s FROM flt10 WHERE kind = 'n' AND CAST(s AS INT) > 5", "n|7");
    cases.check("SELECT count(*) FROM flt10 WHERE kind = 'n' AND CAST(s AS INT) > 5", "1");
    cases.check("SELECT sum(CASE WHEN kind = 'n' THEN CAST(s AS INT) ELSE 0 END) FROM flt10", "7");
  }

  @Test
  @DisplayName("FLT-12: a column that only the filter uses")
  void columnOnlyInFilter() {
    cases.check("SELECT k FROM flt12 WHERE v = 'abc'", "k1");
    cases.check("SELECT count(*) FROM flt12 WHERE v = 'abc' AND c < 5", "1");
    cases.check("SELECT sum(c) FROM flt12 WHERE v LIKE 'ab%' GROUP BY k", "1", "2");
  }

  @Test
  @DisplayName("FLT-13: an alternative keeps its brackets beside another predicate")
  void alternativeInView() {
    String view = "WITH v AS (SELECT * FROM flt13 WHERE a = 1 OR a = 2) ";
    ThreeWays.Outcome outcome =
        cases.spread().check(view + "SELECT a, b FROM v WHERE b = 2", "2|2");
    assertTrue(outcome.plan().contains("(a = 1) OR (a = 2)"), outcome::plan);
  }

  @Test
  @DisplayName("FLT-14: a literal of each type")
  void literals() {
    for (String predicate :
        new String[] {
          "d = DATE '2016-01-01'",
          "p < 2.01",
          "x = -9223372036854775808",
          "b = X'00FF'",
          "f = 1e-7D",
          "g = FLOAT('1.1')",
          "t = 7Y",
          "s = 300S",
          "o",
          "o = true",
          "t > 0 AND s > 0",
          "p = 2",
          "d < TIMESTAMP '2016-01-01 12:00:00'",
        }) {
      cases.spread().check("SELECT p FROM flt14 WHERE " + predicate, "2.00");
    }
    cases.check("SELECT p FROM flt14 WHERE p > 2.00 AND NOT o AND b = X'00' AND g > 1.1F", "2.01");
  }

  @Test
  @DisplayName("FLT-15: an IN list of 100,000 literals")
  void hugeInList() {
    String list =
        IntStream.range(0, 100_000).mapToObj(Integer::toString).collect(Collectors.joining(","));
    ThreeWays.Outcome outcome =
        cases.spread().pushed("SELECT count(*) FROM flt15 WHERE id IN (" + list + ")");
    assertEquals(List.of("100"), outcome.rows().stream().map(Rows::show).toList());
    assertTrue(outcome.plan().contains("PushedAggregates: [COUNT(*)]"), outcome::plan);
  }

  @Test
  @DisplayName("FLT-15: IN and NOT IN of 200 literals, of a column with NULL")
  void longInList() {
    String list =
        IntStream.range(2, 202).mapToObj(Integer::toString).collect(Collectors.joining(","));
    ThreeWays.Outcome outcome =
        cases
            .spread()
            .check(
                ("SELECT 'in', id FROM flt1 WHERE b IN (%1$s)"
                        + " UNION ALL SELECT 'not in', id FROM flt1 WHERE b NOT IN (%1$s)"
                        + " UNION ALL SELECT 'null', id FROM flt1 WHERE b NOT IN (%1$s, NULL)"
                        + " UNION ALL SELECT 'or null', id FROM flt1 WHERE b IN (%1$s, NULL)")
                    .formatted(list),
                "in|3",
                "not in|2",
                "or null|3");
    assertTrue(outcome.plan().contains("NOT (b IN ("), outcome::plan);
  }

  @Test
  @DisplayName("STR-1: wildcards, escapes and quotes in strings")
  void wildcards() {
    cases.check("SELECT s FROM str1 WHERE startswith(s, 'a_')", "a_b");
    cases.check("SELECT s FROM str1 WHERE contains(s, '%')", "a%b");
    cases.check("SELECT s FROM str1 WHERE endswith(s, r'\\b')", "a\\b");
    cases.check("SELECT s FROM str1 WHERE s LIKE r'a\\_b'", "a_b");
    cases.check("SELECT s FROM str1 WHERE s LIKE 'a!_b' ESCAPE '!'", "a_b");
    cases.check("SELECT s FROM str1 WHERE s = \"it's\"", "it's");
    cases.check("SELECT count(*) FROM str1 WHERE s LIKE '%'", "8");
    cases.check("SELECT s FROM str1 WHERE s LIKE '日%'", "日本");
    cases.check("SELECT count(*) FROM str1 WHERE s = ''", "1");
    cases.check("SELECT s FROM str1 WHERE s > '日本'", "\uD83D\uDE00x");
    cases.check("SELECT min(s), max(s) FROM str1", "|\uD83D\uDE00x");
  }

  @Test
  @DisplayName("STR-3: CHAR(5) is padded, wherever the padding is stored")
  void paddedStrings() {
    SparkSession spark = LocalSpark.newSession();
    String options =
        cases.options("str3").entrySet().stream()
            .map(it -> it.getKey() + " '" + it.getValue() + "'")
            .collect(Collectors.joining(", "));
    spark.sql("CREATE TABLE padded (c CHAR(5)) USING tally OPTIONS (" + options + ")");
    try {
      assertEquals("2", Rows.show(spark.sql("SELECT count(*) FROM padded WHERE c = 'ab'").head()));
      assertEquals(
          List.of("ab   |2|5|true", "abc  |1|5|false"),
          spark
              .sql(
                  "SELECT c, count(*), max(length(c)), bool_and(c < 'abb') FROM padded"
                      + " WHERE c IN ('ab', 'abc') GROUP BY c ORDER BY c")
              .collectAsList()
              .stream()
              .map(Rows::show)
              .toList());
    } finally {
      spark.sql("DROP TABLE padded");
    }
  }

  @Test
  @DisplayName("PLN-2: a runtime filter that leaves nothing")
  void runtimeFilterLeavesNothing() {
    cases.check("SELECT f.p FROM f JOIN d ON f.p = d.p WHERE d.x = -1", NO_ROWS);
    cases.check("SELECT count(*) FROM f JOIN d ON f.p = d.p WHERE d.x = -1", "0");
  }

  @Test
  @DisplayName("PLN-3: a key that is on both nodes is joined and made distinct")
  void keyOnBothNodes() {
    cases.check("SELECT DISTINCT f.k FROM f JOIN d ON f.k = d.x", "1");
    cases.check("SELECT count(*) FROM f a JOIN f b ON a.k = b.k", "4");
  }

  @Test
  @DisplayName("PLN: equal scans of one query are told apart by what was pushed")
  void scansThatDiffer() {
    cases.check(
        "SELECT (SELECT count(*) FROM lim3 WHERE a < 3), (SELECT count(*) FROM lim3 WHERE a < 4),"
            + " (SELECT sum(a) FROM lim3 WHERE a < 4)",
        "3|4|6");
    cases.check(
        "SELECT count(*) FROM lim3 WHERE a < 3 UNION ALL SELECT count(*) FROM lim3 WHERE a < 3",
        "3",
        "3");
  }
}
