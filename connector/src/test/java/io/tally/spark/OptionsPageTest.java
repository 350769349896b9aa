package io.tally.spark;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;

/**
 * The table of options in docs/options.md is that of the code; the README has some of its lines.
 */
final class OptionsPageTest {
  private static final Path ROOT = Path.of("..");
  private static final String BEGIN = "<!-- options -->\n";
  private static final String HEADER =
      "| option | value | default | meaning |\n| --- | --- | --- | --- |\n";

  @Test
  void allOptionsStandOnTheirPage() throws IOException {
    String page = Files.readString(ROOT.resolve("docs/options.md"));
    int from = page.indexOf(BEGIN) + BEGIN.length();
    assertEquals(
        HEADER + String.join("\n", lines()),
        page.substring(from, page.indexOf("\n<!-- end -->", from)));
  }

  @Test
  void theReadmeHasLinesOfThem() throws IOException {
    String page = Files.readString(ROOT.resolve("README.md"));
    int from = page.indexOf(HEADER) + HEADER.length();
    List<String> shown = page.substring(from, page.indexOf("\n\n", from)).lines().toList();
    assertFalse(shown.isEmpty(), "the table was not found");
    assertEquals(lines().stream().filter(shown::contains).toList(), shown);
  }

  private static List<String> lines() {
    return Arrays.stream(TallyOption.values()).map(OptionsPageTest::line).toList();
  }

  private static String line(TallyOption option) {
    return "| `%s` | %s | %s | %s |"
        .formatted(
            option.key(),
            option.unit(),
            option.defaultValue().map(value -> "`" + value + "`").orElse("–"),
            option.description());
  }
}
