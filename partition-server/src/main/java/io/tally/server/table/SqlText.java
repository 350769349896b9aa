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

  /** A string; the engine's literals cannot hold NUL, which is therefore joined in. */
  static String text(String text) {
    String literal = '\'' + text.replace("'", "''") + '\'';
    return text.indexOf('\0') < 0 ? literal : '(' + literal.replace("\0", "' || chr(0) || '") + ')';
  }

  static String path(Path file) {
    return text(file.toString());
  }

  static String paths(List<Path> files) {
    return files.stream().map(SqlText::path).collect(Collectors.joining(", ", "[", "]"));
  }
}
