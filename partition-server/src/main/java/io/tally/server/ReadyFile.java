package io.tally.server;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.List;
import java.util.Optional;

/** A file that exists, complete, while the node listens, and holds its address. */
final class ReadyFile {
  private final Path file;

  private ReadyFile(Path file) {
    this.file = file;
  }

  /**
   * Removes what an earlier run may have left, and finds out early that the file can be written.
   */
  static Optional<ReadyFile> prepare(Optional<Path> path) throws ConfigurationException {
    if (path.isEmpty()) {
      return Optional.empty();
    }
    Path file = path.get().toAbsolutePath();
    try {
      Files.deleteIfExists(file);
      Path folder = file.getParent();
      if (folder == null || !Files.isDirectory(folder) || !Files.isWritable(folder)) {
        throw new IOException("no folder to write it to");
      }
    } catch (IOException e) {
      throw new ConfigurationException(
          List.of(
              String.format(
                  "--ready-file %s cannot be written (%s); name a file in a folder that exists",
                  path.get(), e.getMessage())));
    }
    return Optional.of(new ReadyFile(file));
  }

  /** Puts the content there in one step, so that nobody reads half of it. */
  void write(String address) {
    Path unfinished = file.resolveSibling(file.getFileName() + ".unfinished");
    try {
      Files.writeString(unfinished, address + System.lineSeparator());
      Files.move(unfinished, file, StandardCopyOption.ATOMIC_MOVE);
    } catch (IOException e) {
      throw new UncheckedIOException("Cannot write " + file, e);
    }
  }

  void delete() {
    try {
      Files.deleteIfExists(file);
    } catch (IOException e) {
      throw new UncheckedIOException("Cannot delete " + file, e);
    }
  }
}
