package io.tally.tests;

import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.util.List;
import org.apache.spark.sql.SparkSession;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** The plans that docs/push-down.md shows are those that Spark makes. */
@ExtendWith(FlightsCluster.class)
class PushDownPageTest {
  private static final String BEGIN = "<!-- explained -->\n";

  @Test
  void plansAreAsShown(TallyCluster cluster) throws IOException {
    SparkSession spark = LocalSpark.newSession();
    String options = "OPTIONS (endpoints '%s', table 'flights')".formatted(cluster.endpoints());
    spark.sql("CREATE TABLE flights USING tally " + options);
    try {
      String page = Files.readString(Home.root().resolve("docs/push-down.md"));
      int from = page.indexOf(BEGIN) + BEGIN.length();
      List<String> lines =
          page.substring(from, page.indexOf("\n<!-- end -->", from)).lines().skip(2).toList();
      assertTrue(lines.size() > 5, "the table was not found");
      for (String line : lines) {
        String[] cells = line.split("`", -1);
        String plan = spark.sql("EXPLAIN " + cells[1]).head().getString(0);
        assertTrue(plan.contains(cells[3]), () -> line + "\n" + plan);
      }
    } finally {
      spark.sql("DROP TABLE flights");
    }
  }
}
