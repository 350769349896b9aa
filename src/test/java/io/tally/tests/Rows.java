package io.tally.tests;

import java.util.Comparator;
import java.util.HexFormat;
import java.util.List;
import java.util.Locale;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.apache.spark.sql.Row;

/**
 * Compares results exactly: as lists or as multisets, with types, down to the bit; doubles may
 * differ by what another order of addition explains, where the caller says how much that is.
 */
public final class Rows {
  /** Sums of millions of doubles in another order, and nothing worse. */
  private static final long MOST_ULPS = 4096;

  /** Each addition rounds once, and so does each operation on the value that is added. */
  private static final long ULPS_PER_ROW = 4;

  private Rows() {}

  /** True if {@code left} and {@code right} hold the same rows, in the same order if ordered. */
  public static boolean same(List<Row> left, List<Row> right, boolean ordered) {
    return same(left, right, ordered, 0);
  }

  /**
   * As {@link #same(List, List, boolean)}, and doubles may differ.
   *
   * @param ulps how much, in units in the last place; see {@link #ulpsOfSum}
   */
  public static boolean same(List<Row> left, List<Row> right, boolean ordered, long ulps) {
    List<Row> a = ordered ? left : sorted(left);
    List<Row> b = ordered ? right : sorted(right);
    return a.size() == b.size()
        && IntStream.range(0, a.size()).allMatch(i -> sameRow(a.get(i), b.get(i), ulps));
  }

  /** How much sums of so many doubles may differ that are added in another order. */
  public static long ulpsOfSum(long rows) {
    return Math.min(MOST_ULPS, ULPS_PER_ROW * Math.max(1, rows));
  }

  /** One line a row, at most 30 of them. */
  public static String show(List<Row> rows) {
    String shown =
        rows.stream().limit(30).map(Rows::show).collect(Collectors.joining("\n  ", "  ", "\n"));
    return rows.size() + " rows:\n" + shown;
  }

  /** The cells, separated by bars; the form in which tests write small results. */
  public static String show(Row row) {
    return IntStream.range(0, row.size())
        .mapToObj(i -> show(row.get(i)))
        .collect(Collectors.joining("|"));
  }

  private static String show(Object value) {
    return value instanceof byte[] bytes
        ? "X'" + HexFormat.of().withUpperCase().formatHex(bytes) + "'"
        : String.valueOf(value);
  }

  private static List<Row> sorted(List<Row> rows) {
    return rows.stream().sorted(Comparator.comparing(Rows::sortKey)).toList();
  }

  /**
   * Doubles last and rounded, so that those that count as equal sort alike; all else so that no two
   * have one key, not even NULL and the text that reads the same.
   */
  private static String sortKey(Row row) {
    StringBuilder key = new StringBuilder();
    StringBuilder doubles = new StringBuilder();
    for (int i = 0; i < row.size(); i++) {
      if (row.get(i) instanceof Double value) {
        doubles.append(String.format(Locale.ROOT, "%.9e|", value));
      } else {
        String text = row.get(i) == null ? "" : show(row.get(i));
        key.append(row.get(i) == null ? -1 : text.length()).append(':').append(text);
      }
    }
    return key.append(doubles).toString();
  }

  private static boolean sameRow(Row left, Row right, long ulps) {
    return left.size() == right.size()
        && IntStream.range(0, left.size())
            .allMatch(i -> sameValue(left.get(i), right.get(i), ulps));
  }

  private static boolean sameValue(Object left, Object right, long ulps) {
    if (left == null || right == null) {
      return left == right;
    }
    if (left instanceof Double a && right instanceof Double b) {
      // equals() tells 0.0 from -0.0 and takes NaN as equal to NaN.
      return a.equals(b) || (a != 0 && b != 0 && Math.abs(a - b) <= ulps * 0x1p-52 * Math.abs(a));
    }
    return left.getClass() == right.getClass() && show(left).equals(show(right));
  }
}
