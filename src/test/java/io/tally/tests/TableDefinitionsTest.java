package io.tally.tests;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.tally.rpc.TallyException;
import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.util.List;
import java.util.Map;
import java.util.jar.JarFile;
import java.util.stream.Collectors;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.SaveMode;
import org.apache.spark.sql.SparkSession;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

/** Every way in which a user can name a Tally table, and the jar that answers to the name. */
@ExtendWith(FlightsCluster.class)
class TableDefinitionsTest {
  private static final String QUERY =
      "SELECT origin, count(*) FROM %s WHERE origin IN ('ORD', 'SEA') GROUP BY origin";

  private static final List<String> ANSWER = List.of("ORD|166341", "SEA|50231");

  @Test
  void theDataSourceComesFromTheShadedJar() throws Exception {
    Class<?> source = Class.forName("io.tally.spark.TallyDataSource");
    File jar = new File(source.getProtectionDomain().getCodeSource().getLocation().toURI());
    assertTrue(jar.getName().matches("tally-connector-.*\\.jar"), jar.toString());
    try (JarFile content = new JarFile(jar)) {
      assertEquals(List.of(), entries(content, "io/grpc/"));
      assertEquals(List.of(), entries(content, "com/google/"));
      assertEquals(List.of(), entries(content, "io/netty/"));
      assertEquals(List.of(), entries(content, "org/apache/"));
      assertFalse(
          content.stream().noneMatch(it -> it.getName().endsWith("grpc/ManagedChannel.class")),
          "gRPC is inside, under another name");
    }
  }

  /** Spark's own launcher sets them; only Spark 4.2 starts without, inside of another program. */
  @Test
  @DisplayName("PKG-2: rows arrive in a JVM without the flags that open java.nio to Arrow")
  void aJvmWithoutFlags(TallyCluster cluster) throws IOException {
    SparkRelease.assumeAtLeast(2, "Arrow that does without the flags, and does not start without");
    String classes = Home.target().resolve("test-classes").toString();
    String jars = Files.readString(Home.target().resolve("classpath.txt")).strip();
    try (ScriptRun run =
        new ScriptRun(
            "java",
            "-XX:TieredStopAtLevel=1",
            "-cp",
            classes + File.pathSeparator + jars,
            WireClient.class.getName(),
            cluster.node(0).address(),
            "airports",
            "iata")) {
      assertEquals(0, run.awaitExit(), () -> run.output() + run.errors());
      assertEquals(List.of("3376"), run.lines());
    }
  }

  @Test
  void createTable(TallyCluster cluster) {
    SparkSession spark = LocalSpark.newSession();
    spark.sql("CREATE TABLE flights_of_ddl USING tally " + options(cluster));
    try {
      assertEquals(ANSWER, sorted(spark.sql(QUERY.formatted("flights_of_ddl"))));
      assertEquals(ANSWER, sorted(LocalSpark.newSession().sql(QUERY.formatted("flights_of_ddl"))));
    } finally {
      spark.sql("DROP TABLE flights_of_ddl");
    }
  }

  @Test
  void createTemporaryView(TallyCluster cluster) {
    SparkSession spark = LocalSpark.newSession();
    spark.sql("CREATE TEMPORARY VIEW f USING tally " + options(cluster));
    assertEquals(ANSWER, sorted(spark.sql(QUERY.formatted("f"))));
    spark.sql("CREATE TEMPORARY VIEW northwest AS SELECT * FROM f WHERE origin IN ('SEA', 'PDX')");
    assertEquals(List.of("SEA|50231"), sorted(spark.sql(QUERY.formatted("northwest"))));
  }

  @Test
  void dataFrame(TallyCluster cluster) {
    Dataset<Row> flights =
        LocalSpark.newSession().read().format("tally").options(cluster.options("flights")).load();
    assertEquals(3_000_000, flights.count());
    assertEquals(
        List.of("date", "delay", "distance", "origin", "destination"), List.of(flights.columns()));
  }

  @Test
  void sessionSettings(TallyCluster cluster) {
    SparkSession spark =
        LocalSpark.newSession(Map.of("spark.datasource.tally.endpoints", cluster.endpoints()));
    Dataset<Row> flights = spark.read().format("tally").option("table", "flights").load();
    assertEquals(3_000_000, flights.count());
  }

