package io.tally.spark;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.fail;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Enumeration;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.jar.JarEntry;
import java.util.jar.JarFile;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

/** Looks into the shaded jar as it was built. */
final class JarContentIT {
  private static final String UPDATE_COMMAND =
      "./mvnw verify -pl connector -am -Dtally.jar-content.update=true";
  private static final Path JAR = Path.of(System.getProperty("tally.jar"));
  private static final Path GOLDEN = Path.of(System.getProperty("tally.jar-content"));

  /** What must not be named in our own classes but where it was moved to. */
  private static final Pattern UNMOVED =
      Pattern.compile(
          "(?<!io/tally/shaded/)\\b(io/grpc|io/netty|io/perfmark|com/google)/(?!flatbuffers)");

  @Test
  void holdsThePackagesAndFilesThatTheListNames() throws IOException {
    Set<String> actual = content();
    if (Boolean.getBoolean("tally.jar-content.update")) {
      Files.writeString(GOLDEN, String.join("\n", actual) + "\n");
    }
    Set<String> expected = new TreeSet<>(Files.readAllLines(GOLDEN));
    List<String> differences = new ArrayList<>();
    actual.stream()
        .filter(each -> !expected.contains(each))
        .forEach(e -> differences.add("+ " + e));
    expected.stream()
        .filter(each -> !actual.contains(each))
        .forEach(e -> differences.add("- " + e));
    if (!differences.isEmpty()) {
      fail(
          "The jar holds other packages or files than "
              + GOLDEN
              + " says:\n"
              + String.join("\n", differences)
              + "\nIf that is right, write the list anew: "
              + UPDATE_COMMAND);
    }
  }

  /** Packages that have classes, and every other file. */
  private static Set<String> content() throws IOException {
    Set<String> content = new TreeSet<>();
    try (JarFile jar = new JarFile(JAR.toFile())) {
      Enumeration<JarEntry> entries = jar.entries();
      while (entries.hasMoreElements()) {
        String name = entries.nextElement().getName();
        if (name.endsWith(".class")) {
          content.add(name.substring(0, name.lastIndexOf('/') + 1));
        } else if (!name.endsWith("/")) {
          content.add(name);
        }
      }
    }
    return content;
  }

  @Test
  void ourClassesUseTheMovedLibraries() throws IOException {
    List<String> wrong = new ArrayList<>();
    try (JarFile jar = new JarFile(JAR.toFile())) {
      Enumeration<JarEntry> entries = jar.entries();
      while (entries.hasMoreElements()) {
        JarEntry entry = entries.nextElement();
        if (entry.getName().endsWith(".class") && !entry.getName().contains("/shaded/")) {
          try (InputStream in = jar.getInputStream(entry)) {
            String bytes = new String(in.readAllBytes(), StandardCharsets.ISO_8859_1);
            Matcher matcher = UNMOVED.matcher(bytes);
            if (matcher.find()) {
              wrong.add(entry.getName() + " names " + matcher.group());
            }
          }
        }
      }
    }
    assertEquals(List.of(), wrong);
  }

  @Test
  void registersTheDataSource() throws IOException {
    try (JarFile jar = new JarFile(JAR.toFile())) {
      JarEntry entry =
          jar.getJarEntry("META-INF/services/org.apache.spark.sql.sources.DataSourceRegister");
      try (InputStream in = jar.getInputStream(entry)) {
        assertEquals(
            TallyDataSource.class.getName(),
            new String(in.readAllBytes(), StandardCharsets.UTF_8).strip());
      }
    }
  }
}
