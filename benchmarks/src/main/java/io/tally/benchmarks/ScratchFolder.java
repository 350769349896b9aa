package io.tally.benchmarks;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.List;
import java.util.stream.Stream;

/** A temporary folder that is deleted with everything in it. */
final class ScratchFolder implements AutoCloseable {
  private final Path path;

  ScratchFolder() throws IOException {
    path = Files.createTempDirectory("tally-benchmark-");
  }

  Path path() {
    return path;
  }

  @Override
  public void close() throws IOException {
    List<Path> entries;
    try (Stream<Path> walk = Files.walk(path)) {
      entries = walk.sorted(Comparator.reverseOrder()).toList();
    }
    for (Path entry : entries) {
      Files.delete(entry);
    }
  }
}
