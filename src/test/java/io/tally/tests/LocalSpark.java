package io.tally.tests;

import java.util.Collections;
import java.util.Iterator;
import java.util.Map;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.TimeUnit;
import org.apache.spark.api.java.JavaSparkContext;
import org.apache.spark.sql.SparkSession;

/**
 * The one Spark of this JVM, with two threads; hands out sessions of their own views and settings.
 */
public final class LocalSpark {
  /** How many tasks run at a time. */
  private static final int TASKS = 2;

  private static final long IDLE_LIMIT_SECONDS = 60;
  private static final CyclicBarrier ALL_RUN = new CyclicBarrier(TASKS);
  private static final SparkSession SPARK = start();

  private LocalSpark() {}

  /** A session with no views, in UTC, ANSI on (Spark's default). */
  static SparkSession newSession() {
    return SPARK.newSession();
  }

  /** As {@link #newSession()}, with further settings. */
  public static SparkSession newSession(Map<String, String> settings) {
    SparkSession session = newSession();
    settings.forEach((key, value) -> session.conf().set(key, value));
    return session;
  }

  /**
   * Returns when every task of earlier queries is over, also those that a failed query left behind:
   * when as many tasks as fit stand here at the same time.
   */
  static void awaitNoTasks() {
    JavaSparkContext context = new JavaSparkContext(SPARK.sparkContext());
    context.parallelize(Collections.nCopies(TASKS, 0), TASKS).foreachPartition(LocalSpark::meet);
  }

  private static void meet(Iterator<Integer> rows) throws Exception {
    ALL_RUN.await(IDLE_LIMIT_SECONDS, TimeUnit.SECONDS);
  }

  private static SparkSession start() {
    return SparkSession.builder()
        .appName("tally-tests")
        .master("local[" + TASKS + "]")
        .config("spark.ui.enabled", "false")
        .config("spark.driver.host", "127.0.0.1")
        .config("spark.driver.bindAddress", "127.0.0.1")
        .config("spark.sql.shuffle.partitions", "3")
        // Those in Spark's jar of tests are for Spark's own tests.
        .config("spark.sql.extensions.test.loadFromCp", "false")
        .config("spark.sql.session.timeZone", "UTC")
        .config("spark.sql.warehouse.dir", Home.target().resolve("warehouse").toString())
        .getOrCreate();
  }
}
