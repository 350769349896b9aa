package io.tally.tests;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import org.apache.spark.sql.SparkSession;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** A query that has its rows stops the nodes, whether they know of the limit or not. */
class EarlyEndTest {
  private static final int CREDITS = 4;

  /** The node's one line for each scan that has ended. */
  private static final Pattern SCAN_ENDS =
      Pattern.compile("ScanLog scan .* rows (\\d+) batches (\\d+) bytes .* millis \\d+: ([A-Z_]+)");

  private TallyCluster cluster;
  private SparkSession spark;

  @BeforeEach
  void start() {
    cluster = TallyCluster.flights();
    spark = LocalSpark.newSession();
    Map<String, String> options = new LinkedHashMap<>(cluster.options("flights"));
    options.put("max-batch-bytes", "65536");
    options.put("window-bytes", Integer.toString(CREDITS * 65536));
    spark.read().format("tally").options(options).load().createOrReplaceTempView("flights");
  }

  @AfterEach
  void stop() {
    cluster.close();
  }

  private List<MatchResult> endsOfScans() {
    for (int i = 0; i < 3; i++) {
      cluster.node(i).stop();
    }
    return SCAN_ENDS.matcher(cluster.logs()).results().toList();
  }

  @Test
  void aLimitThatNodesKnowSendsThatManyRows() {
    assertEquals(10, spark.sql("SELECT * FROM flights LIMIT 10").collectAsList().size());
    for (MatchResult end : endsOfScans()) {
      assertEquals("10", end.group(1));
      assertEquals("1", end.group(2));
    }
  }

  @Test
  void aLimitBehindSparksOwnFilterEndsTheStream() {
    assertEquals(
        10,
        spark
            .sql("SELECT * FROM flights WHERE pmod(xxhash64(origin), 2) = 0 LIMIT 10")
            .collectAsList()
            .size());
    List<MatchResult> ends = endsOfScans();
    // Spark reads one task's rows before it asks for more, and ten are in the first batch.
    assertEquals(1, ends.size());
    assertEquals("CANCELLED", ends.get(0).group(3));
    // The window, and what a consumer that reads the first batch gives back of it.
    int batches = Integer.parseInt(ends.get(0).group(2));
    assertTrue(batches <= 2 * CREDITS, () -> batches + " batches were made");
  }
}
