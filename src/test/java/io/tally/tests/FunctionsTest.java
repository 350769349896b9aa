package io.tally.tests;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.params.provider.Arguments.arguments;

import io.tally.rpc.ScalarFunction;
import java.io.IOException;
import java.nio.file.Files;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Each function that nodes evaluate gives what Spark gives, over values that programs differ in.
 */
class FunctionsTest {
  private static final String LOS_ANGELES = "America/Los_Angeles";

  private static Cases cases;
  private static ThreeWays ansi;
  private static ThreeWays notAnsi;

  @BeforeAll
  static void startNodes() {
    cases =
        new Cases.Builder()
            .table("fn", rows(0, 40), rows(40, 55), rows(55, 60))
            .table(
                "extremes",
                "SELECT 2147483647::INT AS i, 9223372036854775807::BIGINT AS big, DATE '9999-12-31' AS d,"
                    + " 1::INT AS z, '7' AS s, 99.9::DECIMAL(10,1) AS m",
                "SELECT (-2147483648)::INT AS i, (-9223372036854775808)::BIGINT AS big,"
                    + " make_date(2147483000) AS d, 0::INT AS z, 'x' AS s, 100.0::DECIMAL(10,1) AS m")
            .start();
    ansi = cases.ways(settings("true"));
    notAnsi = cases.ways(settings("false"));
  }

  /** Interpreted, because compiling takes longer than all else here. */
  private static Map<String, String> settings(String ansiEnabled) {
    return Map.of(
        "spark.sql.ansi.enabled", ansiEnabled,
        "spark.sql.session.timeZone", LOS_ANGELES,
        "spark.sql.codegen.wholeStage", "false",
        "spark.sql.codegen.factoryMode", "NO_CODEGEN",
        "spark.sql.shuffle.partitions", "1");
  }

  /** Rows whose values walk through lists of different lengths, so that they meet in many ways. */
  private static String rows(int from, int to) {
    return """
        SELECT id::BIGINT AS id,
          [NULL, 0, 1, -1, 7, -7, 100, 12345][id %% 8 + 1]::INT AS i,
          [3, NULL, -3, 0, 127, -128][id %% 6 + 1]::TINYINT AS t,
          [0, 1, -1, 30000, NULL][id %% 5 + 1]::SMALLINT AS sm,
          [0, -1, 4611686018427387904, 9007199254740993, NULL, -5][id %% 6 + 1]::BIGINT AS big,
          [0, 1.5, -1.5, 0.05, 99999999.99, -0.01, 2.50, NULL][id %% 8 + 1]::DECIMAL(10,2) AS m,
          [12345678.90, -0.01, NULL][id %% 3 + 1]::DECIMAL(30,2) AS wide,
          [0.0001, -12345.6789, NULL, 1][id %% 4 + 1]::DECIMAL(18,4) AS w,
          [0.5, -0.25, 1e308, 2, 'NaN', '-0.0', 0.0, 'Infinity', '-Infinity', NULL][id %% 10 + 1]::DOUBLE AS x,
          [1.1, 3.4e38, '-0.0', NULL, 'NaN'][id %% 5 + 1]::FLOAT AS f,
          ['', ' a ', 'abc', '\t tab', 'añ\uD83E\uDD26x', 'It''s', '100%%', NULL, 'ab_c\\d', '日本語'][id %% 10 + 1]::VARCHAR AS s,
          ['x', 'yz', NULL][id %% 3 + 1]::VARCHAR AS r,
          [DATE '1970-01-01', DATE '1969-12-31', DATE '2024-02-29', DATE '2026-01-04', DATE '2027-01-01',
            DATE '1582-10-10', DATE '0001-01-01', DATE '9999-12-31', NULL][id %% 9 + 1] AS d,
          [DATE '2000-01-01', DATE '2000-12-31'][id %% 2 + 1] AS e,
          [TIMESTAMPTZ '2024-01-01 08:00:00Z', TIMESTAMPTZ '1969-12-31 23:59:59.999999Z', TIMESTAMPTZ '2024-03-10 09:59:59.999999Z',
            TIMESTAMPTZ '2024-03-10 10:00:00Z', TIMESTAMPTZ '2024-11-03 08:59:59Z', TIMESTAMPTZ '1883-11-18 20:00:00Z',
            TIMESTAMPTZ '1883-11-18 12:00:00Z', NULL, TIMESTAMPTZ '2037-07-01 00:00:00Z'][id %% 9 + 1] AS ts,
          [TIMESTAMP '2024-03-10 02:30:00', TIMESTAMP '1969-12-31 23:59:59.5', NULL][id %% 3 + 1] AS n,
          [true, false, NULL][id %% 3 + 1] AS b
        FROM range(%d, %d) r(id)"""
        .formatted(from, to);
  }

