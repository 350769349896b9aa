package io.tally.tests;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/**
 * The site of docs/ is made without a warning, which includes every link and anchor, and needs no
 * other host. Where no Python can make it, the tests are skipped and say so.
 */
class SiteTest {
  static final String COMMAND = "./docs/site.sh";

  private static final int NO_PYTHON = 3;

  /** What a browser fetches without being asked; links that people follow are no such thing. */
  private static final Pattern FETCHED =
      Pattern.compile(
          "(?:src|srcset)=\"(?:https?:)?//[^\"]*|<link[^>]*href=\"(?:https?:)?//[^\"]*|url\\((?:https?:)?//");

  @Test
  void everyPageIsThereAndNothingIsFetched() throws IOException {
    make();
    Path site = Home.root().resolve("target/site");
    Set<String> missing = new TreeSet<>();
    try (Stream<Path> pages = Files.list(Home.root().resolve("docs"))) {
      for (Path page : pages.filter(it -> it.toString().endsWith(".md")).toList()) {
        String name = page.getFileName().toString().replace(".md", ".html");
        if (!Files.exists(site.resolve(name))) {
          missing.add(name);
        }
      }
    }
    assertEquals(Set.of(), missing);
    Set<String> wrong = new TreeSet<>();
    for (Path file : textsOf(site)) {
      String text = Files.readString(file);
      if (FETCHED.matcher(text).find()) {
        wrong.add(file + " fetches from another host");
      }
      if (text.contains("<p>| --- ") || text.contains("<p>```")) {
        wrong.add(file + " shows Markdown that was not understood");
      }
    }
    assertEquals(Set.of(), wrong);
  }

  /** One of each kind, beside the project's own way to make the site. */
  @Test
  void aLinkToNowhereFailsIt() throws IOException {
    make();
    try (ScratchFolder folder = new ScratchFolder("site")) {
      Path docs = folder.folder("docs");
      for (String file : List.of("site.sh", "requirements.txt", "repository_links.py")) {
        Files.copy(Home.root().resolve("docs").resolve(file), docs.resolve(file));
      }
      String settings = Files.readString(Home.root().resolve("mkdocs.yml"));
      Files.writeString(
          folder.path().resolve("mkdocs.yml"), settings.substring(0, settings.indexOf("\nnav:")));
      Files.writeString(
          docs.resolve("index.md"),
          "# Page\n\n[a](no-page.md) [b](#no-anchor) [c](../no-file) [d](site.sh#no-line)\n");
      Files.createSymbolicLink(folder.path().resolve("python"), Home.root().resolve("python"));
      try (ScriptRun run = new ScriptRun("bash", docs.resolve("site.sh").toString())) {
        assertEquals(1, run.awaitExit(), () -> run.output() + run.errors());
        for (String link : List.of("no-page.md", "#no-anchor", "../no-file", "#no-line")) {
          assertTrue(run.errors().contains(link), () -> link + " is not in: " + run.errors());
        }
      }
    }
  }

  private static void make() {
    try (ScriptRun run = new ScriptRun("bash", "-c", COMMAND)) {
      int status = run.awaitExit();
      assumeTrue(status != NO_PYTHON, run::errors);
      assertEquals(0, status, () -> run.output() + run.errors());
    }
  }

  private static List<Path> textsOf(Path site) throws IOException {
    try (Stream<Path> files = Files.walk(site)) {
      return files.filter(it -> it.toString().matches(".*\\.(html|css)")).toList();
    }
  }
}
