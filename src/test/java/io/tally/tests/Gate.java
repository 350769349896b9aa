package io.tally.tests;

import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.apache.spark.sql.SparkSession;
import org.apache.spark.sql.api.java.UDF1;
import org.apache.spark.sql.types.DataTypes;

/**
 * Holds a query in its middle: a function {@code gate(BIGINT)} that gives back its argument, and
 * that stops the task at the first row until the test opens the gate. One at a time in a JVM,
 * because Spark's tasks find it by a static field.
 */
final class Gate implements AutoCloseable {
  private static final long LIMIT_SECONDS = 120;

  private static volatile Gate current = new Gate();

  private final CountDownLatch reached = new CountDownLatch(1);
  private final CountDownLatch open = new CountDownLatch(1);

  private Gate() {}

  /** Registers the function and closes the gate. */
  static Gate in(SparkSession spark) {
    current = new Gate();
    spark.udf().register("gate", (UDF1<Long, Long>) Gate::pass, DataTypes.LongType);
    return current;
  }

  /** Returns when a task stands at the gate. */
  void awaitTask() throws InterruptedException {
    if (!reached.await(LIMIT_SECONDS, TimeUnit.SECONDS)) {
      throw new IllegalStateException("No task came to the gate.");
    }
  }

  /** Lets all pass, now and later. */
  void open() {
    open.countDown();
  }

  @Override
  public void close() {
    open();
  }

  private static Long pass(Long value) throws InterruptedException {
    Gate gate = current;
    gate.reached.countDown();
    if (!gate.open.await(LIMIT_SECONDS, TimeUnit.SECONDS)) {
      throw new IllegalStateException("Nobody opened the gate.");
    }
    return value;
  }
}
