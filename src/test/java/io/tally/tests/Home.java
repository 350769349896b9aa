package io.tally.tests;

import io.tally.server.fixture.LinkProxy;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/** Tells where things lie in the checkout that is being tested. */
public final class Home {
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
  public static Path target() {
    return root().resolve("src/test/target");
  }

  /** The command that starts a node. */
  static Path server() {
    return built("partition-server/target/tally-server/bin/tally-server");
  }

  /** The command that starts a node that can be looked into, with what a node has by default. */
  static List<String> observedServer() {
    Path home = built("partition-server/target/tally-server/bin/tally-server").resolve("../..");
    String fixtures = LinkProxy.class.getProtectionDomain().getCodeSource().getLocation().getPath();
    return List.of(
        "bash",
        "-c",
        "exec \"$0\" $TALLY_JAVA_OPTS \"$@\"",
        ProcessHandle.current().info().command().orElse("java"),
        "--add-opens=java.base/java.nio=ALL-UNNAMED",
        "-Xmx512m",
        "-XX:+UseSerialGC",
        "-XX:MaxDirectMemorySize=1g",
        "-Dlogback.configurationFile=" + home.resolve("conf/logback.xml").normalize(),
        "-cp",
        home.resolve("lib").normalize() + "/*:" + fixtures,
        "io.tally.server.ObservedNode");
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
