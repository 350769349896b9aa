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
   * The name in {@code known} that takes the fewest insertions, deletions, replacements and swaps
   * of neighbours to get from {@code unknown}; empty if even that is more than a third of the name
   * away. Among equals the alphabetically first.
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

  /**
   * Edits between two names, two neighbours that changed places counted as one (optimal string
   * alignment).
   */
  private static int distance(String from, String to) {
    int[][] edits = new int[from.length() + 1][to.length() + 1];
    for (int i = 0; i <= from.length(); i++) {
      for (int j = 0; j <= to.length(); j++) {
        edits[i][j] = i == 0 || j == 0 ? i + j : fewestEdits(edits, from, to, i, j);
      }
    }
    return edits[from.length()][to.length()];
  }

  private static int fewestEdits(int[][] edits, String from, String to, int i, int j) {
    boolean same = from.charAt(i - 1) == to.charAt(j - 1);
    int fewest = edits[i - 1][j - 1] + (same ? 0 : 1);
    fewest = Math.min(fewest, Math.min(edits[i - 1][j], edits[i][j - 1]) + 1);
    boolean swapped =
        i > 1
            && j > 1
            && from.charAt(i - 1) == to.charAt(j - 2)
            && from.charAt(i - 2) == to.charAt(j - 1);
    return swapped ? Math.min(fewest, edits[i - 2][j - 2] + 1) : fewest;
  }
}
