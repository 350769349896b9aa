package io.tally.examples.quickstart;

import io.tally.examples.quickstart.Quickstart.Question;
import io.tally.examples.quickstart.Session.Answer;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.apache.spark.sql.Row;

/** Takes a question and its two answers, checks that they agree, and prints them side by side. */
final class Report {
  private static final int ROWS_SHOWN = 5;

  /** Sums of doubles may differ in their last bits, because they are added in another order. */
  private static final double RELATIVE_TOLERANCE = 1e-12;

  private Report() {}

  /** Lets both sessions load their classes, so that the first question's times mean something. */
  static void warmUp(Question question, Session pushing, Session fetching) {
    System.out.println("Warming up Spark and the nodes…");
    Answer pushed = pushing.ask(question);
    requireSame(question, pushed, fetching.ask(question));
  }

  /**
   * Prints the question, its answer and what it cost both ways.
   *
   * @throws IllegalStateException if the answers differ
   */
  static void print(Question question, Answer pushed, Answer fetched) {
    requireSame(question, pushed, fetched);
    StringBuilder out = new StringBuilder();
    out.append("\n== ").append(question.words()).append('\n');
    out.append(question.sql().indent(3)).append('\n');
    out.append("   ").append(String.join(" | ", pushed.columns())).append('\n');
    pushed.rows().stream()
        .limit(ROWS_SHOWN)
        .forEach(row -> out.append("   ").append(cells(row)).append('\n'));
    if (pushed.rows().size() > ROWS_SHOWN) {
      out.append("   … %,d rows in all%n".formatted(pushed.rows().size()));
    }
    out.append('\n');
    pushed.scans().descriptions().forEach(it -> out.append("   plan: ").append(it).append('\n'));
    out.append(cost("with push-down", pushed)).append(cost("without", fetched));
    out.append(
        "   %.1f times as fast, 1/%,d of the bytes%n"
            .formatted(
                (double) Math.max(1, fetched.millis()) / Math.max(1, pushed.millis()),
                fetched.scans().bytesReceived() / Math.max(1, pushed.scans().bytesReceived())));
    System.out.print(out);
  }

  private static String cost(String how, Answer answer) {
    return String.format(
        Locale.ROOT,
        "   %-14s: %,9d rows and %,11d bytes crossed the network, %,6d ms%n",
        how,
        answer.scans().rowsReceived(),
        answer.scans().bytesReceived(),
        answer.millis());
  }

  private static String cells(Row row) {
    return IntStream.range(0, row.size())
        .mapToObj(i -> String.valueOf(row.get(i)))
        .collect(Collectors.joining(" | "));
  }

  /** All questions order their rows by enough columns that there is only one right order. */
  private static void requireSame(Question question, Answer pushed, Answer fetched) {
    List<Row> left = pushed.rows();
    List<Row> right = fetched.rows();
    boolean same = left.size() == right.size();
    for (int i = 0; same && i < left.size(); i++) {
      same = sameRow(left.get(i), right.get(i));
    }
    if (!same) {
      throw new IllegalStateException(
          "With push-down the answer to \"%s\" is %s, without it %s."
              .formatted(question.words(), left, right));
    }
  }

  private static boolean sameRow(Row left, Row right) {
    return IntStream.range(0, left.size()).allMatch(i -> sameValue(left.get(i), right.get(i)));
  }

  private static boolean sameValue(Object left, Object right) {
    if (left instanceof Double x && right instanceof Double y && !x.equals(y)) {
      return Math.abs(x - y) <= RELATIVE_TOLERANCE * Math.abs(x);
    }
    return Objects.equals(left, right);
  }
}
