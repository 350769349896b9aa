package io.tally.tests;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.math.BigDecimal;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.function.IntFunction;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.apache.spark.sql.Row;

/**
 * Hands on the right answer to a query of TPC-H, as cells of text, from someone who is not Spark.
 */
interface TpchAnswers {
  BigDecimal HALF = new BigDecimal("0.5");

  /** The rows of query 1 to 22, in order. */
  List<List<String>> of(int query);

  /** Who gave the answers. */
  String source();

  /** Those that the generator's makers publish with it. */
  static TpchAnswers published() {
    return new Published(
        "published with the generator",
        query -> TpchQueries.resource("io/trino/tpch/queries/q" + query + ".result"));
  }

  /**
   * Files as TPC's own kit has them: {@code q1.out} and so on, a line above the rows, bars between
   * cells.
   */
  static TpchAnswers in(Path folder) {
    return new Published(
        folder.toString(),
        query -> {
          try {
            return Files.readString(folder.resolve("q" + query + ".out"));
          } catch (IOException e) {
            throw new UncheckedIOException(e);
          }
        });
  }

  /** DuckDB's, over the same files. */
  static TpchAnswers duckdb(Map<String, List<Path>> tables) {
    return new DuckDb(tables);
  }

  /** Tells where the rows are others, or nothing. */
  default List<String> differences(int query, List<Row> rows) {
    List<List<String>> expected = of(query);
    if (rows.size() != expected.size()) {
      return List.of("%d rows instead of %d".formatted(rows.size(), expected.size()));
    }
    return IntStream.range(0, rows.size())
        .filter(i -> !same(rows.get(i), expected.get(i)))
        .mapToObj(
            i ->
                "row %d: %s instead of %s"
                    .formatted(i + 1, Rows.show(rows.get(i)), String.join("|", expected.get(i))))
        .toList();
  }

  private static boolean same(Row row, List<String> expected) {
    return row.size() == expected.size()
        && IntStream.range(0, row.size()).allMatch(i -> same(row.get(i), expected.get(i)));
  }

  /** Numbers may be rounded, to the digits that both sides have; nothing else may differ. */
  private static boolean same(Object cell, String expected) {
    if (!(cell instanceof Number)) {
      return String.valueOf(cell).strip().equals(expected);
    }
    BigDecimal actual = new BigDecimal(cell.toString());
    BigDecimal right = new BigDecimal(expected);
    BigDecimal unit = BigDecimal.ONE.movePointLeft(Math.min(actual.scale(), right.scale()));
    BigDecimal allowed = actual.scale() == right.scale() ? BigDecimal.ZERO : unit.multiply(HALF);
    return actual.subtract(right).abs().compareTo(allowed) <= 0;
  }

  /** Takes files with one line above the rows. */
  record Published(String source, IntFunction<String> files) implements TpchAnswers {

    @Override
    public List<List<String>> of(int query) {
      return files
          .apply(query)
          .lines()
          .skip(1)
          .map(line -> line.endsWith("|") ? line.substring(0, line.length() - 1) : line)
          .map(line -> List.of(line.split("\\|", -1)).stream().map(String::strip).toList())
          .toList();
    }
  }

  /** Asks DuckDB. */
  record DuckDb(Map<String, List<Path>> tables) implements TpchAnswers {

    @Override
    public String source() {
      return "DuckDB over the same files";
    }

    @Override
    public List<List<String>> of(int query) {
      try (Connection connection = DriverManager.getConnection("jdbc:duckdb:");
          Statement statement = connection.createStatement()) {
        for (Map.Entry<String, List<Path>> table : tables.entrySet()) {
          String files =
              table.getValue().stream()
                  .map(file -> "'" + file + "'")
                  .collect(Collectors.joining(", "));
          statement.execute(
              "CREATE VIEW " + table.getKey() + " AS FROM read_parquet([" + files + "])");
        }
        try (ResultSet rows = statement.executeQuery(TpchQueries.text(query))) {
          return cells(rows);
        }
      } catch (SQLException e) {
        throw new IllegalStateException("DuckDB refuses query " + query, e);
      }
    }

    private static List<List<String>> cells(ResultSet rows) throws SQLException {
      List<List<String>> all = new ArrayList<>();
      while (rows.next()) {
        List<String> row = new ArrayList<>();
        for (int i = 1; i <= rows.getMetaData().getColumnCount(); i++) {
          row.add(String.valueOf(rows.getObject(i)).strip());
        }
        all.add(row);
      }
      return all;
    }
  }
}
