package io.tally.tests;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.tally.tests.differential.DifferentialMain;
import io.tally.tests.faults.FaultsMain;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/**
 * Every command that a page shows, in a block or in a table, is one that is known to work, and
 * every link leads somewhere.
 */
class DocsTest {
  /** A command as pages show it, and what runs it so that it stays true. */
  private static final Map<String, String> COVERED =
      Map.ofEntries(
          Map.entry(QuickstartTest.COMMAND, "QuickstartTest"),
          Map.entry("./mvnw -B verify", ".ci/run: the build that runs this test"),
          Map.entry("./.ci/run", "the build that runs this test"),
          Map.entry(BenchmarksTest.COMMAND, "BenchmarksTest"),
          Map.entry(BenchmarksTest.COMMAND + " transport", "BenchmarksTest, which runs all"),
          Map.entry(
              DifferentialMain.COMMAND + " --seed 1 --queries 1000",
              "DifferentialTest, with fewer queries"),
          Map.entry(
              FaultsMain.COMMAND + " --seed 1 --schedules 1000",
              "FaultsTest, with fewer schedules"),
          Map.entry(TpchTest.COMMAND, "TpchTest, at a smaller scale"),
          Map.entry(ReadmeTest.NODE_COMMAND, "ReadmeTest"),
          Map.entry(SubmitTest.COMMAND, "SubmitTest"),
          Map.entry(PythonTest.CHECK_COMMAND, "PythonTest"),
          Map.entry(PythonTest.NOTEBOOK_COMMAND, "PythonTest"),
          Map.entry(
              PythonTest.NOTEBOOK_COMMAND + " --update", "PythonTest, which compares instead"),
          Map.entry(
              "python3 -m pip install \"./python[spark]\"",
              "PythonTest, into an environment that has PySpark already"),
          Map.entry(
              "spark-submit --class org.apache.spark.sql.connect.service.SparkConnectServer"
                  + " --jars connector/target/tally-connector-0.1.0-SNAPSHOT.jar spark-internal",
              "PythonTest, at a free port"),
          Map.entry(SiteTest.COMMAND, "SiteTest"),
          Map.entry(ContainerImage.COMMAND, "ContainersTest"),
          Map.entry(ComposeExample.UP, "ContainersTest"),
          Map.entry(ComposeExample.DOWN, "ContainersTest"),
          Map.entry(
              "./mvnw -B -DskipTests -pl partition-server -am package", "a part of the build"),
          // What a build cannot start inside itself; what they name is looked up below.
          Map.entry("./mvnw -B -DskipTests package", "a part of the build"),
          Map.entry("./mvnw -pl connector -am verify", "a part of the build"),
          Map.entry(
              "./mvnw verify -Dspark.version=4.0.4",
              "a part of the build, which runs some tests on that Spark"),
          Map.entry(
              "./mvnw -pl partition-server -am test -Dtest=BatchCutterTest"
                  + " -Dsurefire.failIfNoSpecifiedTests=false",
              "a part of the build"),
          Map.entry(
              "./mvnw -pl rpc-protocol -am test -Dtest=HostileAnswerTest"
                  + " -Djqwik.tries.default=500000",
              "a part of the build, with fewer tries"),
          Map.entry(
              "./mvnw -pl partition-server -am test -Dtest=HostileRequestTest"
                  + " -Dsurefire.failIfNoSpecifiedTests=false -Djqwik.tries.default=500000",
              "a part of the build, with fewer tries"),
          Map.entry("./mvnw spotless:apply", "the build checks the format by the same plugin"));

  /** Pages all of whose commands are run by a test that reads them from the page. */
  private static final Set<Path> RUN_FROM_THE_PAGE =
      Set.of(Path.of(SparkSubmitTest.PAGE), Path.of(SparkSqlTest.PAGE));

  private static final Pattern COMMANDS =
      Pattern.compile(
          "^ *```(?:console|bash|sh|shell)\\n(.*?)^ *```", Pattern.MULTILINE | Pattern.DOTALL);
  private static final Pattern COMMAND_IN_TABLE =
      Pattern.compile("^\\|.*\\| `(\\./[^`]+)` \\|$", Pattern.MULTILINE);
  private static final Pattern MODULE = Pattern.compile(" -pl (\\S+)");
  private static final Pattern TEST = Pattern.compile(" -Dtest=(\\S+)");
  private static final Pattern GOAL =
      Pattern.compile("`[a-z]+\\.[a-z0-9]+-[a-z0-9-]+`|`concurrency\\.[a-z]+`");
  private static final Pattern LINK = Pattern.compile("\\[[^\\]]*\\]\\(([^)#\\s]+)(?:#[^)]*)?\\)");

