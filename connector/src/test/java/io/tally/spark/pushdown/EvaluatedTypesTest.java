package io.tally.spark.pushdown;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.tally.rpc.Features;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.apache.spark.sql.types.DataType;
import org.junit.jupiter.api.Test;

/** The table of evaluated types in docs/types.md is what the code does. */
final class EvaluatedTypesTest {
  private static final Path PAGE = Path.of("..", "docs", "types.md");

  @Test
  void everyLineIsTrue() throws IOException {
    String page = Files.readString(PAGE);
    String begin = "<!-- evaluated types -->\n";
    int from = page.indexOf(begin) + begin.length();
    List<String> lines =
        page.substring(from, page.indexOf("\n<!-- end -->", from)).lines().skip(2).toList();
    assertTrue(lines.size() > 20, "the table was not found");
    for (String line : lines) {
      String type = line.substring(3, line.indexOf('`', 3));
      String rest =
          SparkTypes.toWire(DataType.fromDDL(type))
              .map(wire -> "yes | `" + Features.ofType(wire.getKind()) + "` |")
              .orElse("no | |");
      assertEquals("| `" + type + "` | " + rest, line);
    }
  }
}
