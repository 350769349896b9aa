package io.tally.server.scan;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.tally.rpc.ScalarFunction;
import io.tally.rpc.TallyException;
import io.tally.rpc.WireTypes;
import io.tally.rpc.v1.DataType;
import io.tally.rpc.v1.Expression;
import io.tally.server.fixture.Wire;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/**
 * The table in docs/correctness.md of what the node's engine is asked for each function is what the
 * node renders. The last column of it belongs to the tests that ask Spark the same.
 */
final class RenderedFunctionsTest {
  private static final Path PAGE = Path.of("..", "docs", "correctness.md");
  private static final String BEGIN = "<!-- rendered functions -->\n";

  private static final Expression TEXT = Wire.column("text");
  private static final Expression WORD = Wire.string("x");
  private static final Expression SEVEN = Wire.integer(7);

  /** For each function the first of these that it takes. */
  private static final List<List<Expression>> ARGUMENTS =
      List.of(
          List.of(Wire.column("int"), SEVEN, Wire.integer(8)),
          List.of(Wire.column("flag"), Wire.column("int"), SEVEN),
          List.of(Wire.column("int"), SEVEN),
          List.of(Wire.column("int")),
          List.of(Wire.column("flag"), Wire.column("flag")),
          List.of(Wire.column("flag")),
          List.of(TEXT, WORD),
          List.of(TEXT),
          List.of(TEXT, SEVEN),
          List.of(TEXT, SEVEN, WORD),
          List.of(TEXT, WORD, WORD),
          List.of(Wire.column("double")),
          List.of(Wire.column("double"), Wire.real(7)),
          List.of(Wire.column("decimal")),
          List.of(Wire.column("decimal"), Wire.integer(1)),
          List.of(Wire.column("bytes")),
          List.of(Wire.column("date"), SEVEN),
          List.of(Wire.column("date"), Wire.column("date")),
          List.of(Wire.column("date"), Wire.string("year")),
          List.of(Wire.column("date")),
          List.of(Wire.column("clock")),
          List.of(Wire.column("instant"), SEVEN));

  @Test
  void everyFunctionIsDocumented() throws IOException {
    String page = Files.readString(PAGE);
    int from = page.indexOf(BEGIN) + BEGIN.length();
    List<String> lines =
        page.substring(from, page.indexOf("\n<!-- end -->", from))
            .lines()
            .skip(2)
            .map(line -> line.substring(0, line.lastIndexOf(" | ")))
            .toList();
    List<String> expected = new ArrayList<>();
    try (ScanRunner runner = new ScanRunner()) {
      runner.catalog.execute(
          "CREATE TABLE p (\"int\" INTEGER, flag BOOLEAN, text VARCHAR, \"double\" DOUBLE,"
              + " \"decimal\" DECIMAL(5, 2), bytes BLOB, date DATE, clock TIMESTAMP,"
              + " instant TIMESTAMPTZ)");
      runner.catalog.serve("t", "p");
      for (ScalarFunction function : ScalarFunction.values()) {
        expected.add(
            "| `%s` | `%s`"
                .formatted(function.feature(), rendered(runner, function).replace("|", "\\|")));
      }
    }
    assertEquals(String.join("\n", expected), String.join("\n", lines));
  }

  private static String rendered(ScanRunner runner, ScalarFunction function) {
    boolean isCast = function == ScalarFunction.CAST;
    DataType target = isCast ? WireTypes.BIGINT : DataType.getDefaultInstance();
    for (List<Expression> arguments : ARGUMENTS) {
      Expression.Builder call =
          Wire.call(function.wireName(), arguments.toArray(Expression[]::new)).toBuilder();
      if (isCast) {
        call.getCallBuilder().setType(target);
      }
      ExpressionSql expressions =
          new ExpressionSql(
              new TableColumns(runner.catalog.table("t")), new ExpressionLimits(64, 100));
      Sql sql = new Sql();
      try {
        expressions.append(sql, call.build());
      } catch (TallyException e) {
        continue; // it takes other arguments
      }
      return sql.text();
    }
    throw new AssertionError(function + " takes none of the arguments");
  }
}
