package io.tally.spark;

import java.util.Collections;
import java.util.HashSet;
import java.util.Set;
import java.util.WeakHashMap;
import org.apache.spark.ExceptionFailure;
import org.apache.spark.SparkContext;
import org.apache.spark.scheduler.SparkListener;
import org.apache.spark.scheduler.SparkListenerTaskEnd;
import org.apache.spark.sql.classic.SparkSession;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Takes the ends of tasks and says what to do where an executor lacks the connector. Such a task
 * fails in Spark, before anything of ours could, with no more than the name of a class; and whether
 * an executor has a jar cannot be known before.
 */
final class ExecutorsWithoutJar extends SparkListener {
  private static final Logger LOG = LoggerFactory.getLogger(ExecutorsWithoutJar.class);

  /** Those that have a listener; no longer than they are used. */
  private static final Set<SparkContext> WATCHED =
      Collections.synchronizedSet(Collections.newSetFromMap(new WeakHashMap<>()));

  private final Set<String> told = new HashSet<>();

  private ExecutorsWithoutJar() {}

  /** Watches the application that plans a query in this thread, if its executors are processes. */
  static void watch() {
    CurrentSession.spark()
        .map(SparkSession::sparkContext)
        .filter(context -> !context.isLocal() && WATCHED.add(context))
        .ifPresent(context -> context.addSparkListener(new ExecutorsWithoutJar()));
  }

  @Override
  public void onTaskEnd(SparkListenerTaskEnd end) {
    if (end.reason() instanceof ExceptionFailure failure
        && isForOurClass(failure)
        && told.add(end.taskInfo().executorId())) {
      LOG.error(
          "Executor {} on {} does not have the Tally connector, so that its tasks fail ({}: {})."
              + " Give the jar to the executors, too: submit with --jars or --packages, or set"
              + " spark.jars. --driver-class-path and spark.driver.extraClassPath reach the driver"
              + " alone.",
          end.taskInfo().executorId(),
          end.taskInfo().host(),
          failure.className(),
          failure.description());
    }
  }

  private static boolean isForOurClass(ExceptionFailure failure) {
    return (failure.className().equals(ClassNotFoundException.class.getName())
            || failure.className().equals(NoClassDefFoundError.class.getName()))
        && String.valueOf(failure.description()).replace('/', '.').contains("io.tally.spark.");
  }
}
