package io.tally.server.scan;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.tally.rpc.TallyException;
import io.tally.rpc.v1.AggregateCall;
import io.tally.rpc.v1.Aggregation;
import io.tally.rpc.v1.ErrorCode;
import io.tally.rpc.v1.Open;
import io.tally.server.fixture.Wire;
import java.math.BigDecimal;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.LongStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** A node stops grouping where nearly every row is a group, and only where it may. */
@Timeout(120)
class RowByRowTest {
  /** So many rows that a node looks at its groups. */
  private static final int ROWS = 120_000;

  private static final List<AggregateCall> ALL_THAT_MERGE =
      List.of(
          Wire.aggregate("count_all"),
          Wire.aggregate("count", Wire.column("v")),
          Wire.aggregate("count", Wire.column("v"), Wire.column("f")),
          Wire.aggregate("sum", Wire.column("v")),
          Wire.aggregate("sum", Wire.column("f")),
          Wire.aggregate("sum", Wire.column("d")),
          Wire.aggregate("min", Wire.column("s")),
          Wire.aggregate("max", Wire.column("s")));

  private final ScanRunner runner = new ScanRunner();

  @AfterEach
  void close() {
    runner.close();
  }

  /** Keys are few in {@code few}, and in {@code most} nine of ten rows have one of their own. */
  private void serve() {
    runner.catalog.execute(
        """
        CREATE TABLE p AS SELECT CAST(range % 7 AS INTEGER) AS few,
          CASE WHEN range % 10 = 0 THEN NULL ELSE range END AS most,
          CASE WHEN range % 3 = 0 THEN NULL ELSE CAST(range % 100 AS INTEGER) END AS v,
          CASE WHEN range % 5 = 0 THEN NULL ELSE CAST(range % 8 AS FLOAT) / 4 END AS f,
          CAST(range % 50 AS DECIMAL(5, 2)) AS d,
          'text ' || (range % 13) AS s
        FROM range(%d)"""
            .replace("%d", "" + ROWS));
    runner.catalog.serve("t", "p");
  }

  private Open.Builder group(String key, boolean partial, List<AggregateCall> aggregates) {
    Aggregation.Builder aggregation =
        Wire.aggregation(List.of(Wire.column(key)), aggregates.toArray(AggregateCall[]::new))
            .toBuilder()
            .setPartial(partial);
    return Wire.open(runner.catalog, "t").setAggregation(aggregation);
  }

  private int rows(Open.Builder open) {
    return runner.run(open).rows().size();
  }

  private static long groupsOfMost() {
    return LongStream.range(0, ROWS).filter(i -> i % 10 != 0).count() + 1;
  }

  @Test
  void rowsAreSentWhereNearlyEachIsAGroup() {
    serve();

    assertEquals(ROWS, rows(group("most", true, ALL_THAT_MERGE)));
    assertEquals(7, rows(group("few", true, ALL_THAT_MERGE)));
  }

  @Test
  void rowsAddUpToTheGroups() {
    serve();

    var groups = runner.run(group("most", false, ALL_THAT_MERGE));
    var rows = runner.run(group("most", true, ALL_THAT_MERGE));

    assertEquals(groupsOfMost(), groups.rows().size());
    assertEquals(groups.schema(), rows.schema());
    assertEquals(merged(groups.rows()), merged(rows.rows()));
  }

  /**
   * By the rules of the protocol: counts and sums are added, of the others the least or greatest.
   */
  private static Map<Object, List<Object>> merged(List<List<Object>> rows) {
    Map<Object, List<Object>> groups = new HashMap<>();
    for (List<Object> row : rows) {
      groups.merge(String.valueOf(row.get(0)), row, RowByRowTest::merge);
    }
    return groups;
  }

  private static List<Object> merge(List<Object> one, List<Object> other) {
    List<Object> sum = new ArrayList<>(List.of(String.valueOf(one.get(0))));
    sum.set(0, one.get(0));
    for (int i = 1; i < one.size(); i++) {
      sum.add(
          one.get(i) == null || other.get(i) == null
              ? (one.get(i) == null ? other.get(i) : one.get(i))
              : merge(i, one.get(i), other.get(i)));
    }
    return sum;
  }

  private static Object merge(int column, Object one, Object other) {
    if (one instanceof Long a && other instanceof Long b) {
      return a + b;
    }
    if (one instanceof BigDecimal a && other instanceof BigDecimal b) {
      return a.add(b);
    }
    if (one instanceof Double a && other instanceof Double b) {
      return a + b;
    }
    int order = one.toString().compareTo(other.toString());
    boolean least = column == ALL_THAT_MERGE.size() - 1;
    return order < 0 == least ? one : other;
  }

  @Test
  void wholeGroupsAreSentToAClientThatDoesNotAddUp() {
    serve();
    List<AggregateCall> count = List.of(Wire.aggregate("count_all"));

    assertEquals(groupsOfMost(), rows(group("most", false, count)));
    assertEquals(
        groupsOfMost(),
        rows(group("most", true, List.of(Wire.aggregate("count_distinct", Wire.column("v"))))));
    assertEquals(
        groupsOfMost() - 5, rows(group("most", true, count).setOffset(5)), "of whole groups");
    assertEquals(10, rows(group("most", true, count).setLimit(10)));
  }

  @Test
  void aPredicateDecidesTogetherWithItsValues() {
    serve();
    ScanPlanner planner = new ScanPlanner(new ExpressionLimits(64, 10_000));
    var many = group("few", true, ALL_THAT_MERGE);
    many.setPredicate(Wire.call("ge", Wire.column("most"), Wire.bigint(0)));
    // One value of each of the keys is left.
    var one = group("few", true, ALL_THAT_MERGE);
    one.setPredicate(Wire.call("lt", Wire.column("most"), Wire.bigint(7)));

    for (int i = 0; i < 2; i++) {
      assertEquals(
          6, runner.run(planner.plan(one.build(), runner.catalog.table("t"))).rows().size());
      assertEquals(
          7, runner.run(planner.plan(many.build(), runner.catalog.table("t"))).rows().size());
    }
  }

  @Test
  void groupsThatDoNotFitIntoMemoryAreSpilled(@TempDir Path spill) {
    serve();
    limitMemory(spill, "1GB");

    assertEquals(groupsOfMost(), rows(group("most", false, ALL_THAT_MERGE)));
  }

  /** The last resort of a grouping that still looked worth it. */
  @Test
  void rowsAreSentWhereGroupsFitNeitherIntoMemoryNorOnTheDisk(@TempDir Path spill) {
    runner.catalog.serve(
        "t", "(SELECT (range // 2)::VARCHAR || repeat('x', 500) AS k FROM range(" + ROWS + "))");
    limitMemory(spill, "1MB");
    List<AggregateCall> count = List.of(Wire.aggregate("count_all"));

    assertEquals(ROWS, rows(group("k", true, count)));

    var error = assertThrows(TallyException.class, () -> rows(group("k", false, count)));
    assertEquals(ErrorCode.INTERNAL, error.code());
    assertTrue(error.getMessage().contains("memory"), error.getMessage());
  }

  private void limitMemory(Path spill, String disk) {
    runner.catalog.execute("SET GLOBAL temp_directory = '" + spill + "'");
    runner.catalog.execute("SET GLOBAL max_temp_directory_size = '" + disk + "'");
    runner.catalog.execute("SET GLOBAL threads = 1");
    runner.catalog.execute("SET GLOBAL memory_limit = '25MB'");
  }
}