  @AfterAll
  static void stopNodes() {
    if (cases != null) {
      cases.close();
    }
  }

  static Stream<Arguments> functions() {
    return Stream.of(
        arguments("eq", "s = r"),
        arguments("ne", "i <> t"),
        arguments("lt", "d < e"),
        arguments("le", "m <= w"),
        arguments("gt", "x > 0.5D"),
        arguments("ge", "ts >= TIMESTAMP '2024-01-01 00:00:00'"),
        arguments("eq_null_safe", "b <=> (i = 1)"),
        arguments("in", "i + 1 IN (1, 2, NULL)"),
        arguments("is_null", "(i = t) IS NULL"),
        arguments("is_not_null", "(s = r) IS NOT NULL"),
        arguments("and", "b AND i > 0"),
        arguments("or", "b OR i > 0"),
        arguments("not", "NOT (b AND i > 0)"),
        arguments("starts_with", "startswith(concat(s, r), 'abc')"),
        arguments("ends_with", "endswith(s, 'x')"),
        arguments("contains", "contains(s, 'b')"),
        arguments("coalesce", "coalesce(i, CAST(t AS INT), -99)"),
        arguments("greatest", "greatest(i, CAST(t AS INT), 5)"),
        arguments("greatest", "greatest(s, r)"),
        arguments("least", "least(m, 1.5BD, NULL)"),
        arguments("least", "least(d, e)"),
        arguments("case_when", "CASE WHEN b THEN i WHEN i > 5 THEN 1 ELSE -1 END"),
        arguments("case_when", "CASE WHEN i > 5 THEN s END"),
        arguments("case_when", "nullif(s, '')"),
        arguments("case_when", "if(b, x, 1D)"),
        arguments("case_when", "sign(x)"),
        arguments("case_when", "sign(m)"),
        arguments("cast", "CAST(t AS BIGINT)"),
        arguments("cast", "CAST(big AS DOUBLE)"),
        arguments("cast", "CAST(big AS FLOAT)"),
        arguments("cast", "CAST(big AS STRING)"),
        arguments("cast", "CAST(f AS DOUBLE)"),
        arguments("cast", "CAST(i AS SMALLINT)"),
        arguments("cast", "CAST(i AS DECIMAL(12,3))"),
        arguments("cast", "CAST(m AS DECIMAL(10,1))"),
        arguments("cast", "CAST(m AS DECIMAL(20,5))"),
        arguments("cast", "CAST(m AS BIGINT)"),
        arguments("cast", "CAST(m AS DOUBLE)"),
        arguments("cast", "CAST(m AS STRING)"),
        arguments("cast", "CAST(b AS INT)"),
        arguments("cast", "CAST(b AS STRING)"),
        arguments("cast", "CAST(i AS BOOLEAN)"),
        arguments("cast", "CAST(d AS STRING)"),
        arguments("cast", "CAST(d AS TIMESTAMP_NTZ)"),
        arguments("cast", "CAST(n AS DATE)"),
        arguments("cast", "CAST(ts AS DATE)"),
        arguments("to_local", "to_date(ts)"),
        arguments("to_local", "CAST(ts AS TIMESTAMP_NTZ)"),
        arguments("add", "i + 1"),
        arguments("add", "m + w"),
        arguments("add", "x + 1D"),
        arguments("add", "f + f"),
        arguments("subtract", "i - t"),
        arguments("subtract", "1 - m"),
        arguments("multiply", "i * sm"),
        arguments("multiply", "m * w"),
        arguments("multiply", "m * (1 - w)"),
        arguments("multiply", "wide * (1 - m) * (1 + m)"),
        arguments("add", "wide + CAST(i AS DECIMAL(38,0))"),
        arguments("multiply", "x * 10D"),
        arguments("multiply", "degrees(x)"),
        arguments("multiply", "radians(x)"),
        arguments("divide", "x / 3D"),
        arguments("divide", "i / 4"),
        arguments("remainder", "i % 4"),
        arguments("remainder", "big % -1L"),
        arguments("remainder", "x % 0.3D"),
        arguments("negate", "-i"),
        arguments("negate", "-m"),
        arguments("negate", "-x"),
        arguments("abs", "abs(i)"),
        arguments("abs", "abs(m)"),
        arguments("abs", "abs(x)"),
        arguments("bit_and", "i & 6"),
        arguments("bit_or", "big | 1L"),
        arguments("bit_xor", "t ^ CAST(3 AS TINYINT)"),
        arguments("bit_not", "~i"),
        arguments("sqrt", "sqrt(x)"),
        arguments("floor", "floor(m)"),
        arguments("ceil", "ceil(w)"),
        arguments("round", "round(m, 1)"),
        arguments("round", "round(w, 0)"),
        arguments("char_length", "length(s)"),
        arguments("bit_length", "bit_length(s)"),
        arguments("substring", "substring(s, 2, 3)"),
        arguments("substring", "substring(s, 0, 2)"),
        arguments("substring", "substring(s, 3)"),
        arguments("substring", "substring(s, 2, -1)"),
        arguments("substring", "left(s, 2)"),
        arguments("right", "substring(s, -2)"),
        arguments("concat", "concat(s, '-', r)"),
        arguments("concat", "s || s"),
        arguments("concat", "overlay(s PLACING '日' FROM 2)"),
        arguments("concat", "overlay(s PLACING r FROM 1 FOR 3)"),
        arguments("concat", "overlay(s PLACING r FROM 3 FOR 0)"),
        arguments("translate", "translate(s, 'abñ', 'xy')"),
        arguments("trim", "trim(s)"),
        arguments("trim", "trim(BOTH 'ac' FROM s)"),
        arguments("ltrim", "ltrim(s)"),
        arguments("rtrim", "rtrim('c ', s)"),
        arguments("lpad", "lpad(s, 5, 'xy')"),
        arguments("lpad", "lpad(s, 2)"),
        arguments("rpad", "rpad(s, 5, '日')"),
        arguments("md5", "md5(CAST(s AS BINARY))"),
        arguments("sha1", "sha1(CAST(s AS BINARY))"),
        arguments("sha256", "sha2(CAST(s AS BINARY), 256)"),
        arguments("sha256", "sha2(CAST(r AS BINARY), 0)"),
        arguments("date_add", "date_add(e, i)"),
        arguments("date_add", "date_add(e, 30)"),
        arguments("date_diff", "datediff(d, e)"),
        arguments("truncate_date", "trunc(d, 'QUARTER')"),
        arguments("truncate_date", "trunc(d, 'week')"),
        arguments("truncate_date", "trunc(d, 'MM')"),
        arguments("truncate_date", "trunc(d, 'yy')"),
        arguments("truncate_date", "trunc(ts, 'MM')"),
        arguments("year", "year(d)"),
        arguments("year", "year(ts)"),
        arguments("quarter", "quarter(d)"),
        arguments("month", "month(d)"),
        arguments("day", "day(d)"),
        arguments("day_of_year", "dayofyear(d)"),
        arguments("iso_day_of_week", "dayofweek(d)"),
        arguments("iso_day_of_week", "weekday(d)"),
        arguments("iso_week", "weekofyear(d)"),
        arguments("iso_year", "extract(YEAROFWEEK FROM d)"),
        arguments("hour", "hour(ts)"),
        arguments("hour", "hour(n)"),
        arguments("minute", "minute(ts)"),
        arguments("second", "second(ts)"),
        arguments("second", "second(n)"));
  }

