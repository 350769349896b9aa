package io.tally.benchmarks;

import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.SerializationFeature;
import java.io.PrintStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * Runs the benchmarks named on the command line, or all of them; writes {@code results/NAME.json}
 * and prints one line a goal. A goal that is missed is printed as {@code short}; only a benchmark
 * that fails ends with a non-zero exit code.
 */
public final class Benchmarks {
  private Benchmarks() {}

  public static void main(String[] names) throws Exception {
    List<Benchmark> all =
        List.of(
            new TransportBenchmark(),
            new MemoryBenchmark(),
            new GroupingBenchmark(),
            new IncidentBenchmark(),
            new LinksBenchmark(),
            new ConcurrencyBenchmark());
    List<Benchmark> chosen = new ArrayList<>(all);
    if (names.length > 0) {
      List<String> wanted = Arrays.asList(names);
      chosen.removeIf(benchmark -> !wanted.contains(benchmark.name()));
      if (chosen.size() != wanted.size()) {
        System.err.println(
            "benchmarks: no such benchmark in "
                + wanted
                + "; there are "
                + all.stream().map(Benchmark::name).toList());
        System.exit(2);
      }
    }
    Effort effort = Effort.ofEnvironment();
    Path results = Files.createDirectories(Path.of("results"));
    for (Benchmark benchmark : chosen) {
      System.err.println("benchmark " + benchmark.name() + " …");
      report(benchmark, benchmark.run(effort), effort, results, System.out);
    }
  }

  private static void report(
      Benchmark benchmark, Benchmark.Result result, Effort effort, Path results, PrintStream out)
      throws Exception {
    Map<String, Object> json = new LinkedHashMap<>();
    json.put("benchmark", benchmark.name());
    json.put("at", Instant.now().toString());
    json.put("effort", effort);
    json.put("processors", Runtime.getRuntime().availableProcessors());
    json.put("java", Runtime.version().toString());
    json.put("goals", result.goals());
    json.put("figures", new java.util.TreeMap<>(result.figures()));
    new ObjectMapper()
        .enable(SerializationFeature.INDENT_OUTPUT)
        .writeValue(results.resolve(benchmark.name() + ".json").toFile(), json);
    result.goals().forEach(goal -> out.println(goal.line()));
  }
}
