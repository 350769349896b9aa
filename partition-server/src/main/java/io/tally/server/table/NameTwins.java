package io.tally.server.table;

import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Pattern;

/**
 * Two names that are the same without regard to upper and lower case. Neither Spark nor DuckDB can
 * tell them apart; DuckDB silently puts a number behind the second one.
 */
record NameTwins(String first, String second) {
  private static final Pattern NUMBERED = Pattern.compile("(.*)_\\d+", Pattern.DOTALL);

  /** The first pair among names. */
  static Optional<NameTwins> among(List<String> names) {
    Map<String, String> seen = new HashMap<>();
    for (String name : names) {
      String earlier = seen.putIfAbsent(lower(name), name);
      if (earlier != null) {
        return Optional.of(new NameTwins(earlier, name));
      }
    }
    return Optional.empty();
  }

  /** The pair of {@code name} and another one of {@code names}. */
  static Optional<NameTwins> of(String name, Collection<String> names) {
    return names.stream()
        .filter(other -> !other.equals(name) && lower(other).equals(lower(name)))
        .findFirst()
        .map(other -> new NameTwins(name, other));
  }

  /** Whether DuckDB may have made these columns of others that were twins. */
  static boolean maybeHidden(List<StoredColumn> columns) {
    List<String> names = columns.stream().map(column -> lower(column.name())).toList();
    return names.stream()
        .map(NUMBERED::matcher)
        .anyMatch(matcher -> matcher.matches() && names.contains(matcher.group(1)));
  }

  private static String lower(String name) {
    return name.toLowerCase(Locale.ROOT);
  }

  /** As an error message says it. */
  @Override
  public String toString() {
    return first.equals(second)
        ? "two columns named \"" + first + "\""
        : "columns \""
            + first
            + "\" and \""
            + second
            + "\", which differ only in upper and lower"
            + " case";
  }
}
