package io.tally.tests;

import static java.util.stream.Collectors.toSet;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.util.List;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The commands of the page, with Spark's own {@code spark-sql}: each script's output is known. */
class SparkSqlTest {
  static final String PAGE = "examples/sql/README.md";

  private static final Pattern SCRIPT = Pattern.compile(" -f examples/sql/(\\S+)\\.sql$");

  /** Spark numbers columns and plans as it comes to them. */
  private static final Pattern NUMBERS = Pattern.compile("#\\d+L?|(?<=plan_id=)\\d+");

  private static ExamplePage page;

  @BeforeAll
  @Timeout(value = SparkPrograms.START_LIMIT_MINUTES, unit = TimeUnit.MINUTES)
  static void startNodes() {
    page = new ExamplePage(PAGE);
  }

  @AfterAll
  static void stopNodes() {
    if (page != null) {
      page.close();
    }
  }

  @Test
  void everyScriptIsShown() {
    assertEquals(
        List.of("tables", "parquet", "wrong-schema"),
        page.commands().stream().map(SparkSqlTest::script).toList());
  }

  private static String script(String command) {
    Matcher script = SCRIPT.matcher(command);
    assertTrue(script.find(), command);
    return script.group(1);
  }

  private static ScriptRun run(String script) {
    return page.run(
        page.commands().stream().filter(it -> script(it).equals(script)).findFirst().orElseThrow());
  }

  @ParameterizedTest
  @ValueSource(strings = {"tables", "parquet"})
  void theOutputIsTheFilesBesideTheScript(String script) throws IOException {
    try (ScriptRun run = run(script)) {
      assertEquals(0, run.awaitExit(), () -> run.output() + run.errors());
      assertEquals(
          Files.readString(Home.root().resolve("examples/sql/" + script + ".expected")),
          NUMBERS.matcher(run.output()).replaceAll(""));
    }
  }

  @Test
  void aSchemaThatIsNotTheNodesFailsAtOnce() {
    try (ScriptRun run = run("wrong-schema")) {
      assertEquals(1, run.awaitExit(), () -> run.output() + run.errors());
      String errors = run.errors();
      assertTrue(errors.contains("Failed in [\nCREATE TABLE wrong "), errors);
      // As the page of troubles tells to find it among stack traces.
      assertEquals(
          Set.of(
              "[INVALID_REQUEST] Column \"delay\" of table \"flights\" was declared as STRING, but the"
                  + " nodes have it as BIGINT. Declare that type, or leave the schema out."),
          errors
              .lines()
              .filter(it -> it.contains("TallyException"))
              .map(it -> it.replaceFirst(".*TallyException: ", ""))
              .collect(toSet()));
    }
  }
}