  @Test
  void everyCommandIsRunByATest() throws IOException {
    Set<String> unknown = new TreeSet<>();
    int commands = 0;
    for (Path page : pages()) {
      if (page.endsWith(GettingStartedTest.PAGE)) {
        // It follows the whole page, and fails if it does not know how.
        continue;
      }
      for (String command : commands(Files.readString(page))) {
        commands++;
        Path name = Home.root().relativize(page);
        if (!COVERED.containsKey(command) && !RUN_FROM_THE_PAGE.contains(name)) {
          unknown.add(name + ": " + command);
        }
      }
    }
    assertTrue(commands > 0, "no page shows a command");
    assertEquals(Set.of(), unknown, "add a test that runs the command, then name it in COVERED");
  }

  @Test
  void modulesAndTestsThatCommandsNameExist() throws IOException {
    Set<String> missing = new TreeSet<>();
    for (String command : COVERED.keySet()) {
      Matcher module = MODULE.matcher(command);
      if (module.find()) {
        Path folder = Home.root().resolve(module.group(1));
        if (!Files.exists(folder.resolve("pom.xml"))) {
          missing.add(command);
        }
        Matcher test = TEST.matcher(command);
        if (test.find() && !holds(folder.resolve("src/test"), test.group(1) + ".java")) {
          missing.add(command);
        }
      }
    }
    assertEquals(Set.of(), missing);
  }

  private static boolean holds(Path folder, String fileName) throws IOException {
    try (Stream<Path> files = Files.walk(folder)) {
      return files.anyMatch(it -> it.endsWith(fileName));
    }
  }

  @Test
  void everyLinkToAFileLeadsToOne() throws IOException {
    Set<String> broken = new TreeSet<>();
    for (Path page : pages()) {
      Matcher link = LINK.matcher(Files.readString(page));
      while (link.find()) {
        String target = link.group(1);
        if (!target.contains("://")
            && !target.startsWith("mailto:")
            && !Files.exists(page.resolveSibling(target))) {
          broken.add(Home.root().relativize(page) + ": " + target);
        }
      }
    }
    assertEquals(Set.of(), broken);
  }

  /** Figures stand in docs/performance.md alone; other pages name the goal. */
  @Test
  void goalsThatOtherPagesNameAreMeasured() throws IOException {
    Path docs = Home.root().resolve("docs");
    String measured = Files.readString(docs.resolve("performance.md"));
    Set<String> unknown = new TreeSet<>();
    int goals = 0;
    Matcher goal = GOAL.matcher(Files.readString(docs.resolve("comparison.md")));
    while (goal.find()) {
      goals++;
      if (!measured.contains(goal.group())) {
        unknown.add(goal.group());
      }
    }
    assertTrue(goals > 0, "the comparison names no goal");
    assertEquals(Set.of(), unknown);
  }

  private static List<Path> pages() throws IOException {
    return SourceFiles.endingWith(".md");
  }

  /**
   * Those in tables; of blocks the lines behind a prompt if there are prompts, else all lines.
   * Continued lines are joined.
   */
  static List<String> commands(String page) {
    List<String> commands = new ArrayList<>();
    Matcher cell = COMMAND_IN_TABLE.matcher(page);
    while (cell.find()) {
      commands.add(cell.group(1));
    }
    Matcher block = COMMANDS.matcher(page);
    while (block.find()) {
      List<String> lines = block.group(1).replace("\\\n", " ").lines().map(String::strip).toList();
      boolean prompts = lines.stream().anyMatch(it -> it.startsWith("$ "));
      for (String line : lines) {
        if (prompts && line.startsWith("$ ")) {
          commands.add(withoutComment(line.substring(2)));
        } else if (!prompts && !line.isEmpty() && !line.startsWith("#")) {
          commands.add(withoutComment(line));
        }
      }
    }
    return commands;
  }

  private static String withoutComment(String command) {
    return command.replaceAll(" +# .*", "").replaceAll(" +", " ").strip();
  }
}
