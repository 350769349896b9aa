package io.tally.tests;

import static org.apache.spark.sql.functions.desc;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.SparkSession;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/**
 * What the README shows is what happens: its snippets are run, with the addresses of test nodes.
 */
@ExtendWith(FlightsCluster.class)
class ReadmeTest {
  /** The addresses in the README's snippets. */
  static final String ENDPOINTS = "127.0.0.1:7071,127.0.0.1:7072,127.0.0.1:7073";

  private static final String BEGIN = "    // snippet begins\n";
  private static final String END = "    // snippet ends\n";

  static final String NODE_COMMAND =
      "partition-server/target/tally-server/bin/tally-server"
          + " --config examples/quickstart/conf/node-a.yaml";

  @Test
  void sqlSnippetRuns(TallyCluster cluster) throws IOException {
    SparkSession spark = LocalSpark.newSession();
    List<Row> last = List.of();
    try {
      for (String statement : snippets("sql").get(0).split(";", -1)) {
        if (!statement.isBlank()) {
          assertTrue(!statement.contains("endpoints") || statement.contains(ENDPOINTS), statement);
          last = spark.sql(statement.replace(ENDPOINTS, cluster.endpoints())).collectAsList();
        }
      }
    } finally {
      spark.sql("DROP TABLE IF EXISTS flights");
    }
    long origins =
        spark
            .read()
            .parquet(Home.root().resolve("examples/data/flights").toString())
            .where("distance > 500")
            .select("origin")
            .distinct()
            .count();
    assertEquals(origins, last.size());
  }

  /** The two ways that the page of options shows to write a name with a hyphen. */
  @Test
  void pushDownIsSwitchedOffAsShown(TallyCluster cluster) throws IOException {
    String options = inlineCode("OPTIONS (");
    String setting = inlineCode("SET ");
    String table = "(endpoints '%s', table 'flights', ".formatted(cluster.endpoints());
    SparkSession one = LocalSpark.newSession();
    one.sql(
        "CREATE TEMPORARY VIEW f USING tally " + options.replace("OPTIONS (", "OPTIONS " + table));
    SparkSession other = LocalSpark.newSession();
    other.sql(setting);
    other
        .read()
        .format("tally")
        .options(cluster.options("flights"))
        .load()
        .createOrReplaceTempView("f");
    for (SparkSession spark : List.of(one, other)) {
      String plan = spark.sql("EXPLAIN SELECT count(*) FROM f WHERE delay > 5").head().getString(0);
      assertTrue(plan.contains("the option push-down is false"), plan);
      assertTrue(plan.contains("PushedPredicates: []"), plan);
    }
  }

  /** Code within a line of text that begins so, and holds backquotes. */
  private static String inlineCode(String beginning) throws IOException {
    Matcher code =
        Pattern.compile("[^`]``(" + Pattern.quote(beginning) + ".*?)``[^`]")
            .matcher(Files.readString(Home.root().resolve("docs/options.md")));
    assertTrue(code.find(), "the page shows no " + beginning);
    return code.group(1);
  }

  @Test
  void javaSnippetIsTheOneThatRunsHere(TallyCluster cluster) throws IOException {
    String here =
        Files.readString(Home.root().resolve("src/test/java/io/tally/tests/ReadmeTest.java"));
    String shown = snippets("java").get(0);
    String run = here.substring(here.indexOf(BEGIN) + BEGIN.length(), here.indexOf(END));
    assertEquals(
        withoutSpace(shown),
        withoutSpace(run).replace("cluster.endpoints()", '"' + ENDPOINTS + '"'));

    SparkSession spark = LocalSpark.newSession();
    // snippet begins
    Dataset<Row> flights =
        spark
            .read()
            .format("tally")
            .option("endpoints", cluster.endpoints())
            .option("table", "flights")
            .load();
    Dataset<Row> busiest = flights.groupBy("origin").count().orderBy(desc("count")).limit(3);
    // snippet ends
    assertEquals("[ORD,166341]", busiest.first().toString());
  }

  @Test
  void nodeStartsAsShown() {
    try (ScriptRun run = new ScriptRun("bash", "-c", "exec " + NODE_COMMAND + " 2>&1")) {
      run.readUntil(line -> line.contains("node-a listens on 127.0.0.1:"));
      run.terminate();
      assertEquals(0, run.awaitExit(), run::output);
    }
  }

  private static List<String> snippets(String language) throws IOException {
    Matcher block =
        Pattern.compile("^```" + language + "\\n(.*?)^```", Pattern.MULTILINE | Pattern.DOTALL)
            .matcher(readme());
    List<String> snippets = new ArrayList<>();
    while (block.find()) {
      snippets.add(block.group(1));
    }
    assertTrue(!snippets.isEmpty(), "the README shows no " + language);
    return snippets;
  }

  private static String readme() throws IOException {
    return Files.readString(Home.root().resolve("README.md"));
  }

  private static String withoutSpace(String code) {
    return code.replaceAll("\\s", "");
  }
}
