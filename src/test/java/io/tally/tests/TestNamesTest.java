package io.tally.tests;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

/** Every class that holds tests has a name by which the build finds it, and so is run. */
class TestNamesTest {
  private static final Pattern TEST =
      Pattern.compile(
          "^ *@(Test|ParameterizedTest|RepeatedTest|TestFactory|TestTemplate|Property|Example)\\b",
          Pattern.MULTILINE);
  private static final Pattern ABSTRACT = Pattern.compile("^abstract class ", Pattern.MULTILINE);

  @Test
  void everyClassWithTestsIsFound() throws IOException {
    List<Path> holders =
        SourceFiles.endingWith(".java").stream().filter(TestNamesTest::holds).toList();
    Set<String> lost = new TreeSet<>();
    for (Path holder : holders) {
      if (!isFound(holder)) {
        lost.add(Home.root().relativize(holder).toString());
      }
    }
    assertTrue(holders.contains(self()), "the search finds nothing");
    assertEquals(Set.of(), lost, "name these so that the build finds them");
  }

  private static boolean holds(Path file) {
    try {
      String source = Files.readString(file);
      return TEST.matcher(source).find() && !ABSTRACT.matcher(source).find();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** By Surefire, which is in every module; or by Failsafe, where the module's pom has it. */
  private static boolean isFound(Path holder) throws IOException {
    String name = holder.getFileName().toString();
    return name.endsWith("Test.java")
        || (name.endsWith("IT.java") && Files.readString(pomOf(holder)).contains("failsafe"));
  }

  private static Path pomOf(Path file) {
    Path folder = file.getParent();
    while (!Files.exists(folder.resolve("pom.xml"))) {
      folder = folder.getParent();
    }
    return folder.resolve("pom.xml");
  }

  private static Path self() {
    return Home.root().resolve("src/test/java/io/tally/tests/TestNamesTest.java");
  }
}
