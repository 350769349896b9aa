package io.tally.server;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class FilePatternTest {
  @TempDir Path root;
  private Path folder;

  @BeforeEach
  void setUp() throws Exception {
    // A folder whose own name looks like a glob.
    folder = Files.createDirectories(root.resolve("conf[1]"));
    for (String name : List.of("b.csv", "a.csv", "c.txt", "d/e.csv", "d/f/g.csv", "x[y].csv")) {
      Path file = folder.resolve(name);
      Files.createDirectories(file.getParent());
      Files.writeString(file, "");
    }
    Files.createDirectories(folder.resolve("folder.csv"));
  }

  @Test
  void aPathIsItselfWhetherItExistsOrNot() throws Exception {
    assertEquals(List.of(folder.resolve("a.csv")), FilePattern.resolve(folder, "./d/../a.csv"));
    assertEquals(List.of(folder.resolve("no.csv")), FilePattern.resolve(folder, "no.csv"));
    assertEquals(List.of(Path.of("/no.csv")), FilePattern.resolve(folder, "/no.csv"));
  }

  @Test
  void aGlobIsTheSortedFilesThatMatch() throws Exception {
    assertEquals(names("a.csv", "b.csv", "x[y].csv"), FilePattern.resolve(folder, "*.csv"));
    assertEquals(names("a.csv", "b.csv"), FilePattern.resolve(folder, "[ab].csv"));
    assertEquals(names("a.csv", "c.txt"), FilePattern.resolve(folder, "{a.csv,c.*}"));
    assertEquals(names("d/e.csv", "d/f/g.csv"), FilePattern.resolve(folder, "d/**.csv"));
    assertEquals(names("d/e.csv"), FilePattern.resolve(folder, "?/*.csv"));
    Path absolute = Files.writeString(root.resolve("z.csv"), "");
    assertEquals(List.of(absolute), FilePattern.resolve(folder, root + "/z*"));
    assertEquals(List.of(), FilePattern.resolve(folder, "no/*.csv"));
  }

  @Test
  void aFileWhoseNameLooksLikeAGlobIsFound() throws Exception {
    assertEquals(names("x[y].csv"), FilePattern.resolve(folder, "x[y].csv"));
  }

  private List<Path> names(String... names) {
    return List.of(names).stream().map(folder::resolve).toList();
  }
}
