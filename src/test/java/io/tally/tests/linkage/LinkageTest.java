package io.tally.tests.linkage;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.tally.tests.SparkRelease;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/**
 * The connector's jar, which is compiled against one Spark, fits the one that these tests run on,
 * and the Arrow and all else that this brings.
 */
class LinkageTest {
  /** The libraries in the jar look for others that need not be there. */
  private static final Pattern OURS = Pattern.compile("io/tally/(spark|rpc)/.*");

  /** A package of classes that only Spark 4.N and newer loads. */
  private static final Pattern SINCE = Pattern.compile("io/tally/spark/since4(\\d+)/.*");

  @Test
  void ourClassesFindAllThatTheyWereCompiledAgainst() throws IOException {
    try (ClassPath classPath = new ClassPath(jars())) {
      assertTrue(classPath.find("io/tally/spark/TallyDataSource").isPresent());
      assertTrue(SparkRelease.version().startsWith("4."));
      assertEquals(Set.of(), Linker.problems(classPath, LinkageTest::isLoadedHere));
    }
  }

  private static List<Path> jars() {
    return Stream.of(System.getProperty("java.class.path").split(":", -1))
        .filter(entry -> entry.endsWith(".jar"))
        .map(Path::of)
        .toList();
  }

  private static boolean isLoadedHere(String name) {
    Matcher since = SINCE.matcher(name);
    return OURS.matcher(name).matches()
        && !(since.matches() && !SparkRelease.isAtLeast(Integer.parseInt(since.group(1))));
  }
}
