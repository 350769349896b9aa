package io.tally.tests;

import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A table of every type, with odd values, and one of odd column names. */
class NamesAndTypesTest {
  private static final String TYPES =
      """
      SELECT (%1$s)::BOOLEAN AS o, (%2$s)::TINYINT AS t, (%3$s)::SMALLINT AS s, (%4$s)::INTEGER AS i,
        (%5$s)::BIGINT AS l, (%6$s)::FLOAT AS f, (%7$s)::DOUBLE AS d, (%8$s)::DECIMAL(9,2) AS p9,
        (%9$s)::DECIMAL(18,4) AS p18, (%10$s)::DECIMAL(38,10) AS p38, (%11$s)::VARCHAR AS v,
        (%12$s)::BLOB AS b, (%13$s)::DATE AS day, (%14$s)::TIMESTAMP AS n, (%15$s)::TIMESTAMPTZ AS z,
        (%16$s)::INTEGER AS k""";

  private static final String NAMES =
      """
      SELECT %1$d::INT AS "a.b", %1$d::INT + 1 AS "x y", %1$d::INT + 2 AS "select",
        %1$d::INT + 3 AS "q""q", %1$d::INT + 4 AS "Имя", %1$d::INT + 5 AS "back`tick",
        %1$d::INT + 6 AS "UPPER", %1$d::INT + 7 AS "a0", %1$d::INT + 8 AS "it's"
      """;

  private static final String[] ORDERED_COLUMNS = {
    "o", "t", "s", "i", "l", "f", "d", "p9", "p18", "p38", "v", "b", "day", "n", "z"
  };

  private static Cases cases;

  @BeforeAll
  static void startNodes() {
    cases =
        new Cases.Builder()
            .table(
                "types",
                row(
                        "true",
                        "1",
                        "2",
                        "3",
                        "4",
                        "1.5",
                        "2.5",
                        "1.25",
                        "1.2345",
                        "1.0123456789",
                        "'ä€😀'",
                        "'\\x00\\xFF'",
                        "'2024-02-29'",
                        "'2024-02-29 12:34:56.789012'",
                        "'2024-02-29 12:34:56.789012+00'",
                        "1")
                    + " UNION ALL "
                    + row(
                        "false",
                        "-128",
                        "-32768",
                        "-2147483648",
                        "-9223372036854775808",
                        "'NaN'",
                        "'NaN'",
                        "-9999999.99",
                        "-99999999999999.9999",
                        "-9999999999999999999999999999.9999999999",
                        "''",
                        "''",
                        "'1582-10-15'",
                        "'1582-10-15 00:00:00'",
                        "'1582-10-15 00:00:00+00'",
                        "1")
                    + " UNION ALL "
                    + row(
                        "NULL", "NULL", "NULL", "NULL", "NULL", "NULL", "NULL", "NULL", "NULL",
                        "NULL", "NULL", "NULL", "NULL", "NULL", "NULL", "1"),
                row(
                        "true",
                        "127",
                        "32767",
                        "2147483647",
                        "9223372036854775807",
                        "'-0.0'",
                        "'-0.0'",
                        "9999999.99",
                        "99999999999999.9999",
                        "9999999999999999999999999999.9999999999",
                        "'z'",
                        "'\\xFF'",
                        "'9999-12-31'",
                        "'9999-12-31 23:59:59.999999'",
                        "'9999-12-31 23:59:59.999999+00'",
                        "2")
                    + " UNION ALL "
                    + row(
                        "false",
                        "0",
                        "0",
                        "0",
                        "0",
                        "'inf'",
                        "'-inf'",
                        "0",
                        "0",
                        "0",
                        "'Z'",
                        "'a'",
                        "'1969-12-31'",
                        "'1969-12-31 23:59:59.999999'",
                        "'1969-12-31 23:59:59.999999+00'",
                        "2"),
                row(
                    "NULL", "NULL", "NULL", "NULL", "NULL", "NULL", "NULL", "NULL", "NULL", "NULL",
                    "NULL", "NULL", "NULL", "NULL", "NULL", "NULL"))
            .table("names", NAMES.formatted(1), NAMES.formatted(2), NAMES.formatted(1))
            .start();
  }

