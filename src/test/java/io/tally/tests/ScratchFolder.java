package io.tally.tests;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.stream.Stream;

/** A new temporary folder, which closing deletes with everything in it. */
public final class ScratchFolder implements AutoCloseable {
  private final Path path;

  /**
   * @param purpose begins the folder's name, for whoever finds one that was left over
   */
  public ScratchFolder(String purpose) {
    try {
      path = Files.createTempDirectory("tally-" + purpose + "-");
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  public Path path() {
    return path;
  }

  /** A new folder inside. */
  public Path folder(String name) {
    try {
      return Files.createDirectory(path.resolve(name));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  @Override
  public void close() {
    try (Stream<Path> all = Files.walk(path)) {
      for (Path each : all.sorted(Comparator.reverseOrder()).toList()) {
        Files.delete(each);
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
