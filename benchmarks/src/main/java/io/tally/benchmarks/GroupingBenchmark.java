package io.tally.benchmarks;

import io.tally.rpc.v1.AggregateCall;
import io.tally.rpc.v1.Aggregation;
import io.tally.rpc.v1.Expression;
import io.tally.rpc.v1.Open;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * Where it pays that a node gives up grouping: one row for each group against one for each row, by
 * the share of groups among the rows, through {@code ScanStream}. The larger answer costs the
 * client more; its own grouping is not measured here.
 */
final class GroupingBenchmark implements Benchmark {
  private static final long ROWS = 2_000_000;
  private static final int[] PERCENTS = {1, 10, 25, 50, 75, 90, 100};
  private static final int WARM_UPS = 2;
  private static final int PAIRS = 5;

  /** What giving up has to win where every row is a group. */
  private static final double TARGET = 0.5;

  @Override
  public String name() {
    return "grouping";
  }

  @Override
  public Result run(Effort effort) throws Exception {
    long rows = effort.rows(ROWS);
    Map<String, Object> figures = new TreeMap<>(Map.of("rows", rows));
    try (ScratchFolder scratch = new ScratchFolder()) {
      Path file = scratch.path().resolve("keys.duckdb");
      BenchmarkTable.writeKeys(file, rows, PERCENTS);
      try (EmbeddedNode node = new EmbeddedNode(file)) {
        TableClient client = node.client();
        for (int percent : PERCENTS) {
          Open groups = groups(client, percent, false);
          Open fetched = client.open().addColumns("k" + percent).addColumns("quantity").build();
          PairedRuns runs =
              PairedRuns.measure(
                  effort.times(WARM_UPS),
                  effort.times(PAIRS),
                  () -> Benchmark.expect(rows * percent / 100, client.scan(groups).rows()),
                  () -> Benchmark.expect(rows, client.scan(fetched).rows()));
          figures.put("groups_ms_at_%03d_percent".formatted(percent), runs.aMedianMillis());
          figures.put("rows_ms_at_%03d_percent".formatted(percent), runs.bMedianMillis());
        }
        Open partial = groups(client, 100, true);
        Open whole = groups(client, 100, false);
        PairedRuns unique =
            PairedRuns.measure(
                effort.times(WARM_UPS),
                effort.times(PAIRS),
                () -> Benchmark.expect(rows, client.scan(partial).rows()),
                () -> Benchmark.expect(rows, client.scan(whole).rows()));
        return new Result(
            List.of(Goal.atMost("grouping.given-up-over-grouped", unique.medianRatio(0), TARGET)),
            figures);
      }
    }
  }

  private static Open groups(TableClient client, int percent, boolean partial) {
    return client
        .open()
        .setAggregation(
            Aggregation.newBuilder()
                .addGroupBy(column("k" + percent))
                .addAggregates(AggregateCall.newBuilder().setFunction("count_all"))
                .addAggregates(
                    AggregateCall.newBuilder().setFunction("sum").addArguments(column("quantity")))
                .setPartial(partial))
        .build();
  }

  private static Expression column(String name) {
    return Expression.newBuilder().setColumn(name).build();
  }
}
