package io.tally.server;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** {@code bin/tally-server} with a Java that says what it was started with. */
class LauncherTest {
  private static final Path DISTRIBUTION = Path.of("src/main/dist").toAbsolutePath();
  private static final Path LAUNCHER = DISTRIBUTION.resolve("bin/tally-server");
  private static final long WAIT_SECONDS = 60;

  @TempDir Path folder;

  @Test
  void startsTheJavaOfJavaHomeWithItsOptions() throws Exception {
    Path javaHome = javaHome("17.0.15");
    Result result =
        run(
            LAUNCHER,
            Map.of("JAVA_HOME", javaHome.toString(), "TALLY_JAVA_OPTS", "-Xmx2g -Da=b"),
            "--config",
            "a file.yaml");
    assertEquals(0, result.exitCode(), result.output());
    List<String> arguments = result.output().lines().toList();
    assertTrue(arguments.contains("--add-opens=java.base/java.nio=ALL-UNNAMED"), result.output());
    assertTrue(
        arguments.contains("-Dlogback.configurationFile=" + DISTRIBUTION + "/conf/logback.xml"),
        result.output());
    assertTrue(arguments.lastIndexOf("-Xmx512m") < arguments.indexOf("-Xmx2g"), result.output());
    assertEquals(
        List.of(
            "-Da=b",
            "-cp",
            DISTRIBUTION + "/lib/*",
            "io.tally.server.TallyServer",
            "--config",
            "a file.yaml"),
        arguments.subList(arguments.indexOf("-Da=b"), arguments.size()));
  }

  @Test
  void asksForHealthWithALightJava() throws Exception {
    Result result =
        run(
            LAUNCHER,
            Map.of("JAVA_HOME", javaHome("17").toString(), "TALLY_JAVA_OPTS", "-Xmx20g"),
            "health",
            "--config",
            "a file.yaml");
    assertEquals(0, result.exitCode(), result.output());
    List<String> arguments = result.output().lines().toList();
    assertTrue(arguments.contains("-Xmx32m"), result.output());
    assertFalse(arguments.contains("-Xmx20g"), "that is the node's: " + result.output());
    assertEquals(
        List.of("io.tally.server.TallyServer", "health", "--config", "a file.yaml"),
        arguments.subList(arguments.size() - 4, arguments.size()));
  }

  @Test
  void findsItsFolderThroughLinks() throws Exception {
    Path first = Files.createSymbolicLink(folder.resolve("first"), LAUNCHER);
    Path second =
        Files.createSymbolicLink(
            Files.createDirectory(folder.resolve("bin")).resolve("second"),
            Path.of("..").resolve(first.getFileName()));
    Result result = run(second, Map.of("JAVA_HOME", javaHome("21").toString()));
    assertTrue(result.output().contains("\n" + DISTRIBUTION + "/lib/*\n"), result.output());
  }

  /** The node's Java, and the one that asks for health: both read names of files. */
  @Test
  void namesOfFilesMayHoldAnyLetterWhereNoLocaleIsSet() throws Exception {
    String javaHome = javaHome("17").toString();
    for (String command : List.of("--config", "health")) {
      for (Map<String, String> locale :
          List.of(Map.of("LC_ALL", ""), Map.of("LC_ALL", "C"), Map.of("LC_ALL", "POSIX"))) {
        Map<String, String> environment = new HashMap<>(locale);
        environment.putAll(Map.of("JAVA_HOME", javaHome, "LC_CTYPE", "", "LANG", ""));
        Result result = run(LAUNCHER, environment, command);
        assertTrue(result.output().startsWith("locale C.UTF-8\n"), result.output());
      }
      Result own = run(LAUNCHER, Map.of("JAVA_HOME", javaHome, "LC_ALL", "de_DE.UTF-8"), command);
      assertTrue(own.output().contains("locale de_DE.UTF-8\n"), own.output());
    }
  }

  @Test
  void refusesAnOldJava() throws Exception {
    for (String version : List.of("11.0.2", "1.8.0_292", "nonsense")) {
      Path javaHome = javaHome(version);
      Result result = run(LAUNCHER, Map.of("JAVA_HOME", javaHome.toString()));
      assertEquals(1, result.exitCode());
      assertTrue(
          result.output().startsWith("tally-server: Java 17 or newer is needed, but " + javaHome),
          result.output());
      assertFalse(result.output().contains("is version 1;"), result.output());
      assertEquals(1, result.output().lines().count(), result.output());
    }
  }

  @Test
  void saysThatThereIsNoJava() throws Exception {
    Result wrongHome = run(LAUNCHER, Map.of("JAVA_HOME", folder.toString()));
    assertEquals(1, wrongHome.exitCode());
    assertTrue(
        wrongHome.output().startsWith("tally-server: JAVA_HOME is " + folder), wrongHome.output());
    Result none = run(LAUNCHER, Map.of("PATH", pathWithoutJava()));
    assertEquals(1, none.exitCode());
    assertEquals(
        "tally-server: there is no Java; install version 17 or newer, or set JAVA_HOME\n",
        none.output());
  }

  private Path javaHome(String version) throws Exception {
    Path java = Files.createDirectories(folder.resolve(version + "/bin")).resolve("java");
    Files.writeString(
        java,
        """
        #!/bin/sh
        if [ "$1" = -version ]; then
          echo 'openjdk version "%s" 2025-04-15' >&2
        else
          echo "locale $LC_ALL"
          for argument in "$@"; do echo "$argument"; done
        fi
        """
            .formatted(version));
    Files.setPosixFilePermissions(java, PosixFilePermissions.fromString("rwxr-xr-x"));
    return java.getParent().getParent();
  }

  private String pathWithoutJava() throws Exception {
    Path tools = Files.createDirectory(folder.resolve("tools"));
    for (String tool : List.of("bash", "dirname", "readlink", "sed", "head")) {
      Files.createSymbolicLink(tools.resolve(tool), find(tool));
    }
    return tools.toString();
  }

  private static Path find(String tool) {
    return List.of(System.getenv("PATH").split(":", -1)).stream()
        .map(folder -> Path.of(folder, tool))
        .filter(Files::isExecutable)
        .findFirst()
        .orElseThrow();
  }

  private Result run(Path launcher, Map<String, String> environment, String... arguments)
      throws Exception {
    List<String> command = new ArrayList<>(List.of(find("bash").toString(), launcher.toString()));
    command.addAll(List.of(arguments));
    Path output = folder.resolve("output");
    ProcessBuilder builder =
        new ProcessBuilder(command).redirectErrorStream(true).redirectOutput(output.toFile());
    Map<String, String> cleaned = new HashMap<>(builder.environment());
    cleaned.remove("JAVA_HOME");
    cleaned.remove("TALLY_JAVA_OPTS");
    cleaned.putAll(environment);
    builder.environment().clear();
    builder.environment().putAll(cleaned);
    Process process = builder.start();
    assertTrue(process.waitFor(WAIT_SECONDS, TimeUnit.SECONDS));
    return new Result(process.exitValue(), Files.readString(output));
  }

  private record Result(int exitCode, String output) {}
}
