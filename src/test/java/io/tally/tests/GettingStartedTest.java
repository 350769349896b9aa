package io.tally.tests;

import static java.util.stream.Collectors.joining;
import static java.util.stream.Collectors.toSet;
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
import java.util.concurrent.TimeUnit;
import java.util.regex.MatchResult;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * Follows docs/getting-started.md block by block in a shell, in a scratch folder and at free ports,
 * with what the build has made: SQL goes to the prompt of the real {@code spark-sql}.
 */
class GettingStartedTest {
  static final String PAGE = "docs/getting-started.md";

  /** What a build cannot do inside itself, or has done in {@code python/target}. */
  private static final Set<String> DONE_BY_THE_BUILD =
      Set.of(
          "./mvnw -B -ntp -DskipTests -pl connector,partition-server -am package",
          "python3 -m venv mine/spark",
          ". mine/spark/bin/activate",
          "pip install --quiet pyspark==4.2.0");

  private static final Pattern BLOCK =
      Pattern.compile("^```(\\w+)\\n(.*?)^```", Pattern.MULTILINE | Pattern.DOTALL);
  private static final Pattern FILE_TO_WRITE = Pattern.compile("Write this into `([^`]+)`:\\s*$");
  private static final Pattern LEAVE =
      Pattern.compile("^Leave the prompt with `([^`]+)`", Pattern.MULTILINE);
  private static final Pattern ROWS_OF_A_NODE =
      Pattern.compile("^(.*)\\t(.*)\\t(\\d+)$", Pattern.MULTILINE);
  private static final List<String> NODES = List.of("node-a", "node-b", "node-c");

  @BeforeAll
  @Timeout(value = SparkPrograms.START_LIMIT_MINUTES, unit = TimeUnit.MINUTES)
  static void sparkIsThere() {
    SparkPrograms.assume();
  }

  @Test
  void everyStepDoesWhatThePageSays() throws IOException {
    String page = Files.readString(Home.root().resolve(PAGE));
    try (ScratchFolder folder = new ScratchFolder("started");
        Terminal terminal = new Terminal()) {
      Visit visit = new Visit(folder.path().resolve("mine"), terminal, page);
      // Where nodes put their temporary files, and Spark the history of its prompt.
      Path own = folder.folder("own");
      terminal.run(
          SparkPrograms.javaOptions("-Djava.io.tmpdir=" + own, "-Duser.home=" + own)
              + "; "
              + SparkPrograms.IN_PATH);
      Matcher block = BLOCK.matcher(page);
      while (block.find()) {
        String text = block.group(2);
        switch (block.group(1)) {
          case "bash" -> text.lines().forEach(visit::command);
          case "yaml" -> visit.write(fileNamedIn(page.substring(0, block.start())), text);
          case "sql" -> visit.sql(text);
          case "text" -> visit.shown(text);
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
    private final String page;
    private final List<Integer> ports = NODES.stream().map(node -> FreePorts.next()).toList();
    private final List<String> tails = new ArrayList<>();

    /** The command that starts the prompt, and what is typed there. */
    private final StringBuilder prompt = new StringBuilder();

    private String answers = "";
    private String plan = "";

    Visit(Path mine, Terminal terminal, String page) {
      this.mine = mine;
      this.terminal = terminal;
      this.page = page;
    }

    void command(String line) {
      leavePrompt();
      if (DONE_BY_THE_BUILD.contains(line)) {
        return;
      } else if (line.startsWith("spark-sql ") && !line.contains(" -e ")) {
        prompt.append(line).append(" <<'END OF INPUT'\n");
      } else if (line.startsWith("tail ")) {
        // A reader takes a few seconds; a node may be about to write.
        Await.until("the nodes have started", () -> logsHave("listens on", 1));
        Await.until("the scans have ended", () -> logsHave("ScanLog", answers.isEmpty() ? 0 : 3));
        tails.add(terminal.run(here(line)));
      } else {
        terminal.run(here(line));
      }
    }

    void write(String file, String text) throws IOException {
      Files.writeString(Path.of(here(file)), here(text));
    }

    void sql(String statements) {
      assertTrue(!prompt.isEmpty(), "there is no prompt for " + statements);
      prompt.append(statements);
    }

    /** Of the last plan. */
    void shown(String text) {
      plan = text.strip();
    }

    private void leavePrompt() {
      if (!prompt.isEmpty()) {
        Matcher leave = LEAVE.matcher(page);
        assertTrue(leave.find(), "the page does not say how to leave the prompt");
        prompt.append(leave.group(1)).append("\nEND OF INPUT");
        answers = terminal.run(here(prompt.toString()));
        prompt.setLength(0);
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
      Dataset<Row> flights =
          LocalSpark.newSession().read().parquet(Home.flights("2001-01").toString());
      String busiest =
          flights
              .where("distance > 500")
              .groupBy("origin")
              .agg(expr("count(*)").as("n"), expr("avg(delay)"))
              .orderBy(desc("n"))
              .limit(3)
              .collectAsList()
              .stream()
              .map(it -> it.mkString("\t") + "\n")
              .collect(joining());
      assertEquals(
          2,
          answers.split(Pattern.quote(busiest), -1).length - 1,
          "with push-down, and without: " + answers);
      List<MatchResult> nodes =
          ROWS_OF_A_NODE
              .matcher(answers)
              .results()
              .filter(it -> NODES.contains(it.group(1)))
              .toList();
      assertEquals(
          Set.of("node-a first", "node-b second", "node-c third"),
          nodes.stream().map(it -> it.group(1) + " " + it.group(2)).collect(toSet()));
      assertEquals(
          flights.count(), nodes.stream().mapToLong(it -> Long.parseLong(it.group(3))).sum());
      assertTrue(!plan.isEmpty() && answers.contains(plan), answers);
      assertEquals(2, tails.size());
      for (int i = 0; i < NODES.size(); i++) {
        String listens = NODES.get(i) + " listens on 127.0.0.1:" + ports.get(i);
        assertTrue(tails.get(0).contains(listens), tails.get(0));
      }
      assertEquals(9, tails.get(1).lines().filter(it -> it.endsWith(": OK")).count(), tails.get(1));
    }
  }
}