  @ParameterizedTest
  @MethodSource("functions")
  void isEqualToSparks(String function, String expression) {
    String sql =
        "SELECT %s AS k, count(*) AS c, min(id) AS least FROM fn GROUP BY 1".formatted(expression);
    ThreeWays.Outcome outcome = ansi.check(sql);
    notAnsi.checkPushed(sql, outcome);
    assertTrue(outcome.plan().contains("PushedGroupBy"), () -> expression + ": " + outcome.plan());
  }

  @Test
  void eachHasACase() {
    Set<String> covered =
        functions().map(each -> (String) each.get()[0]).collect(Collectors.toSet());
    assertEquals(
        Arrays.stream(ScalarFunction.values())
            .map(ScalarFunction::wireName)
            .collect(Collectors.toSet()),
        covered);
  }

  /** The rest of that table belongs to the tests of nodes. */
  @Test
  void casesAreDocumented() throws IOException {
    String page = Files.readString(Home.root().resolve("docs/correctness.md"));
    String begin = "<!-- rendered functions -->\n";
    int from = page.indexOf(begin) + begin.length();
    List<String> lines =
        page.substring(from, page.indexOf("\n<!-- end -->", from)).lines().skip(2).toList();
    List<String> expected = new ArrayList<>();
    for (ScalarFunction function : ScalarFunction.values()) {
      String asked =
          functions()
              .filter(each -> each.get()[0].equals(function.wireName()))
              .map(each -> "`" + each.get()[1] + "`")
              .collect(Collectors.joining(", "));
      expected.add(asked.replace("|", "\\|") + " |");
    }
    assertEquals(
        String.join("\n", expected),
        lines.stream()
            .map(line -> line.substring(line.lastIndexOf(" | ") + 3))
            .collect(Collectors.joining("\n")));
  }

