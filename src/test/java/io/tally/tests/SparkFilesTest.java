package io.tally.tests;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.SparkSession;
import org.apache.spark.sql.functions;
import org.apache.spark.sql.types.Metadata;
import org.apache.spark.sql.types.MetadataBuilder;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Files that Spark wrote, with types that Parquet does not know: three ways, the third of which is
 * Spark over the same files. Each table has two partitions on two nodes.
 */
class SparkFilesTest {
  private static final String[] INTERVALS = {
    """
    SELECT * FROM VALUES
      (1, INTERVAL '1-2' YEAR TO MONTH, INTERVAL '3' YEAR, INTERVAL '4' MONTH,
        INTERVAL '5 10:11:12.123456' DAY TO SECOND, INTERVAL '7' HOUR, INTERVAL '-8' DAY),
      (1, INTERVAL '178956970-7' YEAR TO MONTH, INTERVAL '0' YEAR, INTERVAL '-1' MONTH,
        INTERVAL '106751991 04:00:54.775807' DAY TO SECOND, INTERVAL '0' HOUR, INTERVAL '0' DAY),
      (2, NULL, NULL, NULL, NULL, NULL, NULL)
      AS t(k, ym, y, m, ds, h, d)""",
    """
    SELECT * FROM VALUES
      (2, INTERVAL '-178956970-8' YEAR TO MONTH, INTERVAL '-3' YEAR, INTERVAL '11' MONTH,
        INTERVAL '-106751991 04:00:54.775808' DAY TO SECOND, INTERVAL '-7' HOUR, INTERVAL '8' DAY),
      (NULL, INTERVAL '1-2' YEAR TO MONTH, INTERVAL '3' YEAR, INTERVAL '4' MONTH,
        INTERVAL '5 10:11:12.123456' DAY TO SECOND, INTERVAL '7' HOUR, INTERVAL '-8' DAY)
      AS t(k, ym, y, m, ds, h, d)""",
  };

  private static final Set<String> OVERFLOW =
      Set.of(
          "INTERVAL_ARITHMETIC_OVERFLOW.WITH_SUGGESTION",
          "INTERVAL_ARITHMETIC_OVERFLOW.WITHOUT_SUGGESTION");

  private static final String[] INSIDE = {
    """
    SELECT 1 AS k, array(INTERVAL '1' MONTH, NULL) AS l,
      named_struct('d', INTERVAL '1' DAY, 'x y', 1) AS s, map('k', INTERVAL '2' YEAR) AS m""",
    """
    SELECT 2 AS k, array(INTERVAL '-5' MONTH) AS l, named_struct('d', INTERVAL '-2' DAY, 'x y', 2) AS s,
      map('z', CAST(NULL AS INTERVAL YEAR)) AS m
    UNION ALL SELECT 3, NULL, NULL, NULL
    UNION ALL SELECT 4, array(), named_struct('d', NULL, 'x y', NULL), map()""",
  };

  private static final String[] TEXTS = {
    "SELECT 1 AS k, 'ab' AS c, 'a ' AS v UNION ALL SELECT 2, 'b', 'b' UNION ALL SELECT 3, NULL, NULL",
    "SELECT 4 AS k, 'ab   ' AS c, 'a' AS v UNION ALL SELECT 5, '', ''",
  };

  private static final String[] COLLATED = {
    """
    SELECT 1 AS k, 'a' COLLATE UNICODE_CI AS c, array('x' COLLATE UTF8_LCASE) AS l,
      named_struct('f', 'q' COLLATE UNICODE) AS s, 'p' AS plain
    UNION ALL SELECT 2, 'B' COLLATE UNICODE_CI, array('X' COLLATE UTF8_LCASE),
      named_struct('f', 'Q' COLLATE UNICODE), 'P'""",
    """
    SELECT 3 AS k, 'A' COLLATE UNICODE_CI AS c, array('y' COLLATE UTF8_LCASE) AS l,
      named_struct('f', CAST(NULL AS STRING) COLLATE UNICODE) AS s, CAST(NULL AS STRING) AS plain""",
  };

  private static final String[] TIMES = {
    """
    SELECT 1 AS k, TIME'12:34:56.123456' AS t, array(TIME'00:00:00', NULL) AS l,
      CAST(TIME'01:02:03.5' AS TIME(1)) AS t1
    UNION ALL SELECT 2, NULL, NULL, NULL""",
    "SELECT 3 AS k, TIME'23:59:59.999999' AS t, array(TIME'00:00:01') AS l, TIME'00:00:00'::TIME(1) AS t1",
  };

