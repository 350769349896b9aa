package io.tally.spark;

import io.tally.rpc.TallyException;
import io.tally.rpc.v1.ErrorCode;
import org.apache.spark.package$;

/**
 * Takes the version of the Spark that runs here and refuses one that the connector is not built
 * for, before a class is loaded that would fail there without saying why.
 */
final class SparkVersion {
  private static final String MAJOR = "4";

  private SparkVersion() {}

  /**
   * @throws TallyException UNSUPPORTED_FEATURE if this is another Spark than Spark 4
   */
  static void check() {
    check(package$.MODULE$.SPARK_VERSION());
  }

  static boolean isSupported() {
    return isSupported(package$.MODULE$.SPARK_VERSION());
  }

  private static boolean isSupported(String version) {
    return version.split("\\.", 2)[0].equals(MAJOR);
  }

  static void check(String version) {
    if (!isSupported(version)) {
      throw new TallyException(
          ErrorCode.UNSUPPORTED_FEATURE,
          "The Tally connector runs on Spark 4.0 and later releases of Spark 4; this is Spark %s."
              .formatted(version));
    }
  }
}
