package io.tally.spark.pushdown;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.tally.rpc.AggregateFunction;
import io.tally.rpc.ScalarFunction;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** The tables of functions in docs/correctness.md are those of the registry. */
final class FunctionTablesTest {
  private static final Path PAGE = Path.of("..", "docs", "correctness.md");

  @Test
  void pushedFunctionsAreDocumented() throws IOException {
    List<String> lines =
        new ArrayList<>(
            List.of("| Spark's | node's | takes | gives |", "| --- | --- | --- | --- |"));
    for (SparkFunctions.Entry entry : SparkFunctions.entries()) {
      for (ScalarFunction target : entry.targets()) {
        lines.add(
            "| `%s` | `%s` | %s | %s |"
                .formatted(
                    entry.name().replace("|", "\\|"),
                    target.wireName(),
                    target.signature().arguments(),
                    target.signature().result()));
      }
    }
    assertEquals(String.join("\n", lines), section("pushed functions"));
  }

  @Test
  void refusedFunctionsAreDocumented() throws IOException {
    Map<String, List<String>> byReason = new LinkedHashMap<>();
    for (SparkFunctions.Entry entry : SparkFunctions.entries()) {
      if (!entry.refusal().isEmpty()) {
        byReason
            .computeIfAbsent(entry.refusal(), each -> new ArrayList<>())
            .add("`" + entry.name() + "`");
      }
    }
    List<String> lines = new ArrayList<>(List.of("| Spark's | why not |", "| --- | --- |"));
    byReason.forEach(
        (reason, names) -> lines.add("| " + String.join(", ", names) + " | " + reason + " |"));
    assertEquals(String.join("\n", lines), section("refused functions"));
  }

  @Test
  void pushedAggregatesAreDocumented() throws IOException {
    List<String> lines =
        new ArrayList<>(
            List.of(
                "| Spark's | node's | takes | where no group has rows in two streams |",
                "| --- | --- | --- | --- |"));
    for (SparkAggregates.Entry entry : SparkAggregates.entries()) {
      for (AggregateFunction target : entry.targets()) {
        lines.add(
            "| `%s` | `%s` | %s | %s |"
                .formatted(
                    entry.name(), target.wireName(), entry.takes(), target.merges() ? "" : "only"));
      }
    }
    assertEquals(String.join("\n", lines), section("pushed aggregates"));
  }

  @Test
  void refusedAggregatesAreDocumented() throws IOException {
    List<String> lines = new ArrayList<>(List.of("| Spark's | why not |", "| --- | --- |"));
    for (SparkAggregates.Entry entry : SparkAggregates.entries()) {
      if (!entry.refusal().isEmpty()) {
        lines.add("| `%s` | %s |".formatted(entry.name(), entry.refusal()));
      }
    }
    assertEquals(String.join("\n", lines), section("refused aggregates"));
  }

  @Test
  void everyWireAggregateIsTheCounterpartOfSomething() {
    assertEquals(
        List.of(AggregateFunction.values()),
        SparkAggregates.entries().stream()
            .flatMap(entry -> entry.targets().stream())
            .sorted()
            .toList());
  }

  @Test
  void everyWireFunctionIsTheCounterpartOfSomething() {
    List<ScalarFunction> reached =
        new ArrayList<>(
            SparkFunctions.entries().stream().flatMap(entry -> entry.targets().stream()).toList());
    reached.add(ScalarFunction.CAST);
    reached.add(ScalarFunction.TO_LOCAL);
    for (ScalarFunction function : ScalarFunction.values()) {
      assertTrue(reached.contains(function), function::wireName);
    }
  }

  /** What stands between the page's comments that begin and end the section of that name. */
  private static String section(String name) throws IOException {
    String page = Files.readString(PAGE);
    String begin = "<!-- " + name + " -->\n";
    int start = page.indexOf(begin);
    assertTrue(start >= 0, name);
    int from = start + begin.length();
    return page.substring(from, page.indexOf("\n<!-- end -->", from));
  }
}
