package io.tally.tests.faults;

import io.tally.tests.Home;
import io.tally.tests.ScratchFolder;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.apache.spark.sql.SparkSession;

/**
 * A Spark whose executors are processes, so that they can be lost, tasks are tried again, and slow
 * ones are started a second time. Needs {@code SPARK_HOME} to be set, see faults.sh.
 */
final class SparkCluster implements AutoCloseable {
  static final int EXECUTORS = 2;

  private static final long END_SECONDS = 60;
  private static final String EXECUTOR = "CoarseGrainedExecutorBackend";

  private final ScratchFolder folder = new ScratchFolder("spark");
  private final SparkSession session;

  private SparkCluster() {
    Path local = folder.folder("local");
    Path temporary = folder.folder("tmp");
    session =
        SparkSession.builder()
            .appName("tally-faults")
            .master("local-cluster[" + EXECUTORS + ",1,768]")
            .config("spark.executor.memory", "768m")
            .config(
                "spark.executor.extraJavaOptions",
                "-XX:+UseSerialGC -XX:TieredStopAtLevel=1 -Duser.timezone=UTC -Djava.io.tmpdir="
                    + temporary)
            .config(
                "spark.executor.extraClassPath", Home.target().resolve("test-classes").toString())
            .config("spark.deploy.maxExecutorRetries", "-1")
            .config("spark.local.dir", local.toString())
            .config("spark.speculation", "true")
            .config("spark.speculation.interval", "20ms")
            .config("spark.speculation.quantile", "0.3")
            .config("spark.speculation.multiplier", "1.2")
            .config("spark.speculation.minTaskRuntime", "50ms")
            .config("spark.ui.enabled", "false")
            .config("spark.driver.host", "127.0.0.1")
            .config("spark.driver.bindAddress", "127.0.0.1")
            .config("spark.sql.shuffle.partitions", "3")
            .config("spark.sql.session.timeZone", "UTC")
            .config("spark.sql.extensions.test.loadFromCp", "false")
            .config("spark.sql.warehouse.dir", folder.path().resolve("warehouse").toString())
            .getOrCreate();
    // Tasks that fail and executors that are lost are no news here.
    session.sparkContext().setLogLevel("ERROR");
  }

  static SparkCluster start() {
    return new SparkCluster();
  }

  SparkSession session() {
    return session;
  }

  /** Kills the process of one executor, if one runs; Spark starts another. */
  void killExecutor() {
    executors().findFirst().ifPresent(ProcessHandle::destroyForcibly);
  }

  private static Stream<ProcessHandle> executors() {
    return ProcessHandle.current()
        .descendants()
        .filter(it -> it.info().commandLine().orElse("").contains(EXECUTOR));
  }

  @Override
  public void close() {
    List<ProcessHandle> last = executors().toList();
    session.stop();
    // They delete what is theirs in the folder when they end.
    last.forEach(it -> it.onExit().orTimeout(END_SECONDS, TimeUnit.SECONDS).join());
    folder.close();
  }
}