  private static final String[] VARIANTS = {
    """
    SELECT 1 AS k, parse_json('{"a": 1, "b": [true, null, -1.5], "c": {"d": "é😀", "z": 1e100}}') AS v
    UNION ALL SELECT 2, NULL
    UNION ALL SELECT 4, parse_json('12345678901234567890.123456789')
    UNION ALL SELECT 5, parse_json('"a"')""",
    """
    SELECT 6 AS k, to_variant_object(named_struct('b', X'00FF', 'd', DATE'2024-02-29',
      'f', CAST(1.5 AS FLOAT), 'g', -0.0D, 'i', 9223372036854775807, 'n', TIMESTAMP_NTZ'2024-02-29 01:02:03.000004',
      's', CAST(3 AS SMALLINT), 't', TIMESTAMP'1969-12-31 23:59:59.999999')) AS v
    UNION ALL SELECT 7, parse_json('[]') UNION ALL SELECT 8, parse_json('{}')
    UNION ALL SELECT 9, parse_json('99999999999999999999999999999999999999')""",
  };

  private static final String NULL_INSIDE =
      "SELECT 1 AS k, parse_json('null') AS v UNION ALL SELECT 2, NULL";

  private static final Map<String, String> WITH_TIME = Map.of("spark.sql.timeType.enabled", "true");

  private static SparkFiles files;
  private static TallyCluster cluster;
  private static List<ThreeWays.Table> tables;

  @BeforeAll
  static void writeFilesAndStartNodes() {
    SparkSession spark = LocalSpark.newSession();
    files = new SparkFiles();
    Map<String, List<Path>> paths = new HashMap<>();
    if (SparkRelease.isAtLeast(1)) {
      paths.put("times", written(LocalSpark.newSession(WITH_TIME), TIMES));
    }
    paths.putAll(
        Map.of(
            "intervals", written(spark, INTERVALS),
            "inside", written(spark, INSIDE),
            "collated", written(spark, COLLATED),
            "variants", written(spark, VARIANTS),
            "null_inside", written(spark, new String[] {NULL_INSIDE, NULL_INSIDE}),
            "texts",
                List.of(TEXTS).stream()
                    .map(sql -> files.parquet(withLengths(spark.sql(sql))))
                    .toList()));
    cluster =
        TallyCluster.of(
            List.of(
                paths.entrySet().stream()
                    .map(it -> TableConfig.table(it.getKey()).parquet("a", it.getValue().get(0)))
                    .toList(),
                paths.entrySet().stream()
                    .map(it -> TableConfig.table(it.getKey()).parquet("b", it.getValue().get(1)))
                    .toList()));
    tables =
        paths.entrySet().stream()
            .map(it -> ThreeWays.Table.parquet(cluster, it.getKey(), it.getValue()))
            .toList();
  }

  private static List<Path> written(SparkSession spark, String[] queries) {
    return List.of(queries).stream().map(sql -> files.parquet(spark.sql(sql))).toList();
  }

  /** As Spark notes CHAR(5) and VARCHAR(3). */
  private static Dataset<Row> withLengths(Dataset<Row> rows) {
    return rows.select(
        functions.col("k"),
        functions.col("c").as("c", length("char(5)")),
        functions.col("v").as("v", length("varchar(3)")));
  }

  private static Metadata length(String type) {
    return new MetadataBuilder().putString("__CHAR_VARCHAR_TYPE_STRING", type).build();
  }

  @AfterAll
  static void stopNodes() {
    if (cluster != null) {
      cluster.close();
    }
    if (files != null) {
      files.close();
    }
  }

  private static void check(String sql) {
    ansi("true").check(sql);
    ansi("false").check(sql);
  }

  private static ThreeWays ansi(String enabled) {
    return ThreeWays.over(Map.of("spark.sql.ansi.enabled", enabled), tables);
  }

  @Test
  void intervalsAreRead() {
    check("SELECT * FROM intervals");
    check("SELECT * FROM inside");
    check("SELECT get(l, 0), s.d, m['k'], k FROM inside");
    ansi("false").check("SELECT l[0], k FROM inside WHERE l[0] < INTERVAL '0' MONTH", "P-5M|2");
    ansi("true").check("SELECT s.d, k FROM inside WHERE s.d > INTERVAL '0' DAY");
  }

