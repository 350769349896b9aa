package io.tally.tests;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.List;
import java.util.Map;

/**
 * The classes of a node in the form in which a JVM maps them (class data sharing): with it, a node
 * starts in two thirds of the time, and tests start more than a hundred. Made when the first node
 * of a build is started, from one that answers a scan.
 */
final class NodeClasses {
  private static final Path ARCHIVE = Home.target().resolve("node-classes.jsa");
  private static final String TABLE = "airports";
  private static boolean made;

  private NodeClasses() {}

  /** The option for Java by which a node uses them. */
  static synchronized String javaOption() {
    if (!made) {
      made = true;
      if (isMissing()) {
        make();
      }
    }
    return "-XX:SharedArchiveFile=" + ARCHIVE;
  }

  /**
   * Whether there is none since the server was built: its jars have the time stamps of a
   * reproducible build, so that the JVM cannot tell all of them apart.
   */
  private static boolean isMissing() {
    Path libraries = Home.server().resolveSibling("../lib").normalize();
    try {
      return !Files.exists(ARCHIVE)
          || Files.getLastModifiedTime(ARCHIVE).compareTo(Files.getLastModifiedTime(libraries)) < 0;
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static void make() {
    // Another JVM of tests may be doing the same.
    Path own = ARCHIVE.resolveSibling("node-classes-" + ProcessHandle.current().pid() + ".jsa");
    try (ScratchFolder folder = new ScratchFolder("node-classes")) {
      TableConfig table = TableConfig.table(TABLE).csv("all", Home.airports());
      try (TallyNode node =
              TallyNode.withJavaOption(
                  "-XX:ArchiveClassesAtExit=" + own, folder.path(), Map.of(), List.of(table));
          WireClient client = new WireClient()) {
        node.start();
        client.scan(node.address(), TABLE, open -> open.addColumns("iata"));
        node.stop();
      }
      Files.move(own, ARCHIVE, StandardCopyOption.ATOMIC_MOVE);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
