package io.tally.tests.linkage;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.tally.tests.ScratchFolder;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import java.util.jar.JarEntry;
import java.util.jar.JarOutputStream;
import java.util.stream.Stream;
import javax.tools.ToolProvider;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** A class is compiled against one edition of a library and looked at with another. */
class LinkerTest {
  private static final String LIBRARY =
      """
      package library;
      public class Library {
        public static class Gone {}
        public interface Shape { default int edges() { return 0; } }
        public interface Source { long count(); }
        public static class Parent {
          public int field;
          public String text(int[][] rows) { return ""; }
          public void open() {}
        }
        public static class Child extends Parent {}
      }
      """;

  private static final String CLIENT =
      """
      package client;
      import library.Library.*;
      class Client extends Child implements Shape {
        static boolean isGone(Object it) { return it instanceof Gone[]; }
        static int field(Child child) { return child.field; }
        static String text(Child child) { return child.text(new int[0][]); }
        static long count(Source source) { return source.count(); }
        @Override public void open() {}
      }
      """;

  private static final ScratchFolder FOLDER = new ScratchFolder("linker");

  /** Compiled against the library as it was. */
  private static Path client;

  @BeforeAll
  static void compileClient() throws IOException {
    Path library = compile("before", "Library", LIBRARY);
    client = jar(compile("client", "Client", CLIENT, "-cp", library.toString()));
  }

  @AfterAll
  static void deleteFolder() {
    FOLDER.close();
  }

  @Test
  void sameLibraryFits() throws IOException {
    assertEquals(Set.of(), problemsWith(LIBRARY));
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "public static class Gone {} | | there is no class library/Library$Gone",
        "int field | long field | library/Library$Child has no field field I",
        "int[][] rows | int[] rows"
            + "| library/Library$Child has no method text([[I)Ljava/lang/String;",
        "interface Source { long count(); } | static class Source { public long count() { return 0; } }"
            + "| library/Library$Source was an interface and is a class, or the reverse",
        "default int edges() { return 0; } | int edges();"
            + "| does not implement library/Library$Shape.edges()I",
        "void open | final void open | overrides library/Library$Parent.open()V, which is final",
        "class Child | final class Child | extends library/Library$Child, which is final",
      })
  void changedLibraryDoesNotFit(String before, String after, String problem) throws IOException {
    assertTrue(LIBRARY.contains(before));
    String changed = LIBRARY.replace(before, after == null ? "" : after);
    assertEquals(Set.of("client.Client: " + problem), problemsWith(changed));
  }

  private Set<String> problemsWith(String changed) throws IOException {
    Path library = jar(compile("now", "Library", changed));
    try (ClassPath classPath = new ClassPath(List.of(client, library))) {
      return Linker.problems(classPath, name -> name.startsWith("client/"));
    }
  }

  private static Path compile(String edition, String type, String source, String... options)
      throws IOException {
    Path classes = Files.createTempDirectory(FOLDER.path(), edition);
    Path file = Files.writeString(FOLDER.path().resolve(type + ".java"), source);
    String[] arguments =
        Stream.concat(
                Stream.of(options),
                Stream.of("-proc:none", "-d", classes.toString(), file.toString()))
            .toArray(String[]::new);
    assertEquals(0, ToolProvider.getSystemJavaCompiler().run(null, null, null, arguments));
    return classes;
  }

  private static Path jar(Path classes) throws IOException {
    Path jar = classes.resolveSibling(classes.getFileName() + ".jar");
    try (JarOutputStream out = new JarOutputStream(Files.newOutputStream(jar));
        Stream<Path> files = Files.walk(classes).filter(Files::isRegularFile)) {
      for (Path file : files.toList()) {
        out.putNextEntry(new JarEntry(classes.relativize(file).toString()));
        Files.copy(file, out);
      }
    }
    return jar;
  }
}
