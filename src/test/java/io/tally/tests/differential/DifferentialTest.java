package io.tally.tests.differential;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.tally.tests.LocalSpark;
import io.tally.tests.Rows;
import io.tally.tests.ScratchFolder;
import io.tally.tests.ScriptRun;
import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.stream.Stream;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.RowFactory;
import org.apache.spark.sql.SparkSession;
import org.junit.jupiter.api.Test;

/** Generated queries over generated tables give the same answers in all ways. */
class DifferentialTest {
  private static final int QUERIES = 70;
  private static final int QUERIES_OF_THE_COMMAND = 30;

  @Test
  void allAnswersAreTheSame() {
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    PrintStream out = new PrintStream(bytes, true, StandardCharsets.UTF_8);
    Totals totals = Differential.run(1, 0, QUERIES, out);
    String report = bytes.toString(StandardCharsets.UTF_8);
    assertEquals(0, totals.failed(), report);
    assertEquals(QUERIES, totals.queries(), report);
    assertTrue(totals.errors() < QUERIES / 5, totals.pushDown() + report);
    assertTrue(totals.wholly() > QUERIES / 20, totals.pushDown() + report);
  }

  @Test
  void aMistakeIsFoundAndShrunk() {
    Column number = new Column("c0", Type.of(Kind.INT), List.of(1, 2, 3), true);
    WorldSpec truth = world(number, List.of(List.of(List.of(1)), List.of(List.of(2), List.of(3))));
    WorldSpec lie = world(number, List.of(List.of(List.of(1)), List.of(List.of(2))));
    Expr column = Expr.leaf(Kind.INT, "t.c0");
    Expr sum = ExpressionGenerator.infix(Kind.INT, column, "+", Expr.leaf(Kind.INT, "1"));
    Query query =
        Query.of(List.of(Item.of(sum), Item.of(column)), new Source.Table("t0", "t", ""))
            .withWhere(List.of(Expr.of(Kind.BOOLEAN, "(", sum, " > 0)")))
            .withEnd(
                List.of(new Query.OrderKey(0, sum, " DESC")),
                OptionalInt.of(9),
                OptionalInt.empty());
    try (Worlds worlds = Worlds.start(List.of(truth, lie));
        Check check = new Check()) {
      assertEquals(Optional.empty(), check.run(worlds.get(0), query).difference());
      World lying = worlds.lying(0, 1);
      Check.Result result = check.run(lying, query);
      assertEquals(Optional.of("FETCHING has 2 rows instead of 3"), result.difference());
      Query smallest =
          new Shrinker(check).smallest(lying, query, result.difference().orElseThrow());
      assertEquals("SELECT t.c0 AS r0 FROM t0 t", smallest.sql());
      String text = Reproduction.of(truth, smallest, result, "again");
      assertTrue(text.contains("-- partition 1: 2 rows\nINSERT INTO t0 VALUES\n  ((2)),"), text);
      assertEquals(List.of("1", "2", "3"), answeredBySparkAlone(text).stream().sorted().toList());
    }
  }

  /** Runs a reproduction statement by statement; gives the rows of the query. */
  private static List<String> answeredBySparkAlone(String reproduction) {
    List<String> answer = new ArrayList<>();
    SparkSession spark = LocalSpark.newSession(Map.of());
    try (ScratchFolder folder = new ScratchFolder("reproduction")) {
      spark.sql("CREATE DATABASE reproduction LOCATION '" + folder.path() + "/tables'");
      spark.sql("USE reproduction");
      for (String statement : reproduction.replaceAll("(?m)^--.*\n", "").split(";\n", -1)) {
        if (!statement.isBlank()) {
          spark.sql(statement).collectAsList().forEach(row -> answer.add(Rows.show(row)));
        }
      }
      spark.sql("DROP DATABASE reproduction");
    }
    return answer;
  }

  @Test
  void aReproductionTellsWhichRowsItLeavesOut() {
    List<List<Object>> rows = Collections.nCopies(Reproduction.MOST_ROWS + 2, List.of(1));
    Column number = new Column("c0", Type.of(Kind.INT), List.of(1), true);
    Query query =
        Query.of(List.of(Item.of(Expr.leaf(Kind.INT, "t.c0"))), new Source.Table("t0", "t", ""));
    String text =
        Reproduction.of(
            world(number, List.of(rows)),
            query,
            new Check.Result(Map.of(), Optional.of("has\nlines")),
            "again");
    assertTrue(text.startsWith("-- has\n-- lines\n-- again\n"), text);
    assertEquals(Reproduction.MOST_ROWS, text.split("\\(\\(1\\)\\)", -1).length - 1);
    assertTrue(text.contains("-- 2 more rows are not printed; the command makes them all\n"), text);
  }

  @Test
  void theOrderOfRowsDoesNotMatterToTextThatReadsAsNull() {
    List<Row> rows = Stream.of("null", null, "\u0000", "").map(RowFactory::create).toList();
    List<Row> turned = List.of(rows.get(3), rows.get(2), rows.get(1), rows.get(0));
    assertTrue(Rows.same(rows, turned, false));
    assertFalse(Rows.same(rows, turned, true));
    assertFalse(
        Rows.same(rows, List.of(rows.get(0), rows.get(0), rows.get(2), rows.get(3)), false));
  }

  private static WorldSpec world(Column column, List<List<List<Object>>> partitions) {
    TableData table = new TableData("t0", List.of(column), partitions);
    return new WorldSpec(List.of(table), 2, false, Map.of(), Map.of());
  }

  /** Another seed. */
  @Test
  void theCommandEndsWithItsVerdict() {
    try (ScriptRun run =
        new ScriptRun(
            "bash",
            "-c",
            DifferentialMain.COMMAND + " --seed 2 --queries " + QUERIES_OF_THE_COMMAND)) {
      assertEquals(0, run.awaitExit(), () -> run.output() + run.errors());
      assertEquals(
          QUERIES_OF_THE_COMMAND + " passed, 0 failed", run.lines().get(run.lines().size() - 1));
    }
  }

  @Test
  void theCommandRefusesWhatItDoesNotKnow() {
    try (ScriptRun run = new ScriptRun("bash", "-c", DifferentialMain.COMMAND + " --sead 5")) {
      assertEquals(2, run.awaitExit(), run::output);
      assertTrue(run.errors().contains("--queries M"), run::errors);
    }
  }
}
