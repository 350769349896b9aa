package io.tally.spark.pushdown;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.tally.rpc.AggregateFunction;
import io.tally.rpc.ScalarFunction;
import io.tally.rpc.Signature;
import io.tally.rpc.WireTypes;
import io.tally.rpc.v1.DataType;
import io.tally.rpc.v1.Expression;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.apache.spark.sql.catalyst.expressions.Cast;
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

  /** Types that casts start from; of DECIMAL, some are refused what others are not. */
  private static final Map<String, DataType> SOURCES = new LinkedHashMap<>();

  private static final Map<String, DataType> TARGETS = new LinkedHashMap<>();

  static {
    TARGETS.put("BOOLEAN", WireTypes.BOOLEAN);
    TARGETS.put("integers", WireTypes.INTEGER);
    TARGETS.put("FLOAT", WireTypes.FLOAT);
    TARGETS.put("DOUBLE", WireTypes.DOUBLE);
    TARGETS.put("DECIMAL", WireTypes.decimal(10, 2));
    TARGETS.put("STRING", WireTypes.STRING);
    TARGETS.put("BINARY", WireTypes.BINARY);
    TARGETS.put("DATE", WireTypes.DATE);
    TARGETS.put("TIMESTAMP", WireTypes.TIMESTAMP);
    TARGETS.put("TIMESTAMP_NTZ", WireTypes.TIMESTAMP_NTZ);
    TARGETS.put("INTERVAL of months", WireTypes.YEAR_MONTH_INTERVAL);
    TARGETS.put("INTERVAL of days and seconds", WireTypes.DAY_TIME_INTERVAL);
    SOURCES.putAll(TARGETS);
    SOURCES.put("DECIMAL of more than 15 digits", WireTypes.decimal(20, 2));
    SOURCES.put("DECIMAL with more than 6 digits behind the point", WireTypes.decimal(10, 8));
  }

  /** What Spark casts with ANSI on and nodes do not; a cast to the same type is none. */
  @Test
  void refusedCastsAreDocumented() throws IOException {
    List<String> lines =
        new ArrayList<>(List.of("| cast from | to | why not |", "| --- | --- | --- |"));
    SOURCES.forEach(
        (name, from) -> {
          Map<String, List<String>> byReason = new LinkedHashMap<>();
          TARGETS.forEach(
              (target, to) -> {
                if (isRefused(from, to) && !isKnownOfDecimals(name, to)) {
                  byReason
                      .computeIfAbsent(RefusedCasts.reason(from, to), each -> new ArrayList<>())
                      .add(target);
                }
              });
          byReason.forEach(
              (reason, targets) ->
                  lines.add(
                      "| " + name + " | " + String.join(", ", targets) + " | " + reason + " |"));
        });
    assertEquals(String.join("\n", lines), section("refused casts"));
  }

  private static boolean isRefused(DataType from, DataType to) {
    boolean toClock =
        from.equals(WireTypes.TIMESTAMP)
            && (to.equals(WireTypes.DATE) || to.equals(WireTypes.TIMESTAMP_NTZ));
    Signature.Argument argument = new Signature.Argument(Expression.getDefaultInstance(), from);
    return !from.equals(to)
        && !toClock
        && Cast.canAnsiCast(SparkTypes.of(from), SparkTypes.of(to))
        && ScalarFunction.CAST.signature().rule().result(List.of(argument), to).isEmpty();
  }

  /** What is refused to every DECIMAL has its line already. */
  private static boolean isKnownOfDecimals(String name, DataType to) {
    return name.startsWith("DECIMAL ") && isRefused(SOURCES.get("DECIMAL"), to);
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