  @ParameterizedTest
  @ValueSource(strings = {"ym", "y", "m", "ds", "h", "d"})
  void intervalsAreComparedAndGrouped(String column) {
    ThreeWays ways = ansi("true");
    ThreeWays.Outcome grouped =
        ways.check(
            "SELECT %1$s, count(*), count(%1$s), min(%1$s), max(k) FROM intervals GROUP BY %1$s"
                .formatted(column));
    assertTrue(grouped.plan().contains("PushedGroupBy: [" + column + "]"), grouped::plan);
    ThreeWays.Outcome extremes =
        ways.check("SELECT min(%1$s), max(%1$s) FROM intervals".formatted(column));
    assertTrue(extremes.plan().contains("MIN(" + column + ")"), extremes::plan);
    ways.check("SELECT k, min(%1$s) FROM intervals GROUP BY k".formatted(column));
    ways.check(
        "SELECT * FROM intervals WHERE %1$s <= (SELECT min(%1$s) FROM intervals WHERE k = 1)"
            .formatted(column));
    ways.check(
        "SELECT coalesce(%1$s, %1$s) FROM intervals WHERE %1$s IS NOT NULL".formatted(column));
  }

  @Test
  void intervalsAreAddedUp() {
    String sums = "sum(y), avg(y), sum(m), avg(m), sum(h), avg(h), sum(d), avg(d)";
    for (String ansi : List.of("true", "false")) {
      ThreeWays.Outcome all = ansi(ansi).check("SELECT " + sums + " FROM intervals");
      for (String column : List.of("y", "m", "h", "d")) {
        assertTrue(all.plan().contains("SUM(" + column + ")"), all::plan);
      }
      ansi(ansi).check("SELECT k, " + sums + ", try_sum(m), try_avg(h) FROM intervals GROUP BY k");
    }
    check("SELECT sum(DISTINCT m), sum(DISTINCT h) FROM intervals WHERE k = 2");
  }

  /** The largest month and the least cancel out, and neither may grow. */
  @Test
  void sumsOfIntervalsOverflowAsInSpark() {
    for (String ansi : List.of("true", "false")) {
      for (String column : List.of("ym", "ds")) {
        String sum = "SELECT %s(%s) FROM intervals WHERE k = %d";
        ansi(ansi).failsAlike(sum.formatted("sum", column, 1), OVERFLOW);
        ansi(ansi).failsAlike(sum.formatted("avg", column, 1), OVERFLOW);
        ansi(ansi).check(sum.formatted("try_sum", column, 1));
        ansi(ansi).check(sum.formatted("try_avg", column, 1));
        ansi(ansi).check(sum.formatted("sum", column, 2));
      }
    }
  }

  @Test
  void intervalsMeetLiterals() {
    ThreeWays.Outcome outcome =
        ansi("true")
            .check("SELECT k FROM intervals WHERE ym > INTERVAL '1' YEAR", "1", "1", "null");
    assertTrue(outcome.plan().contains("ym > INTERVAL '12' MONTH"), outcome::plan);
    check("SELECT k FROM intervals WHERE ds = INTERVAL '5 10:11:12.123456' DAY TO SECOND");
    check("SELECT k FROM intervals WHERE ds < INTERVAL '0' DAY OR h IN (INTERVAL '7' HOUR)");
    check("SELECT k FROM intervals WHERE y = INTERVAL '3' YEAR AND m > INTERVAL '0' MONTH");
    check("SELECT k FROM intervals WHERE y = INTERVAL '3-0' YEAR TO MONTH");
    check("SELECT k FROM intervals WHERE CAST(ym AS INTERVAL YEAR) = INTERVAL '1' YEAR");
    check("SELECT k FROM intervals WHERE d <=> INTERVAL '-8' DAY");
    check("SELECT sum(m), avg(h), sum(y) FROM intervals WHERE m > INTERVAL '-5' MONTH");
  }

  @Test
  void charAndVarcharAreWhatSparkMakesOfThem() {
    for (String padding : new String[] {"true", "false"}) {
      ThreeWays ways = ThreeWays.over(Map.of("spark.sql.readSideCharPadding", padding), tables);
      for (String sql :
          new String[] {
            "SELECT * FROM texts",
            "SELECT k, length(c), length(v) FROM texts",
            "SELECT k FROM texts WHERE c = 'ab'",
            "SELECT k FROM texts WHERE c = 'ab   '",
            "SELECT k FROM texts WHERE c IN ('ab', 'b')",
            "SELECT k FROM texts WHERE v = 'a'",
            "SELECT k FROM texts WHERE v <=> 'a '",
            "SELECT c, count(*) FROM texts GROUP BY c",
            "SELECT v, count(*), max(c) FROM texts GROUP BY v",
            "SELECT k FROM texts WHERE c = v",
          }) {
        ways.check(sql);
      }
    }
  }

