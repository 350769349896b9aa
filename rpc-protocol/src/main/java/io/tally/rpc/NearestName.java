package io.tally.rpc;

import java.util.Collection;
import java.util.Comparator;
import java.util.Locale;
import java.util.Optional;

/**
 * Finds what a user probably meant by an unknown name, so that an error can offer it. Upper and
 * lower case count as equal.
 */
public final class NearestName {
  /** Longer names are not compared: the work grows with the square of the length. */
  private static final int MAX_LENGTH_CHARS = 200;

  private NearestName() {}

  /**
   * The name in {@code known} that takes the fewest insertions, deletions and replacements to get
   * from {@code unknown}; empty if even that is more than a third of the name away. Among equals
   * the alphabetically first.
   */
  public static Optional<String> of(String unknown, Collection<String> known) {
    if (unknown.length() > MAX_LENGTH_CHARS) {
      return Optional.empty();
    }
    int maxDistance = Math.max(1, unknown.length() / 3);
    return known.stream()
        .filter(name -> Math.abs(name.length() - unknown.length()) <= maxDistance)
        .map(name -> new Candidate(name, distance(lower(unknown), lower(name))))
        .filter(candidate -> candidate.distance <= maxDistance)
        .min(Comparator.comparingInt(Candidate::distance).thenComparing(Candidate::name))
        .map(Candidate::name);
  }

  private record Candidate(String name, int distance) {}

  private static String lower(String name) {
    return name.toLowerCase(Locale.ROOT);
  }

  /** Levenshtein's distance, one row of the table at a time. */
  private static int distance(String from, String to) {
    int[] row = new int[to.length() + 1];
    for (int j = 0; j <= to.length(); j++) {
      row[j] = j;
    }
    for (int i = 1; i <= from.length(); i++) {
      int diagonal = row[0];
      row[0] = i;
      for (int j = 1; j <= to.length(); j++) {
        int replaced = diagonal + (from.charAt(i - 1) == to.charAt(j - 1) ? 0 : 1);
        diagonal = row[j];
        row[j] = Math.min(replaced, Math.min(row[j], row[j - 1]) + 1);
      }
    }
    return row[to.length()];
  }
}
