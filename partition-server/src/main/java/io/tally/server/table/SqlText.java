package io.tally.server.table;

import java.nio.file.Path;
import java.util.List;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/** Names and texts of the configuration as they stand in SQL. */
final class SqlText {
  private static final Pattern WILDCARD = Pattern.compile("[*?\\[]");

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

  /** Files for a function that reads files, each meaning itself whatever its name holds. */
  static String patterns(List<Path> files) {
    return files.stream().map(SqlText::pattern).collect(Collectors.joining(", ", "[", "]"));
  }

  /** A file for a function that reads files; those take names for globs. */
  static String pattern(Path file) {
    return text(WILDCARD.matcher(file.toString()).replaceAll("[$0]"));
  }

  /**
   * Whether {@link #pattern} can name the file: the engine takes a backslash in a glob for the end
   * of a folder's name, and has no way to escape it.
   */
  static boolean hasPattern(Path file) {
    return file.toString().indexOf('\\') < 0 || !WILDCARD.matcher(file.toString()).find();
  }
}
