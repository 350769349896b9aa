package io.tally.spark.read;

import io.tally.rpc.client.ScanStream.Received;
import java.util.Arrays;
import java.util.Locale;
import java.util.concurrent.TimeUnit;
import org.apache.spark.sql.connector.metric.CustomMetric;
import org.apache.spark.sql.connector.metric.CustomSumMetric;
import org.apache.spark.sql.connector.metric.CustomTaskMetric;

/**
 * Takes the counters of a task and gives Spark the metrics that its UI shows with the scan. Spark
 * makes each metric again by its class name, so they are public, with a constructor that takes
 * nothing.
 */
public final class ScanMetrics {
  private static final String BYTES = "tallyBytesReceived";
  private static final String BATCHES = "tallyBatchesReceived";
  private static final String ROWS = "tallyRowsReceived";
  private static final String ROWS_SCANNED = "tallyRowsScanned";
  private static final String FIRST_BATCH_WAIT = "tallyFirstBatchWaitNanos";
  private static final String TOTAL_WAIT = "tallyTotalWaitNanos";
  private static final String RECONNECTS = "tallyReconnects";
  private static final String FAILOVERS = "tallyFailovers";

  private ScanMetrics() {}

  static CustomMetric[] all() {
    return new CustomMetric[] {
      new BytesReceived(),
      new BatchesReceived(),
      new RowsReceived(),
      new RowsScanned(),
      new FirstBatchWait(),
      new TotalWait(),
      new Reconnects(),
      new Failovers()
    };
  }

  /** The values of one task; rows scanned are those of the streams that have ended. */
  static CustomTaskMetric[] values(ReadTotals totals) {
    Received received = totals.received();
    return new CustomTaskMetric[] {
      new Value(BYTES, received.bodyBytes()),
      new Value(BATCHES, received.batches()),
      new Value(ROWS, received.rows()),
      new Value(ROWS_SCANNED, totals.rowsScanned()),
      new Value(FIRST_BATCH_WAIT, received.firstBatchNanos()),
      new Value(TOTAL_WAIT, received.waitedNanos()),
      new Value(RECONNECTS, received.reconnects()),
      new Value(FAILOVERS, totals.failovers())
    };
  }

  private record Value(String name, long value) implements CustomTaskMetric {}

  private static String duration(double nanos) {
    return String.format(Locale.ROOT, "%.1f ms", nanos / TimeUnit.MILLISECONDS.toNanos(1));
  }

  /** Bytes of Arrow data that came from nodes. */
  public static final class BytesReceived extends CustomSumMetric {
    @Override
    public String name() {
      return BYTES;
    }

    @Override
    public String description() {
      return "bytes received from nodes";
    }

    @Override
    public String aggregateTaskMetrics(long[] taskMetrics) {
      return String.format(
          Locale.ROOT, "%.1f KiB", Arrays.stream(taskMetrics).sum() / (double) (1 << 10));
    }
  }

  /** Arrow batches that came from nodes. */
  public static final class BatchesReceived extends CustomSumMetric {
    @Override
    public String name() {
      return BATCHES;
    }

    @Override
    public String description() {
      return "batches received from nodes";
    }
  }

  /** Rows that came from nodes: groups, where they aggregate. */
  public static final class RowsReceived extends CustomSumMetric {
    @Override
    public String name() {
      return ROWS;
    }

    @Override
    public String description() {
      return "rows received from nodes";
    }
  }

  /** Rows that nodes went through, before they filtered and aggregated. */
  public static final class RowsScanned extends CustomSumMetric {
    @Override
    public String name() {
      return ROWS_SCANNED;
    }

    @Override
    public String description() {
      return "rows scanned on nodes";
    }
  }

  /** How long tasks waited for their first batch. */
  public static final class FirstBatchWait implements CustomMetric {
    @Override
    public String name() {
      return FIRST_BATCH_WAIT;
    }

    @Override
    public String description() {
      return "wait for the first batch (mean, longest)";
    }

    @Override
    public String aggregateTaskMetrics(long[] taskMetrics) {
      return duration(Arrays.stream(taskMetrics).average().orElse(0))
          + ", "
          + duration((double) Arrays.stream(taskMetrics).max().orElse(0));
    }
  }

  /** How long tasks waited for nodes, all together. */
  public static final class TotalWait implements CustomMetric {
    @Override
    public String name() {
      return TOTAL_WAIT;
    }

    @Override
    public String description() {
      return "wait for nodes (sum over tasks)";
    }

    @Override
    public String aggregateTaskMetrics(long[] taskMetrics) {
      return duration((double) Arrays.stream(taskMetrics).sum());
    }
  }

  /** How often tasks took up a stream again, or tried to, because its connection broke. */
  public static final class Reconnects extends CustomSumMetric {
    @Override
    public String name() {
      return RECONNECTS;
    }

    @Override
    public String description() {
      return "connections made again";
    }
  }

  /** How often tasks asked another owner, because a node did not answer. */
  public static final class Failovers extends CustomSumMetric {
    @Override
    public String name() {
      return FAILOVERS;
    }

    @Override
    public String description() {
      return "scans taken to another owner";
    }
  }
}
