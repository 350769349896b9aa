package io.tally.examples.quickstart;

import java.util.ArrayList;
import java.util.List;
import org.apache.spark.sql.execution.SparkPlan;
import org.apache.spark.sql.execution.adaptive.AdaptiveSparkPlanHelper;
import org.apache.spark.sql.execution.datasources.v2.BatchScanExec;
import scala.jdk.javaapi.CollectionConverters;

/**
 * Takes the plan of a query that has run and tells what its Tally scans were asked and what they
 * brought, from the same numbers that Spark's UI shows.
 *
 * @param descriptions one line a scan: what was pushed down, and what was not and why
 * @param rowsReceived rows that crossed the network
 * @param bytesReceived bytes of Arrow data that crossed the network
 * @param rowsScanned rows that the nodes looked at
 */
public record TallyScans(
    List<String> descriptions, long rowsReceived, long bytesReceived, long rowsScanned) {

  private static final AdaptiveSparkPlanHelper PLANS = new AdaptiveSparkPlanHelper() {};

  /** Looks also into subqueries and into the stages of adaptive execution. */
  public static TallyScans of(SparkPlan executedPlan) {
    List<BatchScanExec> scans = new ArrayList<>();
    collect(executedPlan, scans);
    return new TallyScans(
        scans.stream().map(it -> it.scan().description()).toList(),
        total("tallyRowsReceived", scans),
        total("tallyBytesReceived", scans),
        total("tallyRowsScanned", scans));
  }

  private static void collect(SparkPlan plan, List<BatchScanExec> scans) {
    if (plan instanceof BatchScanExec scan
        && scan.scan().getClass().getName().startsWith("io.tally.")) {
      scans.add(scan);
    }
    CollectionConverters.asJava(PLANS.allChildren(plan)).forEach(child -> collect(child, scans));
    CollectionConverters.asJava(plan.subqueries()).forEach(child -> collect(child, scans));
  }

  private static long total(String metric, List<BatchScanExec> scans) {
    return scans.stream().mapToLong(scan -> scan.metrics().apply(metric).value()).sum();
  }
}
