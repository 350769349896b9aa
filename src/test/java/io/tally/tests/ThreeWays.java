package io.tally.tests;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.fail;

import io.tally.examples.quickstart.TallyScans;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Function;
import java.util.stream.Stream;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.SparkSession;

/**
 * Takes a query and answers it three ways: over the nodes with push-down, over the nodes without,
 * and by Spark alone over the same files. Hands on the first answer if all three are the same, and
 * fails otherwise. The tables are views of the same names in all three.
 */
final class ThreeWays {
  /**
   * A query's answer with push-down, and what the nodes did for it.
   *
   * @param pushing what was scanned with push-down
   * @param fetching what was scanned without
   */
  record Outcome(List<Row> rows, boolean ordered, TallyScans pushing, TallyScans fetching) {

    /** The plan's lines of the Tally scans. */
    String plan() {
      return String.join("\n", pushing.descriptions());
    }
  }

  /**
   * A table, in the cluster and in Spark's own reading.
   *
   * @param options of the data source, without push-down
   * @param plain how Spark reads the same rows without Tally
   */
  record Table(
      String name, Map<String, String> options, Function<SparkSession, Dataset<Row>> plain) {

    /** A table of the cluster whose rows are those of these Parquet files. */
    static Table parquet(TallyCluster cluster, String name, List<Path> files) {
      String[] paths = files.stream().map(Path::toString).toArray(String[]::new);
      return new Table(name, cluster.options(name), spark -> spark.read().parquet(paths));
    }

    /** The same rows, which the nodes hold under another name. */
    Table servedAs(String served) {
      Map<String, String> changed = new LinkedHashMap<>(options);
      changed.put("table", served);
      return new Table(name, changed, plain);
    }
  }

  private static final TallyScans NO_SCANS = new TallyScans(List.of(), 0, 0, 0);

  private final SparkSession pushing;
  private final SparkSession fetching;
  private final SparkSession plain;

  /** Tables that no query has named yet; each costs the nodes two questions. */
  private final List<Table> undefined;

  /** How much doubles may differ, in units in the last place. */
  private final long ulps;

  private ThreeWays(Map<String, String> settings, List<Table> tables) {
    this.pushing = LocalSpark.newSession(settings);
    this.fetching = LocalSpark.newSession(settings);
    this.plain = LocalSpark.newSession(settings);
    this.undefined = new ArrayList<>(tables);
    this.ulps = 0;
  }

  private ThreeWays(ThreeWays same, long ulps) {
    this.pushing = same.pushing;
    this.fetching = same.fetching;
    this.plain = same.plain;
    this.undefined = same.undefined;
    this.ulps = ulps;
  }

  /** Makes three sessions with the settings, and a view of each table as soon as it is named. */
  static ThreeWays over(Map<String, String> settings, List<Table> tables) {
    return new ThreeWays(settings, tables);
  }

  /**
   * The same ways, for queries that add up FLOAT or DOUBLE, or make variances and their kin.
   *
   * @param rows as many as are added up; see {@link Rows#ulpsOfSum}
   */
  ThreeWays addingUp(long rows) {
    return new ThreeWays(this, Rows.ulpsOfSum(rows));
  }

  private void defineTablesOf(String sql) {
    for (Table table : List.copyOf(undefined)) {
      if (sql.contains(table.name())) {
        undefined.remove(table);
        read(pushing, table, true).createOrReplaceTempView(table.name());
        read(fetching, table, false).createOrReplaceTempView(table.name());
        table.plain().apply(plain).createOrReplaceTempView(table.name());
      }
    }
  }

  /** Changes a setting of all three sessions. */
  void set(String setting, String value) {
    List.of(pushing, fetching, plain).forEach(session -> session.conf().set(setting, value));
  }

