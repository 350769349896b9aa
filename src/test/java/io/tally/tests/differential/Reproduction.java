package io.tally.tests.differential;

import io.tally.tests.Answer;
import io.tally.tests.Rows;
import java.util.List;
import java.util.stream.Collectors;

/** Takes a query that is answered wrongly and writes down everything that repeats it. */
final class Reproduction {
  private static final int MOST_ROWS = 40;
  private static final int FRAMES = 6;

  private Reproduction() {}

  static String of(WorldSpec spec, Query query, Check.Result result, String command) {
    StringBuilder text = new StringBuilder("-- ").append(result.difference().orElse("passes"));
    text.append("\n-- ").append(command).append('\n');
    text.append("-- ").append(spec.nodes()).append(" nodes");
    text.append(spec.databases() ? ", DuckDB databases" : ", Parquet files");
    text.append(", options ").append(spec.options()).append('\n');
    spec.settings().forEach((key, value) -> text.append("SET " + key + "=" + value + ";\n"));
    spec.tables().forEach(table -> append(text, table));
    text.append(query.sql()).append(";\n");
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
            .collect(Collectors.joining(", ", " (", ");\n")));
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