  @Test
  void whatMayOverflowIsLeftToSpark() {
    Map<String, String> failures =
        Map.of(
            "count(*) FROM extremes WHERE i + 1 > 0", "ARITHMETIC_OVERFLOW",
            "-big, count(*) FROM extremes GROUP BY 1", "ARITHMETIC_OVERFLOW",
            "sum(CAST(i AS SMALLINT)) FROM extremes", "CAST_OVERFLOW",
            "count(*) FROM extremes WHERE CAST(m AS DECIMAL(3,1)) > 0",
                "NUMERIC_VALUE_OUT_OF_RANGE.WITH_SUGGESTION",
            "CAST(s AS INT), count(*) FROM extremes GROUP BY 1", "CAST_INVALID_INPUT",
            "avg(10 / z) FROM extremes", "DIVIDE_BY_ZERO",
            "max(i % z) FROM extremes WHERE i > 7 % z",
                SparkRelease.isAtLeast(1) ? "REMAINDER_BY_ZERO" : "DIVIDE_BY_ZERO");
    failures.forEach((query, condition) -> ansi.failsAlike("SELECT " + query, Set.of(condition)));
    String all =
        "SELECT sum(%s), max(%s), sum(%s), max(%s), sum(%s), min(%s), count(%s) FROM extremes";
    notAnsi.check(
        all.formatted(
            "i + 1",
            "-big",
            "CAST(i AS SMALLINT)",
            "CAST(m AS DECIMAL(3,1))",
            "CAST(s AS INT)",
            "10 / z",
            "i % z"));
    ansi.check(
        all.formatted(
            "try_add(i, 1)",
            "try_subtract(0L, big)",
            "try_cast(i AS SMALLINT)",
            "try_cast(m AS DECIMAL(3,1))",
            "try_cast(s AS INT)",
            "try_divide(10, z)",
            "try_mod(i, z)"));
    ThreeWays.Outcome outcome =
        ansi.check("SELECT year(d) AS y, count(*) AS c FROM extremes GROUP BY 1");
    assertFalse(outcome.plan().contains("PushedGroupBy"), outcome::plan);
    assertTrue(outcome.plan().contains("statistics do not prove"), outcome::plan);
  }

  @Test
  void whatSparkCannotWriteDownIsLeftToIt() {
    ansi.check("SELECT count(*) FROM fn WHERE endswith(s, r)");
    ansi.check("SELECT endswith(s, r) AS k, count(*) FROM fn GROUP BY 1");
  }

  @Test
  void argumentsOfAggregatesAreEvaluatedToo() {
    ThreeWays.Outcome outcome =
        ansi.check(
            "SELECT b, sum(m * (1 - w)) AS s, avg(i + 1) AS a, max(concat(s, r)) AS t,"
                + " sum(CASE WHEN i > 0 THEN 1 ELSE 0 END) AS c FROM fn WHERE i % 2 = 0 OR i IS NULL"
                + " GROUP BY b ORDER BY b");
    assertTrue(outcome.plan().contains("SUM("), outcome::plan);
  }

  @Test
  void partitionsAreLeftOutByComputedValues() {
    ThreeWays.Outcome outcome = ansi.check("SELECT count(*) FROM fn WHERE id + 1 > 58");
    assertTrue(outcome.plan().contains("Partitions: 1 of 3"), outcome::plan);
  }
}