  /**
   * Runs the query three ways and compares types and rows, to the last bit; in order if the query
   * orders them.
   */
  Outcome check(String sql) {
    defineTablesOf(sql);
    Dataset<Row> pushed = pushing.sql(sql);
    Dataset<Row> fetched = fetching.sql(sql);
    Dataset<Row> expected = plain.sql(sql);
    boolean ordered = !expected.queryExecution().optimizedPlan().outputOrdering().isEmpty();
    List<Row> pushedRows = pushed.collectAsList();
    List<Row> fetchedRows = fetched.collectAsList();
    List<Row> expectedRows = expected.collectAsList();
    assertEquals(Answer.types(expected), Answer.types(pushed), "types with push-down: " + sql);
    assertEquals(Answer.types(expected), Answer.types(fetched), "types without push-down: " + sql);
    Outcome right = new Outcome(expectedRows, ordered, NO_SCANS, NO_SCANS);
    requireSame("without push-down", sql, fetched, fetchedRows, right, ulps);
    requireSame("with push-down", sql, pushed, pushedRows, right, ulps);
    return new Outcome(pushedRows, ordered, scans(pushed), scans(fetched));
  }

  /**
   * As {@link #check(String)}, and the right rows are known.
   *
   * @param expectedLines the rows, cells separated by bars; in any order if the query has none
   */
  Outcome check(String sql, String... expectedLines) {
    Outcome outcome = check(sql);
    Stream<String> lines = outcome.rows().stream().map(Rows::show);
    Stream<String> expected = Stream.of(expectedLines);
    assertEquals(
        (outcome.ordered() ? expected : expected.sorted()).toList(),
        (outcome.ordered() ? lines : lines.sorted()).toList(),
        sql);
    return outcome;
  }

  /** Runs the query with push-down alone, and compares with an answer that was checked before. */
  void checkPushed(String sql, Outcome checked) {
    defineTablesOf(sql);
    Dataset<Row> pushed = pushing.sql(sql);
    requireSame("with push-down", sql, pushed, pushed.collectAsList(), checked, ulps);
  }

  /** The query with push-down, planned with what the nodes are now, to be run later. */
  Dataset<Row> plan(String sql) {
    defineTablesOf(sql);
    Dataset<Row> planned = pushing.sql(sql);
    planned.queryExecution().executedPlan();
    return planned;
  }

  /** Compares what a query gave that was planned earlier. */
  static void checkPlanned(String sql, Dataset<Row> planned, List<Row> rows, Outcome checked) {
    requireSame("as planned before", sql, planned, rows, checked, 0);
  }

  /** The answer with push-down alone, for what would take too long three ways. */
  Outcome pushed(String sql) {
    defineTablesOf(sql);
    Dataset<Row> pushed = pushing.sql(sql);
    return new Outcome(pushed.collectAsList(), false, scans(pushed), NO_SCANS);
  }

  /**
   * Every way must fail with a condition of Spark.
   *
   * @param allowed such as {@code ARITHMETIC_OVERFLOW}; several where Spark itself gives one or the
   *     other, by where in the plan it meets the same value
   */
  void failsAlike(String sql, Set<String> allowed) {
    defineTablesOf(sql);
    for (SparkSession way : List.of(plain, fetching, pushing)) {
      Exception e = assertThrows(Exception.class, () -> way.sql(sql).collectAsList(), sql);
      List<String> conditions = Answer.conditions(e);
      if (Collections.disjoint(conditions, allowed)) {
        fail(sql + " fails with " + conditions + " instead of " + allowed, e);
      }
    }
  }

  private static Dataset<Row> read(SparkSession spark, Table table, boolean pushDown) {
    Map<String, String> options = new LinkedHashMap<>(table.options());
    options.put("push-down", Boolean.toString(pushDown));
    return spark.read().format("tally").options(options).load();
  }

  private static TallyScans scans(Dataset<Row> dataset) {
    return TallyScans.of(dataset.queryExecution().executedPlan());
  }

  private static void requireSame(
      String way, String sql, Dataset<Row> dataset, List<Row> rows, Outcome expected, long ulps) {
    if (!Rows.same(rows, expected.rows(), expected.ordered(), ulps)) {
      fail(
          "%s\ngives %s %s\nand expected is %s\nPlan:\n%s"
              .formatted(
                  sql,
                  way,
                  Rows.show(rows),
                  Rows.show(expected.rows()),
                  dataset.queryExecution().executedPlan()));
    }
  }
}
