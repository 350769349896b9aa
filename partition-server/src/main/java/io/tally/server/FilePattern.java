package io.tally.server;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.FileVisitOption;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.PathMatcher;
import java.util.List;
import java.util.stream.Stream;

/** Takes a path or a glob of the configuration and hands on the files that it means. */
final class FilePattern {
  private static final String WILDCARDS = "*?[{";

  private FilePattern() {}

  /**
   * The file of exactly that name, whether it exists or not; for a glob all files that match,
   * sorted by path, so that every start sees them in the same order.
   *
   * @param folder where a relative path starts
   * @throws IllegalArgumentException if it is not a valid glob
   */
  static List<Path> resolve(Path folder, String pattern) throws IOException {
    int firstWildcard = firstWildcard(pattern);
    if (firstWildcard == pattern.length() || Files.exists(folder.resolve(pattern))) {
      return List.of(folder.resolve(pattern).normalize());
    }
    int slash = pattern.lastIndexOf('/', firstWildcard);
    Path root = folder.resolve(pattern.substring(0, slash + 1)).normalize();
    PathMatcher matcher =
        root.getFileSystem().getPathMatcher("glob:" + pattern.substring(slash + 1));
    if (!Files.isDirectory(root)) {
      return List.of();
    }
    String glob = pattern.substring(slash + 1);
    int depth =
        glob.contains("**")
            ? Integer.MAX_VALUE
            : 1 + (int) glob.chars().filter(c -> c == '/').count();
    try (Stream<Path> found = Files.walk(root, depth, FileVisitOption.FOLLOW_LINKS)) {
      return found
          .filter(path -> matcher.matches(root.relativize(path)))
          .filter(Files::isRegularFile)
          .sorted()
          .toList();
    } catch (UncheckedIOException e) {
      throw e.getCause();
    }
  }

  private static int firstWildcard(String pattern) {
    for (int i = 0; i < pattern.length(); i++) {
      if (WILDCARDS.indexOf(pattern.charAt(i)) >= 0) {
        return i;
      }
    }
    return pattern.length();
  }
}
