package io.tally.tests.faults;

import io.tally.rpc.v1.ErrorCode;
import io.tally.server.fixture.Await;
import io.tally.spark.read.ConnectorMemory;
import io.tally.tests.TallyNode;
import io.tally.tests.faults.Fault.Stroke;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.apache.spark.SparkException;
import org.apache.spark.api.java.JavaSparkContext;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.SparkSession;

/**
 * Runs schedules with Spark, which asks both nodes, one of them through a link where all the faults
 * happen.
 */
final class SparkAsker implements Asker {
  /** Of the query and nothing else. */
  private static final String JOBS = "faults";

  private final World world;
  private final SparkCluster cluster = SparkCluster.start();
  private final SparkSession spark = cluster.session();

  SparkAsker(World world) {
    this.world = world;
  }

  @Override
  public List<String> answer(Schedule schedule) throws Exception {
    TallyNode struck = world.nodes().get(schedule.struck());
    TallyNode other = world.nodes().get(1 - schedule.struck());
    try (Troubles troubles = new Troubles(struck, other)) {
      spark
          .read()
          .format("tally")
          .options(options(schedule, troubles.link().port(), other.port()))
          .load()
          .createOrReplaceTempView("rows");
      spark.sparkContext().setJobGroup(JOBS, schedule.query().sql(), true);
      troubles.expect(schedule.faults());
      troubles.byTheClock(schedule.faults(), this::strike);
      try {
        List<String> rows = new ArrayList<>();
        for (Row row : spark.sql(schedule.query().sql()).collectAsList()) {
          List<String> cells = new ArrayList<>();
          for (int i = 0; i < row.size(); i++) {
            cells.add(String.valueOf(row.get(i)));
          }
          rows.add(String.join("|", cells));
        }
        return rows;
      } finally {
        spark.sparkContext().clearJobGroup();
        troubles.end();
      }
    }
  }

  private static Map<String, String> options(Schedule schedule, int linkPort, int otherPort) {
    int maxBatchBytes = schedule.maxBatchBytes();
    Map<String, String> options = new LinkedHashMap<>();
    options.put("endpoints", "127.0.0.1:" + linkPort + ",127.0.0.1:" + otherPort);
    options.put("table", schedule.shared() ? World.SHARED : World.SPLIT);
    options.put("max-batch-bytes", Integer.toString(maxBatchBytes));
    options.put("window-bytes", Integer.toString(schedule.batches() * maxBatchBytes));
    options.put("split-rows", "1000");
    options.put("silence-timeout-ms", Long.toString(schedule.silenceMillis()));
    options.put("describe-timeout-ms", Long.toString(schedule.silenceMillis()));
    options.put("reconnect-tries", Integer.toString(schedule.tries()));
    options.put("reconnect-backoff-ms", "1");
    options.put("reconnect-backoff-max-ms", "40");
    return options;
  }

  private void strike(Stroke stroke) {
    if (stroke == Stroke.CANCEL_JOBS) {
      spark.sparkContext().cancelJobGroup(JOBS);
    } else {
      cluster.killExecutor();
    }
  }

  @Override
  public boolean mayFailLike(Throwable error, Schedule schedule) {
    if (schedule.has(Stroke.CANCEL_JOBS) && String.valueOf(error.getMessage()).contains("cancel")) {
      return true;
    }
    return Causes.typed(error)
        .map(typed -> typed.code())
        .filter(code -> schedule.mayEndWith().contains(code) || isOfPlanning(error, code))
        .isPresent();
  }

  /** A plan that is older than a second is made anew, and that asks nodes without trying again. */
  private static boolean isOfPlanning(Throwable error, ErrorCode code) {
    return !(error instanceof SparkException)
        && (code == ErrorCode.NODE_UNREACHABLE || code == ErrorCode.PARTITION_WITHOUT_OWNER);
  }

  @Override
  public void awaitNothingLeft() {
    Await.until("no executor holds memory of streams", () -> heldBytes() == 0);
    world.awaitIdle();
  }

  /** By tasks that wait, if others hold the places. */
  private long heldBytes() {
    int tasks = 2 * SparkCluster.EXECUTORS;
    return ConnectorMemory.allocatedBytes()
        + new JavaSparkContext(spark.sparkContext())
            .parallelize(Collections.nCopies(tasks, 0), tasks)
            .map(it -> ConnectorMemory.allocatedBytes())
            .reduce(Long::sum);
  }

  @Override
  public void close() {
    cluster.close();
  }
}
