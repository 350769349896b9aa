package io.tally.server;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;

/**
 * Takes the folder {@code java.io.tmpdir} and hands on what keeps a node from using it, before any
 * table is opened: native libraries unpack themselves there, and queries spill.
 */
final class TemporaryFolder {
  /** More than the libraries need that are sure to unpack themselves. */
  private static final int LEAST_ROOM_BYTES = 4 << 20;

  private TemporaryFolder() {}

  /** Tries it out; leaves nothing there. */
  static Optional<String> problem() {
    try {
      Path file = Files.createTempFile("tally-", null);
      try {
        Files.write(file, new byte[LEAST_ROOM_BYTES]);
      } finally {
        Files.delete(file);
      }
      return Optional.empty();
    } catch (IOException e) {
      // Its message may be the name of the file alone.
      return Optional.of(e.toString());
    }
  }
}