  @Test
  void anOptionWinsOverTheSession(TallyCluster cluster) {
    SparkSession spark =
        LocalSpark.newSession(Map.of("spark.datasource.tally.endpoints", "127.0.0.1:1"));
    Dataset<Row> flights = spark.read().format("tally").options(cluster.options("flights")).load();
    assertEquals(3_000_000, flights.count());
  }

  @Test
  void aSchemaThatTheUserGivesRightly(TallyCluster cluster) {
    SparkSession spark = LocalSpark.newSession();
    spark.sql(
        "CREATE TEMPORARY VIEW f (date TIMESTAMP_NTZ, delay BIGINT, distance BIGINT,"
            + " origin STRING, destination STRING) USING tally "
            + options(cluster));
    assertEquals(ANSWER, sorted(spark.sql(QUERY.formatted("f"))));
  }

  /** Not only when it is read: nobody is to keep a view or a table that cannot be. */
  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "CREATE TEMPORARY VIEW | delay STRING  | Column \"delay\" of table \"flights\" was declared as STRING, but the nodes have it as BIGINT",
        "CREATE TABLE          | delay STRING  | Column \"delay\" of table \"flights\" was declared as STRING, but the nodes have it as BIGINT",
        "CREATE TEMPORARY VIEW | delays BIGINT | Column \"delays\" was declared for table \"flights\", but the nodes have no such column; did you mean \"delay\"?",
        "CREATE TABLE          | delays BIGINT | Column \"delays\" was declared for table \"flights\", but the nodes have no such column; did you mean \"delay\"?",
      })
  void aSchemaThatTheUserGivesWronglyFailsAtOnce(
      String create, String column, String message, TallyCluster cluster) {
    SparkSession spark = LocalSpark.newSession();
    String definition =
        create + " wrong_schema (origin STRING, " + column + ") USING tally " + options(cluster);
    TallyException e = assertThrows(TallyException.class, () -> spark.sql(definition));
    assertTrue(e.getMessage().startsWith(message), e.getMessage());
    assertFalse(spark.catalog().tableExists("wrong_schema"));
  }

  /** What is defined in a catalog outlives the nodes, and the columns that they had. */
  @Test
  void aTableThatNobodyServesAnyMoreIsDroppedAndNotRead() {
    SparkSession spark = LocalSpark.newSession();
    try (TallyCluster cluster =
        TallyCluster.of(
            List.of(List.of(TableConfig.table("airports").csv("all", Home.airports()))))) {
      spark.sql(
          "CREATE TABLE orphan USING tally OPTIONS (endpoints '%s', table 'airports')"
              .formatted(cluster.endpoints()));
    }
    TallyException e =
        assertThrows(
            TallyException.class, () -> spark.sql("SELECT count(*) FROM orphan").collectAsList());
    assertTrue(e.getMessage().startsWith("Cannot reach node 127.0.0.1:"), e.getMessage());
    assertEquals("iata|string|null", Rows.show(spark.sql("DESCRIBE orphan").first()));
    assertTrue(
        spark.sql("DESCRIBE EXTENDED orphan").collectAsList().toString().contains("table=airports"),
        "what to correct can be seen");
    spark.sql("DROP TABLE orphan");
    assertFalse(spark.catalog().tableExists("orphan"));
  }

  /** What SHOW CREATE TABLE gives makes the same table again. */
  @Test
  void aDefinitionThatWasChangedIsShownAsItIsNow(TallyCluster cluster) {
    SparkSession spark = LocalSpark.newSession();
    spark.sql("CREATE TABLE changed USING tally " + options(cluster));
    try {
      spark.sql(
          "ALTER TABLE changed SET TBLPROPERTIES ('table' = 'airports', 'push-down' = 'false')");
      spark.sql("ALTER TABLE changed REPLACE COLUMNS (iata STRING)");
      String shown = spark.sql("SHOW CREATE TABLE changed").first().getString(0);
      spark.sql("DROP TABLE changed");
      spark.sql(shown);
      assertEquals(shown, spark.sql("SHOW CREATE TABLE changed").first().getString(0));
      assertEquals(3_376, spark.table("changed").count());
      spark.sql("ALTER TABLE changed UNSET TBLPROPERTIES ('table')");
      assertFalse(
          spark.sql("SHOW CREATE TABLE changed").first().getString(0).contains("'airports'"));
      spark.sql(
          "ALTER TABLE changed SET TBLPROPERTIES ('table' = 'airports', 'Table' = 'flights')");
      TallyException e =
          assertThrows(TallyException.class, () -> spark.table("changed").collectAsList());
      assertTrue(e.getMessage().contains("\"table\" is given twice"), e.getMessage());
    } finally {
      spark.sql("DROP TABLE IF EXISTS changed");
    }
  }

  /** Spark gives the copy a folder, as tables of files have. */
  @Test
  void createTableLikeOneOfFiles(TallyCluster cluster) {
    SparkSession spark = LocalSpark.newSession();
    spark.sql("CREATE TABLE of_files (origin STRING, delay BIGINT) USING parquet");
    try {
      spark.sql(
          "CREATE TABLE alike LIKE of_files USING tally"
              + " TBLPROPERTIES (endpoints = '%s', table = 'flights')"
                  .formatted(cluster.endpoints()));
      assertEquals(ANSWER, sorted(spark.sql(QUERY.formatted("alike"))));
    } finally {
      spark.sql("DROP TABLE IF EXISTS alike");
      spark.sql("DROP TABLE of_files");
    }
  }

  @ParameterizedTest
  @EnumSource(SaveMode.class)
  void writingIsRefusedInASentence(SaveMode mode, TallyCluster cluster) {
    TallyException e =
        assertThrows(
            TallyException.class,
            () ->
                LocalSpark.newSession()
                    .range(1)
                    .write()
                    .format("tally")
                    .options(cluster.options("flights"))
                    .mode(mode)
                    .save());
    assertTrue(e.getMessage().startsWith("Tables of tally are read-only."), e.getMessage());
  }

  @Test
  void explainShowsWhatIsPushed(TallyCluster cluster) {
    assertEquals(
        "tally flights"
            + " PushedPredicates: [delay IS NOT NULL, date IS NOT NULL, delay > 5,"
            + " date >= TIMESTAMP_NTZ '2001-03-01T00:00'],"
            + " PushedAggregates: [COUNT(*), SUM(delay)], PushedGroupBy: [origin] (partial),"
            + " Partitions: 4 of 6, Streams: 2",
        explained(
            cluster,
            "SELECT origin, count(*), sum(delay) FROM f"
                + " WHERE delay > 5 AND date >= TIMESTAMP_NTZ '2001-03-01 00:00:00'"
                + " GROUP BY origin"));
  }

  @Test
  void explainShowsWhatIsNotPushedAndWhy(TallyCluster cluster) {
    assertEquals(
        "tally flights"
            + " PushedPredicates: [delay IS NOT NULL, delay > 5],"
            + " Partitions: 6 of 6, Streams: 5,"
            + " NotPushed: [LN(CAST(delay AS double)) > 3.0: Java and the node's engine may differ"
            + " in the last digit of it]",
        explained(
            cluster,
            "SELECT origin, count(*) FROM f WHERE delay > 5 AND ln(delay) > 3 GROUP BY origin"));
  }

  /** What the data source says of its scan, without what Spark puts around it. */
  private static String explained(TallyCluster cluster, String sql) {
    SparkSession spark = LocalSpark.newSession();
    spark.sql("CREATE TEMPORARY VIEW f USING tally " + options(cluster));
    String plan = spark.sql("EXPLAIN " + sql).head().getString(0);
    return plan.lines()
        .filter(line -> line.contains("BatchScan"))
        .map(line -> line.replaceFirst(".*?(?=tally flights)", ""))
        .map(line -> line.replaceFirst(" RuntimeFilters.*", ""))
        .collect(Collectors.joining("\n"));
  }

  private static String options(TallyCluster cluster) {
    return "OPTIONS (endpoints '%s', table 'flights')".formatted(cluster.endpoints());
  }

  private static List<String> sorted(Dataset<Row> rows) {
    return rows.collectAsList().stream().map(Rows::show).sorted().toList();
  }

  private static List<String> entries(JarFile jar, String prefix) throws IOException {
    return jar.stream()
        .map(it -> it.getName())
        .filter(it -> it.startsWith(prefix) && it.endsWith(".class"))
        .limit(5)
        .toList();
  }
}