  @Test
  void collatedStringsAreNotComparedByNodes() {
    for (String sql :
        new String[] {
          "SELECT * FROM collated",
          "SELECT k FROM collated WHERE c = 'a'",
          "SELECT c, count(*) FROM collated GROUP BY c",
          "SELECT min(c), max(c) FROM collated",
          "SELECT k FROM collated WHERE s.f = 'Q'",
          "SELECT k FROM collated WHERE l[0] = 'x'",
          "SELECT count(DISTINCT c) FROM collated",
          "SELECT k FROM collated WHERE c IN ('b', 'c')",
          "SELECT k FROM collated WHERE startswith(c, 'A')",
        }) {
      ThreeWays.Outcome outcome = ansi("false").check(sql);
      assertFalse(
          outcome.plan().matches("(?s).*Pushed\\w+: \\[[^]]*\\b(c ([=<>]|IN)|s\\.f =|l\\[0] =).*"),
          outcome::plan);
      assertFalse(outcome.plan().contains("PushedGroupBy"), outcome::plan);
    }
    assertCountedByNodes(ansi("true"), "collated", "s.f", "2|3");
    assertCountedByNodes(ansi("false"), "collated", "c", "3|3");
    ThreeWays.Outcome plain = ansi("true").check("SELECT k FROM collated WHERE plain = 'p'", "1");
    assertTrue(plain.plan().contains("plain = 'p'"), plain::plan);
  }

  /** Of any type they can say what is NULL. */
  private static void assertCountedByNodes(
      ThreeWays ways, String table, String column, String counts) {
    ThreeWays.Outcome all =
        ways.check("SELECT count(%s), count(*) FROM %s".formatted(column, table), counts);
    assertTrue(all.plan().contains("COUNT(" + column + ")"), all::plan);
    for (String test : List.of("IS NULL", "IS NOT NULL")) {
      ThreeWays.Outcome some =
          ways.check("SELECT count(*), max(k) FROM %s WHERE %s %s".formatted(table, column, test));
      assertTrue(some.plan().contains(column + " " + test), some::plan);
      assertTrue(some.plan().contains("PushedAggregates: [COUNT(*), MAX(k)]"), some::plan);
    }
  }

  @Test
  void timesAreReadWhereSparkHasThem() {
    SparkRelease.assumeAtLeast(1, "type TIME");
    ThreeWays ways = ThreeWays.over(WITH_TIME, tables);
    ways.check("SELECT * FROM times");
    ways.check("SELECT k FROM times WHERE t > TIME'13:00:00'", "3");
    ways.check("SELECT t1, count(*), max(t), min(t) FROM times GROUP BY t1");
    ways.check("SELECT k, get(l, 0) FROM times");
    assertCountedByNodes(ways, "times", "t", "2|3");
    SparkSession without = LocalSpark.newSession();
    Dataset<Row> times = without.read().format("tally").options(cluster.options("times")).load();
    assertEquals(3, times.select("k").collectAsList().size());
    Exception e = assertThrows(Exception.class, () -> times.select("t").collectAsList());
    assertTrue(e.getMessage().contains("spark.sql.timeType.enabled"), e::getMessage);
    assertTrue(e.getMessage().contains("\"t\""), e::getMessage);
  }

  @Test
  void variantsAreRead() {
    SparkRelease.assumeAtLeast(1, "mark for VARIANT in the files that it writes");
    check("SELECT k, v FROM variants");
    check("SELECT k, to_json(v), v IS NULL, is_variant_null(v) FROM variants");
    check("SELECT k, schema_of_variant(v) FROM variants");
    check(
        "SELECT k, variant_get(v, '$.c.d', 'string'), try_variant_get(v, '$.b[2]', 'double') FROM variants");
    assertCountedByNodes(ansi("true"), "variants", "v", "7|8");
    ansi("true").check("SELECT k FROM null_inside");
    Dataset<Row> rows =
        LocalSpark.newSession()
            .read()
            .format("tally")
            .options(cluster.options("null_inside"))
            .load();
    Exception e = assertThrows(Exception.class, () -> rows.select("v").collectAsList());
    assertTrue(e.getMessage().contains("a variant's null"), e::getMessage);
  }

  @Test
  void aCollationMayBeDeclared() {
    SparkSession spark = LocalSpark.newSession();
    Dataset<Row> declared =
        spark
            .read()
            .format("tally")
            .options(cluster.options("collated"))
            .schema("plain STRING COLLATE UNICODE_CI, k INT")
            .load();
    declared.createOrReplaceTempView("declared");
    assertEquals(2, spark.sql("SELECT k FROM declared WHERE plain = 'p'").collectAsList().size());
    assertEquals(
        2, spark.sql("SELECT plain, count(*) FROM declared GROUP BY plain").collectAsList().size());
  }
}
