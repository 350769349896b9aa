package io.tally.tests;

import java.nio.file.Files;
import java.nio.file.Path;

/** Tells where things lie in the checkout that is being tested. */
final class Home {
  private Home() {}

  /** The root of the checkout: from the build, or found from where a developer started a main. */
  static Path root() {
    String home = System.getProperty("tally.home");
    Path candidate = Path.of(home != null ? home : "").toAbsolutePath();
    while (candidate != null && !Files.isExecutable(candidate.resolve("mvnw"))) {
      candidate = candidate.getParent();
    }
    if (candidate == null) {
      throw new IllegalStateException("Start this inside a checkout of Tally.");
    }
    return candidate;
  }

  /** Where the build of these tests writes; {@code clean} empties it. */
  static Path target() {
    return root().resolve("src/test/target");
  }

  /** The command that starts a node. */
  static Path server() {
    return built("partition-server/target/tally-server/bin/tally-server");
  }

  /** The file of a month of flights, {@code 2001-01} to {@code 2001-06}. */
  static Path flights(String month) {
    return root().resolve("examples/data/flights/" + month + ".parquet");
  }

  static Path airports() {
    return root().resolve("examples/data/airports.csv");
  }

  private static Path built(String path) {
    Path file = root().resolve(path);
    if (!Files.isRegularFile(file)) {
      throw new IllegalStateException(
          file + " is missing: run ./mvnw -B -DskipTests -pl src/test -am package first.");
    }
    return file;
  }
}
