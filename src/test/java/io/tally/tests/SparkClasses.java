package io.tally.tests;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;

/**
 * The classes of the Spark in {@code python/target} in the form in which a JVM maps them, as those
 * of {@link NodeClasses}: with it a driver needs a quarter less to start and run a few queries, and
 * pages start more than fifteen JVMs of Spark. Made before the first of them is started.
 */
final class SparkClasses {
  /** Touches what most programs do: the parser, files, a join, an aggregation, a sort. */
  private static final String QUERY =
      "SELECT _c3, count(*), avg(delay) FROM parquet.`examples/data/flights/2001-01.parquet`"
          + " JOIN csv.`examples/data/airports.csv` ON origin = _c0 GROUP BY _c3 ORDER BY 2";

  private static Path archive = Home.target().resolve("spark-classes-not-prepared.jsa");

  private SparkClasses() {}

  /**
   * Makes them where there are none; not if another JVM of tests is at it, because that takes
   * longer than they save.
   */
  static synchronized void prepare() {
    archive = Home.target().resolve("spark-classes-" + environment() + ".jsa");
    if (!Files.exists(archive)) {
      make();
    }
  }

  /** The options for Java by which a JVM of Spark uses them, if they are made by now. */
  static synchronized String javaOption() {
    // A JVM whose class path is another one goes on without, and needs not say so between results.
    return Files.exists(archive)
        ? "-XX:SharedArchiveFile=" + archive + " -Xlog:cds=off -Xlog:cds+dynamic=off"
        : "";
  }

  /** A name that is another one for other versions of Spark. */
  private static Path environment() {
    try (ScriptRun run = new ScriptRun(SparkPrograms.ENVIRONMENT)) {
      assertEquals(0, run.awaitExit(), run::errors);
      return Path.of(run.lines().get(0)).getFileName();
    }
  }

  private static void make() {
    Path unfinished = archive.resolveSibling(archive.getFileName() + ".unfinished");
    try (FileChannel channel =
            FileChannel.open(
                archive.resolveSibling("spark-classes.lock"),
                StandardOpenOption.CREATE,
                StandardOpenOption.WRITE);
        FileLock lock = channel.tryLock();
        ScratchFolder folder = new ScratchFolder("spark-classes")) {
      if (lock == null || Files.exists(archive)) {
        return;
      }
      String command =
          "%s; SPARK_SUBMIT_OPTS='-XX:ArchiveClassesAtExit=%s' exec spark-sql --master local[2]"
              + " --conf spark.sql.catalogImplementation=in-memory --conf spark.sql.warehouse.dir=%s"
              + " --conf spark.ui.enabled=false --conf spark.sql.shuffle.partitions=2 -e '%s'";
      try (ScriptRun run =
          new ScriptRun(
              "bash",
              "-c",
              command.formatted(SparkPrograms.IN_PATH, unfinished, folder.path(), QUERY))) {
        assertEquals(0, run.awaitExit(), () -> run.output() + run.errors());
      }
      Files.move(unfinished, archive, StandardCopyOption.ATOMIC_MOVE);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
