package io.tally.tests;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.FileTime;
import java.time.Instant;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * When {@code run.sh} builds, and what it does with nodes that run when another fails: looked at in
 * a checkout of stand-ins, whose Maven and whose nodes say that they were called and fail.
 */
class QuickstartBuildTest {
  private static final String BUILDS = "Building the nodes";
  private static final String SERVER = "partition-server/target/tally-server";
  private static final int LIMIT_OF_STAND_IN_SECONDS = 60;
  private static final Instant WRITTEN = Instant.parse("2020-01-01T00:00:00Z");
  private static final Instant BUILT = Instant.parse("2020-01-02T00:00:00Z");
  private static final Instant CHANGED = Instant.parse("2020-01-03T00:00:00Z");

  private static final List<String> SOURCES =
      List.of(
          "pom.xml",
          "rpc-protocol/pom.xml",
          "rpc-protocol/src/main/A.java",
          "partition-server/pom.xml",
          "partition-server/src/main/A.java",
          "connector/pom.xml",
          "connector/src/main/A.java",
          "examples/quickstart/src/main/java/A.java",
          "examples/quickstart/src/main/resources/a.properties",
          "examples/quickstart/src/main/launch/java-options");

  private static final List<String> RESULTS =
      List.of(
          SERVER + "/lib/a.jar",
          "connector/target/tally-connector-1.jar",
          "examples/quickstart/target/tally-quickstart-1.jar",
          "examples/quickstart/target/java-options");

  private static final List<String> SCRIPTS =
      List.of(
          "examples/processes.sh", "examples/quickstart/nodes.sh", "examples/quickstart/run.sh");

  private final ScratchFolder checkout = new ScratchFolder("checkout");

  @BeforeEach
  void writeCheckout() throws IOException {
    for (String file : SOURCES) {
      write(file, "");
    }
    for (String file : RESULTS) {
      write(file, "");
    }
    write(
        "examples/quickstart/target/classpath.txt",
        path("connector/target/tally-connector-1.jar").toString());
    script("mvnw", "exit 1");
    script(SERVER + "/bin/tally-server", "exit 1");
    for (String script : SCRIPTS) {
      Files.copy(Home.root().resolve(script), path(script), StandardCopyOption.COPY_ATTRIBUTES);
    }
    stamp(checkout.path(), WRITTEN);
    for (String target : List.of("partition-server", "connector", "examples/quickstart")) {
      stamp(path(target + "/target"), BUILT);
    }
  }

  @AfterEach
  void deleteCheckout() {
    checkout.close();
  }

  @Test
  void usesWhatIsBuilt() {
    assertFalse(runs().contains(BUILDS));
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        SERVER + "/bin/tally-server",
        "connector/target/tally-connector-1.jar",
        "examples/quickstart/target/tally-quickstart-1.jar",
        "examples/quickstart/target/java-options",
        "examples/quickstart/target/classpath.txt"
      })
  void buildsWhatIsMissing(String result) throws IOException {
    Files.delete(path(result));
    assertTrue(runs().contains(BUILDS));
  }

  @Test
  void buildsWhatIsOlderThanAnySource() throws IOException {
    for (String source : SOURCES) {
      stamp(path(source), CHANGED);
      assertTrue(runs().contains(BUILDS), source);
      stamp(path(source), WRITTEN);
    }
    assertFalse(runs().contains(BUILDS));
  }

  @Test
  void buildsWhereASourceWasDeleted() throws IOException {
    Files.delete(path("connector/src/main/A.java"));
    assertTrue(runs().contains(BUILDS));
  }

  /**
   * The first node runs, and the second does not start: nobody but the script can end the first.
   */
  @Test
  void stopsTheNodesThatRunWhenAnotherFails() throws IOException {
    Path pid = path("pid");
    script(
        SERVER + "/bin/tally-server",
        "[[ $2 == */node-a.yaml ]] || exit 1\n"
            + ("echo $$ >'" + pid + "'\n")
            + "echo 127.0.0.1:1 >\"$4\"\n"
            + ("exec sleep " + LIMIT_OF_STAND_IN_SECONDS));
    stamp(path("partition-server/target"), BUILT);
    try (ScriptRun run = new ScriptRun(path("examples/quickstart/run.sh").toString())) {
      assertEquals(1, run.awaitExit(), () -> run.output() + run.errors());
      assertTrue(run.output().contains("node-a listens on 127.0.0.1:1"), run::output);
      assertTrue(run.errors().contains("node-b has ended instead of starting"), run::errors);
    }
    Optional<ProcessHandle> node =
        ProcessHandle.of(Long.parseLong(Files.readString(pid).strip()))
            .filter(ProcessHandle::isAlive);
    node.ifPresent(ProcessHandle::destroyForcibly);
    assertEquals(Optional.empty(), node, "node-a was left running");
  }

  /** What the script says; a stand-in fails in any case. */
  private String runs() {
    try (ScriptRun run = new ScriptRun(path("examples/quickstart/run.sh").toString())) {
      assertEquals(1, run.awaitExit(), () -> run.output() + run.errors());
      return run.output();
    }
  }

  private Path path(String name) {
    return checkout.path().resolve(name);
  }

  private void write(String name, String content) throws IOException {
    Files.createDirectories(path(name).getParent());
    Files.writeString(path(name), content);
  }

  private void script(String name, String body) throws IOException {
    write(name, "#!/usr/bin/env bash\n" + body + "\n");
    assertTrue(path(name).toFile().setExecutable(true));
  }

  /** Gives a file, or a folder and everything in it, the time at which it was last changed. */
  private static void stamp(Path path, Instant time) throws IOException {
    try (Stream<Path> all = Files.walk(path)) {
      for (Path each : all.sorted(Comparator.reverseOrder()).toList()) {
        Files.setLastModifiedTime(each, FileTime.from(time));
      }
    }
  }
}
