package io.tally.server.table;

import java.nio.file.Path;
import java.util.List;
import java.util.stream.Collectors;

/** Names and texts of the configuration as they stand in SQL. */
final class SqlText {
  private SqlText() {}

  static String identifier(String name) {
    return '"' + name.replace("\"", "\"\"") + '"';
  }

  static String text(String text) {
    return '\'' + text.replace("'", "''") + '\'';
  }

  static String path(Path file) {
    return text(file.toString());
  }

  static String paths(List<Path> files) {
    return files.stream().map(SqlText::path).collect(Collectors.joining(", ", "[", "]"));
  }
}