  @AfterAll
  static void stopNodes() {
    if (cases != null) {
      cases.close();
    }
  }

  @ParameterizedTest
  @ValueSource(
      strings = {"o", "t", "s", "i", "l", "f", "d", "p9", "p18", "p38", "v", "b", "day", "n", "z"})
  void everyTypeIsFilteredAndGrouped(String column) {
    ThreeWays spread = cases.spread();
    spread.check(
        "SELECT %1$s, count(*), count(%1$s), min(k) FROM types GROUP BY %1$s".formatted(column));
    spread.check(
        "SELECT k, %1$s FROM types WHERE %1$s > (SELECT min(%1$s) FROM types)".formatted(column));
  }

  @Test
  void everyTypeIsReadComparedAndCounted() {
    cases.check("SELECT * FROM types");
    cases.check("SELECT * FROM types WHERE o IS NOT NULL AND z IS NOT NULL AND p38 IS NOT NULL");
    cases.check(
        "SELECT k, "
            + Stream.of(ORDERED_COLUMNS)
                .map("min(%1$s), max(%1$s), count(%1$s)"::formatted)
                .collect(Collectors.joining(", "))
            + " FROM types GROUP BY k");
  }

  @Test
  void everyNumberIsSummedAndAveraged() {
    String sums =
        Stream.of("t", "s", "i", "f", "d", "p9", "p18")
            .map("sum(%1$s), avg(%1$s)"::formatted)
            .collect(Collectors.joining(", "));
    cases.check("SELECT " + sums + " FROM types WHERE k = 2");
    cases.check("SELECT k, " + sums + " FROM types GROUP BY k");
  }

  @Test
  void sumsThatLeaveTheTypeOnTheWay() {
    cases.check("SELECT sum(p9), sum(p18), sum(t), sum(s), sum(i) FROM types", "1.25|1.2345|0|1|2");
    cases.check("SELECT sum(l) FROM types WHERE k = 2", "9223372036854775807");
    cases.check(
        "SELECT sum(p38) FROM types WHERE k = 2", "9999999999999999999999999999.9999999999");
  }

  @Test
  void timeZonesOfTheSessionMeetTimestamps() {
    ThreeWays losAngeles = cases.ways(Map.of("spark.sql.session.timeZone", "America/Los_Angeles"));
    for (String sql :
        new String[] {
          "SELECT k FROM types WHERE z >= TIMESTAMP '2024-02-29 04:00:00'",
          "SELECT k FROM types WHERE z = TIMESTAMP '1969-12-31 15:59:59.999999'",
          "SELECT k FROM types WHERE n = TIMESTAMP_NTZ '1969-12-31 23:59:59.999999'",
          "SELECT to_date(z), count(*) FROM types GROUP BY to_date(z)",
          "SELECT z, n, day FROM types",
          "SELECT z, count(*) FROM types GROUP BY z",
          "SELECT min(z), max(n) FROM types",
        }) {
      losAngeles.check(sql);
    }
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "`a.b`",
        "`x y`",
        "`select`",
        "`q\"q`",
        "`Имя`",
        "`back``tick`",
        "UPPER",
        "upper",
        "a0",
        "`it's`"
      })
  @DisplayName("NAM-1: odd names are names like any other")
  void oddNames(String name) {
    cases
        .spread()
        .check(
            "SELECT %1$s, sum(%1$s), min(%1$s), count(*) FROM names WHERE %1$s > 1 GROUP BY %1$s ORDER BY %1$s DESC LIMIT 2"
                .formatted(name));
  }

  @Test
  @DisplayName("NAM-1: all odd names at once")
  void allOddNames() {
    cases.check("SELECT * FROM names");
    cases.check("SELECT `it's`, `q\"q`, `a.b`, count(*) FROM names GROUP BY `a.b`, `q\"q`, `it's`");
  }

  private static String row(String... values) {
    return TYPES.formatted((Object[]) values);
  }
}
