package io.tally.server.table;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.tally.server.table.DuckType.ListType;
import io.tally.server.table.DuckType.MapType;
import io.tally.server.table.DuckType.StructType;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.Statement;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

/** The table of stored types in docs/types.md is what the code does. */
class TypeTableTest {
  private static final Path PAGE = Path.of("..", "docs", "types.md");

  /** Spark's names of the types that are sent, where they differ. */
  private static final Map<String, String> SPARK =
      Map.of(
          "INTEGER", "INT",
          "VARCHAR", "STRING",
          "BLOB", "BINARY",
          "TIME_NS", "TIME(6)",
          "TIMESTAMP", "TIMESTAMP_NTZ",
          "TIMESTAMP WITH TIME ZONE", "TIMESTAMP");

  /** As DESCRIBE writes types that have other names in DuckDB's own list; regular expressions. */
  private static final Map<String, String> WRITTEN =
      Map.of("LIST", ".*\\[]", "ARRAY", ".*\\[\\d]", "NULL", "\"NULL\"");

  /** DuckDB creates no table with a column that holds types. */
  private static final Set<String> NOT_STORED = Set.of("TYPE");

  @Test
  void everyLineIsTrue() throws IOException {
    List<String> lines = section().lines().skip(2).toList();
    assertTrue(lines.size() > 30, "the table was not found");
    for (String line : lines) {
      String stored = line.substring(3, line.indexOf('`', 3));
      assertEquals("| `" + stored + "` | " + sent(stored) + " |", line);
    }
  }

  @Test
  void everyTypeOfDuckDbHasALine() throws Exception {
    Set<String> missing = new TreeSet<>();
    List<String> lines = section().lines().toList();
    try (Connection connection = DriverManager.getConnection("jdbc:duckdb:");
        Statement statement = connection.createStatement();
        ResultSet types = statement.executeQuery("SELECT logical_type FROM duckdb_types()")) {
      while (types.next()) {
        String name = types.getString(1);
        Pattern line = Pattern.compile("\\| `" + WRITTEN.getOrDefault(name, name) + "[`(].*");
        if (lines.stream().noneMatch(it -> line.matcher(it).matches())) {
          missing.add(name);
        }
      }
    }
    assertEquals(NOT_STORED, missing);
  }

  private static String sent(String stored) {
    return new StoredColumn("c", DuckTypeParser.parse(stored))
        .wireType()
        .map(wire -> "`" + spark(wire) + "`")
        .orElse("not sent");
  }

  private static String spark(DuckType wire) {
    if (wire.equals(Variants.SENT)) {
      return "VARIANT";
    }
    if (wire instanceof ListType list) {
      return "ARRAY<" + spark(list.element()) + ">";
    }
    if (wire instanceof MapType map) {
      return "MAP<" + spark(map.key()) + ", " + spark(map.value()) + ">";
    }
    if (wire instanceof StructType struct) {
      return struct.fields().stream()
          .map(field -> field.name() + ": " + spark(field.type()))
          .collect(Collectors.joining(", ", "STRUCT<", ">"));
    }
    return SPARK.getOrDefault(wire.sql(), wire.sql());
  }

  private static String section() throws IOException {
    String page = Files.readString(PAGE);
    String begin = "<!-- stored types -->\n";
    int from = page.indexOf(begin) + begin.length();
    return page.substring(from, page.indexOf("\n<!-- end -->", from));
  }
}
