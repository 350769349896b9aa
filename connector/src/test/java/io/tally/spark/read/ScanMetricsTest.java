package io.tally.spark.read;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.Arrays;
import java.util.List;
import org.apache.spark.sql.connector.metric.CustomMetric;
import org.junit.jupiter.api.Test;

/** The texts that Spark's UI shows, made by Spark's way: of a class name and the tasks' values. */
class ScanMetricsTest {
  @Test
  void textsOfTwoTasks() throws ReflectiveOperationException {
    long[] counts = {1024, 2560};
    long[] nanos = {1_500_000, 2_700_000};
    assertEquals(
        List.of("3.5 KiB", "3584", "3584", "3584", "2.1 ms, 2.7 ms", "4.2 ms", "3584", "3584"),
        List.of(
            text("BytesReceived", counts),
            text("BatchesReceived", counts),
            text("RowsReceived", counts),
            text("RowsScanned", counts),
            text("FirstBatchWait", nanos),
            text("TotalWait", nanos),
            text("Reconnects", counts),
            text("Failovers", counts)));
  }

  @Test
  void textsOfNoTask() {
    assertEquals(
        List.of("0.0 KiB", "0", "0", "0", "0.0 ms, 0.0 ms", "0.0 ms", "0", "0"),
        Arrays.stream(ScanMetrics.all())
            .map(metric -> metric.aggregateTaskMetrics(new long[0]))
            .toList());
  }

  private static String text(String name, long... values) throws ReflectiveOperationException {
    return Class.forName(ScanMetrics.class.getName() + "$" + name)
        .asSubclass(CustomMetric.class)
        .getConstructor()
        .newInstance()
        .aggregateTaskMetrics(values);
  }
}
