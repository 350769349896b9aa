package io.tally.tests.differential;

import io.tally.tests.Answer;
import io.tally.tests.Rows;
import java.util.List;
import java.util.stream.Collectors;

/**
 * Takes a query that is answered wrongly and writes down what repeats it: the command that makes
 * the world again, and SQL that Spark alone can run to show the right answer. Comments tell where
 * partitions begin, which Spark alone need not know.
 */
final class Reproduction {
  /** Of a partition. Where rows were shrunk, there are few. */
  static final int MOST_ROWS = 1_000;

  private static final int FRAMES = 6;

  private Reproduction() {}

  static String of(WorldSpec spec, Query query, Check.Result result, String command) {
    String difference = result.difference().orElse("passes").replace("\n", "\n-- ");
    StringBuilder text = new StringBuilder("-- ").append(difference);
    text.append("\n-- ").append(command).append('\n');
    text.append("-- ").append(spec.nodes()).append(" nodes");
    text.append(spec.databases() ? ", DuckDB databases" : ", Parquet files");
    text.append(", options ").append(spec.options()).append('\n');
    spec.settings().forEach((key, value) -> text.append("SET " + key + "=" + value + ";\n"));
    spec.tables().forEach(table -> append(text, table));
    text.append(query.sql()).append(";\n");
    spec.tables().forEach(table -> text.append("DROP TABLE " + table.name() + ";\n"));
    result
        .answers()
        .forEach((way, answer) -> text.append("-- ").append(way + ": " + show(answer) + "\n"));
    return text.toString();
  }

  private static void append(StringBuilder text, TableData table) {
    text.append("CREATE TABLE ").append(table.name());
    text.append(
        table.columns().stream()
            .map(it -> it.name() + " " + it.type().sql())
            .collect(Collectors.joining(", ", " (", ") USING parquet;\n")));
    for (int i = 0; i < table.partitions().size(); i++) {
      List<List<Object>> rows = table.partitions().get(i);
      text.append("-- partition ").append(i).append(": ").append(rows.size()).append(" rows\n");
      if (!rows.isEmpty()) {
        text.append(
            rows.stream()
                .limit(MOST_ROWS)
                .map(row -> values(table.columns(), row))
                .collect(
                    Collectors.joining(
                        ",\n  ", "INSERT INTO " + table.name() + " VALUES\n  ", ";\n")));
      }
      if (rows.size() > MOST_ROWS) {
        text.append("-- ").append(rows.size() - MOST_ROWS);
        text.append(" more rows are not printed; the command makes them all\n");
      }
    }
  }

  private static String values(List<Column> columns, List<Object> row) {
    StringBuilder text = new StringBuilder("(");
    for (int i = 0; i < row.size(); i++) {
      text.append(i == 0 ? "" : ", ");
      text.append(row.get(i) == null ? "NULL" : Values.literal(columns.get(i).type(), row.get(i)));
    }
    return text.append(')').toString();
  }

  private static String show(Answer answer) {
    if (answer instanceof Answer.Returned returned) {
      String scans =
          returned.scans().stream().map(it -> "\n--     " + it).collect(Collectors.joining());
      return returned.types()
          + " "
          + Rows.show(returned.rows()).strip().replace("\n", "\n--   ")
          + scans;
    }
    Answer.Failed failed = (Answer.Failed) answer;
    StringBuilder text = new StringBuilder("fails ").append(failed.conditions());
    for (Throwable cause = failed.cause(); cause != null; cause = cause.getCause()) {
      String message = String.valueOf(cause).lines().findFirst().orElse("");
      text.append("\n--     ").append(message);
      for (StackTraceElement frame :
          List.of(cause.getStackTrace()).stream().limit(FRAMES).toList()) {
        text.append("\n--       at ").append(frame);
      }
    }
    return text.toString();
  }
}
