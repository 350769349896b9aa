package io.tally.tests;

import static org.apache.spark.sql.functions.desc;
import static org.apache.spark.sql.functions.expr;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.tally.server.fixture.Await;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.SparkSession;
import org.junit.jupiter.api.Test;

/**
 * Follows docs/getting-started.md block by block, in a scratch folder and at free ports, with what
 * the build has made: commands in a shell, SQL in the Spark of this JVM in place of Spark's prompt.
 */
class GettingStartedTest {
  static final String PAGE = "docs/getting-started.md";

  /** What a build cannot do inside itself. */
  private static final Set<String> DONE_BY_THE_BUILD =
      Set.of(
          "./mvnw -B -ntp -DskipTests -pl connector,partition-server -am package",
          "python3 -m venv mine/spark",
          ". mine/spark/bin/activate",
          "pip install --quiet pyspark==4.2.0");

  private static final String SPARK = "spark-sql --conf spark.sql.catalogImplementation=in-memory ";
  private static final Pattern STATEMENT = Pattern.compile(SPARK + "-e '([^']*)'");
  private static final Pattern PROMPT = Pattern.compile(SPARK + "--jars (\\S+)");

  private static final Pattern BLOCK =
      Pattern.compile("^```(\\w+)\\n(.*?)^```", Pattern.MULTILINE | Pattern.DOTALL);
  private static final Pattern FILE_TO_WRITE = Pattern.compile("Write this into `([^`]+)`:\\s*$");
  private static final List<String> NODES = List.of("node-a", "node-b", "node-c");

  @Test
  void everyStepDoesWhatThePageSays() throws IOException {
    String page = Files.readString(Home.root().resolve(PAGE));
    try (ScratchFolder folder = new ScratchFolder("started");
        Terminal terminal = new Terminal(folder.folder("tmp"))) {
      Visit visit = new Visit(folder.path().resolve("mine"), terminal);
      Matcher block = BLOCK.matcher(page);
      while (block.find()) {
        String text = block.group(2);
        switch (block.group(1)) {
          case "bash" -> text.lines().forEach(visit::command);
          case "yaml" -> visit.write(fileNamedIn(page.substring(0, block.start())), text);
          case "sql" -> visit.sql(text);
          case "text" -> assertTrue(visit.lastPlan.contains(text.strip()), visit.lastPlan);
          default -> throw new AssertionError("how is this to be followed? " + block.group());
        }
      }
      visit.assertAnswered();
      assertTrue(Files.notExists(visit.mine), "the page leaves something behind");
    }
  }

  private static String fileNamedIn(String textBefore) {
    Matcher file = FILE_TO_WRITE.matcher(textBefore);
    assertTrue(file.find(), "no file is named for what follows: " + textBefore);
    return file.group(1);
  }

  /** A reader who does one step after the other. */
  private static final class Visit {
    private final Path mine;
    private final Terminal terminal;
    private final SparkSession prompt = LocalSpark.newSession();
    private final List<Integer> ports = NODES.stream().map(node -> FreePorts.next()).toList();
    private final List<List<Row>> answers = new ArrayList<>();
    private final List<String> tails = new ArrayList<>();
    private String lastPlan = "";

    Visit(Path mine, Terminal terminal) {
      this.mine = mine;
      this.terminal = terminal;
    }

    void command(String line) {
      Matcher statement = STATEMENT.matcher(line);
      Matcher start = PROMPT.matcher(line);
      if (DONE_BY_THE_BUILD.contains(line)) {
        return;
      } else if (statement.matches()) {
        prompt.sql(here(statement.group(1)));
      } else if (start.matches()) {
        assertTrue(Files.exists(Home.root().resolve(start.group(1))), line);
      } else if (line.startsWith("tail ")) {
        // A reader takes a few seconds; a node may be about to write.
        Await.until("the nodes have started", () -> logsHave("listens on", 1));
        Await.until("the scans have ended", () -> logsHave("ScanLog", answers.size()));
        tails.add(terminal.run(here(line)));
      } else {
        if (line.startsWith("kill ")) {
          // Leaving the prompt drops its table: here, while there are nodes to ask for it.
          prompt.sql("DROP TABLE own");
        }
        terminal.run(here(line));
      }
    }

    void write(String file, String text) throws IOException {
      Files.writeString(Path.of(here(file)), here(text));
    }

    void sql(String statements) {
      for (String statement : statements.split(";", -1)) {
        if (statement.isBlank()) {
          continue;
        }
        List<Row> rows = prompt.sql(here(statement)).collectAsList();
        if (statement.strip().startsWith("SELECT")) {
          answers.add(rows);
        } else if (statement.strip().startsWith("EXPLAIN")) {
          lastPlan = rows.get(0).getString(0);
        }
      }
    }

    /** The reader's own folder is not in the checkout here, and the page's ports may be in use. */
    private String here(String text) {
      String moved = text.replaceAll("\\bmine\\b", mine.toString());
      for (int i = 0; i < ports.size(); i++) {
        moved = moved.replace(Integer.toString(7071 + i), ports.get(i).toString());
      }
      return moved;
    }

    private boolean logsHave(String word, int times) {
      return NODES.stream().allMatch(node -> log(node).split(word, -1).length > times);
    }

    private String log(String node) {
      try {
        return Files.readString(mine.resolve(node + ".log"));
      } catch (IOException e) {
        throw new UncheckedIOException(e);
      }
    }

    void assertAnswered() {
      List<Row> expected =
          prompt
              .read()
              .parquet(Home.flights("2001-01").toString())
              .where("distance > 500")
              .groupBy("origin")
              .agg(expr("count(*)").as("n"), expr("avg(delay)"))
              .orderBy(desc("n"))
              .limit(3)
              .collectAsList();
      assertEquals(3, answers.size());
      assertEquals(expected, answers.get(0), "with push-down");
      assertEquals(expected, answers.get(1), "without");
      assertEquals(
          Set.of("node-a first", "node-b second", "node-c third"),
          Set.copyOf(
              answers.get(2).stream().map(it -> it.getString(0) + " " + it.getString(1)).toList()));
      assertEquals(2, tails.size());
      for (int i = 0; i < NODES.size(); i++) {
        String listens = NODES.get(i) + " listens on 127.0.0.1:" + ports.get(i);
        assertTrue(tails.get(0).contains(listens), tails.get(0));
      }
      assertEquals(9, tails.get(1).lines().filter(it -> it.endsWith(": OK")).count(), tails.get(1));
    }
  }
}
