package io.tally.tests;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.SparkSession;
import org.apache.spark.sql.execution.SparkPlan;
import org.apache.spark.sql.execution.datasources.v2.BatchScanExec;
import org.apache.spark.sql.execution.metric.SQLMetric;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import scala.jdk.javaapi.CollectionConverters;

/** What Spark's UI shows of a scan, as docs/operations.md promises it. */
@ExtendWith(FlightsCluster.class)
class ScanMetricsTest {
  private static final long FLIGHTS = 3_000_000;
  private static final int MAX_BATCH_BYTES = 1 << 18;

  private static final Map<String, String> DESCRIPTIONS =
      Map.of(
          "tallyBytesReceived", "bytes received from nodes",
          "tallyBatchesReceived", "batches received from nodes",
          "tallyRowsReceived", "rows received from nodes",
          "tallyRowsScanned", "rows scanned on nodes",
          "tallyFirstBatchWaitNanos", "wait for the first batch (mean, longest)",
          "tallyTotalWaitNanos", "wait for nodes (sum over tasks)",
          "tallyReconnects", "connections made again",
          "tallyFailovers", "scans taken to another owner");

  /** Without adaptive execution, so that the scans stand in the plan as they were run. */
  private final SparkSession spark =
      LocalSpark.newSession(Map.of("spark.sql.adaptive.enabled", "false"));

  @Test
  void ofRows(TallyCluster cluster) {
    Map<String, Long> metrics =
        metricsOf(cluster, "SELECT sum(xxhash64(date, delay) % 1000) FROM flights");
    assertEquals(FLIGHTS, metrics.get("tallyRowsReceived"));
    assertEquals(FLIGHTS, metrics.get("tallyRowsScanned"));
    // Eight bytes of each column and row, and bits that tell which are NULL.
    long bytes = metrics.get("tallyBytesReceived");
    assertTrue(bytes >= FLIGHTS * 12 && bytes <= FLIGHTS * 18, () -> "bytes: " + bytes);
    long batches = metrics.get("tallyBatchesReceived");
    assertTrue(batches * MAX_BATCH_BYTES >= bytes, () -> batches + " batches");
    assertTrue(batches <= 4 * bytes / MAX_BATCH_BYTES, () -> batches + " batches");
    assertWaited(metrics);
  }

  @Test
  void ofTallies(TallyCluster cluster) {
    Map<String, Long> metrics = metricsOf(cluster, "SELECT count(*), sum(delay) FROM flights");
    assertEquals(FLIGHTS, metrics.get("tallyRowsScanned"));
    assertEquals(3, metrics.get("tallyRowsReceived"), "one of each node");
    assertEquals(3, metrics.get("tallyBatchesReceived"));
    assertTrue(metrics.get("tallyBytesReceived") >= 3 * 2 * Long.BYTES, metrics::toString);
    assertWaited(metrics);
  }

  @Test
  void ofCompressedRows(TallyCluster cluster) {
    Map<String, Long> bytes = new TreeMap<>();
    Set<List<Row>> answers = new HashSet<>();
    for (String codec : List.of("none", "lz4", "zstd")) {
      String sql =
          "SELECT count(*), sum(xxhash64(date, delay, origin) % 1000) FROM flights"
              + " WHERE date < TIMESTAMP_NTZ '2001-01-08 00:00:00'";
      Dataset<Row> query = query(cluster, sql, "compression", codec);
      answers.add(query.collectAsList());
      Map<String, Long> metrics = metricsOf(query);
      assertTrue(metrics.get("tallyRowsReceived") > 50_000, metrics::toString);
      bytes.put(codec, metrics.get("tallyBytesReceived"));
    }
    assertEquals(1, answers.size(), answers::toString);
    assertTrue(bytes.get("lz4") < bytes.get("none"), bytes::toString);
    assertTrue(bytes.get("zstd") < bytes.get("lz4"), bytes::toString);
  }

  @Test
  void ofNothing(TallyCluster cluster) {
    Map<String, Long> metrics =
        metricsOf(
            cluster, "SELECT origin FROM flights WHERE date < TIMESTAMP_NTZ '1999-01-01 00:00:00'");
    assertEquals(Set.of(0L), Set.copyOf(metrics.values()), metrics::toString);
  }

  /** A node never answers before it was asked. */
  private static void assertWaited(Map<String, Long> metrics) {
    assertTrue(metrics.get("tallyFirstBatchWaitNanos") > 0, metrics::toString);
    assertTrue(metrics.get("tallyTotalWaitNanos") > 0, metrics::toString);
  }

  private Map<String, Long> metricsOf(TallyCluster cluster, String sql) {
    Dataset<Row> query = query(cluster, sql, "max-batch-bytes", Integer.toString(MAX_BATCH_BYTES));
    query.collectAsList();
    return metricsOf(query);
  }

  private Dataset<Row> query(TallyCluster cluster, String sql, String option, String value) {
    Map<String, String> options = BadInputBench.with(cluster.options("flights"), option, value);
    spark.read().format("tally").options(options).load().createOrReplaceTempView("flights");
    return spark.sql(sql);
  }

  private static Map<String, Long> metricsOf(Dataset<Row> query) {
    SparkPlan plan = query.queryExecution().executedPlan();
    List<BatchScanExec> scans =
        CollectionConverters.asJava(plan.collectLeaves()).stream()
            .filter(BatchScanExec.class::isInstance)
            .map(BatchScanExec.class::cast)
            .toList();
    assertEquals(1, scans.size(), plan::toString);
    return metricsOf(scans.get(0));
  }

  private static Map<String, Long> metricsOf(BatchScanExec scan) {
    Map<String, Long> values = new TreeMap<>();
    Map<String, String> descriptions = new TreeMap<>();
    for (Map.Entry<String, SQLMetric> metric :
        CollectionConverters.asJava(scan.metrics()).entrySet()) {
      if (metric.getKey().startsWith("tally")) {
        values.put(metric.getKey(), metric.getValue().value());
        descriptions.put(metric.getKey(), metric.getValue().name().getOrElse(() -> "none"));
      }
    }
    assertEquals(DESCRIPTIONS, descriptions);
    return values;
  }
}
