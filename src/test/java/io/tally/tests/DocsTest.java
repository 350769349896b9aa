package io.tally.tests;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.tally.tests.differential.DifferentialMain;
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

/** Every command that a page shows is one that is known to work, and every link leads somewhere. */
class DocsTest {
  /** A command as pages show it, and what runs it so that it stays true. */
  private static final Map<String, String> COVERED =
      Map.of(
          QuickstartTest.COMMAND,
          "QuickstartTest",
          "./mvnw -B verify",
          ".ci/run: the build that runs this test",
          "./.ci/run",
          "the build that runs this test",
          BenchmarksTest.COMMAND,
          "BenchmarksTest",
          DifferentialMain.COMMAND + " --seed 1 --queries 1000",
          "DifferentialTest, with fewer queries",
          TpchTest.COMMAND,
          "TpchTest, at a smaller scale",
          ReadmeTest.NODE_COMMAND,
          "ReadmeTest",
          ReadmeTest.SUBMIT_COMMAND,
          "ReadmeTest");

  private static final Pattern COMMANDS =
      Pattern.compile(
          "^ *```(?:console|bash|sh|shell)\\n(.*?)^ *```", Pattern.MULTILINE | Pattern.DOTALL);
  private static final Pattern LINK = Pattern.compile("\\[[^\\]]*\\]\\(([^)#\\s]+)(?:#[^)]*)?\\)");
  private static final Set<String> NOT_OURS = Set.of("target", ".git", "node_modules");

  @Test
  void everyCommandIsRunByATest() throws IOException {
    Set<String> unknown = new TreeSet<>();
    int commands = 0;
    for (Path page : pages()) {
      for (String command : commands(Files.readString(page))) {
        commands++;
        if (!COVERED.containsKey(command)) {
          unknown.add(Home.root().relativize(page) + ": " + command);
        }
      }
    }
    assertTrue(commands > 0, "no page shows a command");
    assertEquals(Set.of(), unknown, "add a test that runs the command, then name it in COVERED");
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

  private static List<Path> pages() throws IOException {
    try (Stream<Path> files = Files.walk(Home.root())) {
      return files
          .filter(it -> it.toString().endsWith(".md"))
          .filter(it -> NOT_OURS.stream().noneMatch(name -> contains(it, name)))
          .toList();
    }
  }

  private static boolean contains(Path path, String name) {
    for (Path part : Home.root().relativize(path)) {
      if (part.toString().equals(name)) {
        return true;
      }
    }
    return false;
  }

  /** The lines behind a prompt if there are prompts, else all lines; continued lines are joined. */
  private static List<String> commands(String page) {
    List<String> commands = new ArrayList<>();
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
