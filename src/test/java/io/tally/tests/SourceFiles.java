package io.tally.tests;

import java.io.IOException;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;

/**
 * Takes the end of a name and gives the files of the checkout that have it: not those that builds
 * write, which come and go while other tests run, nor those of who tries docs/getting-started.md.
 */
final class SourceFiles {
  private static final Set<String> NOT_OURS = Set.of("target", ".git", "node_modules", "mine");

  private SourceFiles() {}

  static List<Path> endingWith(String end) throws IOException {
    List<Path> found = new ArrayList<>();
    Files.walkFileTree(
        Home.root(),
        new SimpleFileVisitor<>() {
          @Override
          public FileVisitResult preVisitDirectory(Path folder, BasicFileAttributes attributes) {
            return NOT_OURS.contains(folder.getFileName().toString())
                ? FileVisitResult.SKIP_SUBTREE
                : FileVisitResult.CONTINUE;
          }

          @Override
          public FileVisitResult visitFile(Path file, BasicFileAttributes attributes) {
            if (file.toString().endsWith(end)) {
              found.add(file);
            }
            return FileVisitResult.CONTINUE;
          }
        });
    return found;
  }
}
