package io.tally.tests;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.util.Map;
import org.apache.spark.sql.SparkSession;

/**
 * The one Spark of this JVM, with two threads; hands out sessions of their own views and settings.
 */
final class LocalSpark {
  private static final SparkSession SPARK = start();

  private LocalSpark() {}

  /** A session with no views, in UTC, ANSI on (Spark's default). */
  static SparkSession newSession() {
    return SPARK.newSession();
  }

  /** As {@link #newSession()}, with further settings. */
  static SparkSession newSession(Map<String, String> settings) {
    SparkSession session = newSession();
    settings.forEach((key, value) -> session.conf().set(key, value));
    return session;
  }

  private static SparkSession start() {
    try {
      return SparkSession.builder()
          .appName("tally-tests")
          .master("local[2]")
          .config("spark.ui.enabled", "false")
          .config("spark.driver.host", "127.0.0.1")
          .config("spark.driver.bindAddress", "127.0.0.1")
          .config("spark.sql.shuffle.partitions", "3")
          .config("spark.sql.session.timeZone", "UTC")
          .config("spark.sql.warehouse.dir", Files.createTempDirectory("warehouse-").toString())
          .getOrCreate();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
