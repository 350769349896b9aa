package io.tally.tests;

import static org.junit.jupiter.api.Assumptions.assumeTrue;

import org.apache.spark.package$;

/** Tells which Spark the tests run on, and skips what an older one does not have. */
public final class SparkRelease {
  private SparkRelease() {}

  /**
   * Such as {@code 4.0.4}.
   *
   * @throws IllegalStateException if the build meant another one than the class path has
   */
  public static String version() {
    String version = package$.MODULE$.SPARK_VERSION();
    String meant = System.getProperty("tally.spark", version);
    if (!version.equals(meant)) {
      throw new IllegalStateException("This is Spark " + version + " instead of " + meant);
    }
    return version;
  }

  /** Whether it is {@code 4.minor}, or newer. */
  public static boolean isAtLeast(int minor) {
    return Integer.parseInt(version().split("\\.", -1)[1]) >= minor;
  }

  /** Skips the test on Sparks before {@code 4.minor}, and says why. */
  public static void assumeAtLeast(int minor, String what) {
    assumeTrue(isAtLeast(minor), () -> "Spark " + version() + " has no " + what);
  }
}
