package io.tally.tests;

import io.trino.tpch.TpchColumn;
import io.trino.tpch.TpchEntity;
import io.trino.tpch.TpchTable;
import java.io.BufferedWriter;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * Generates the tables of TPC-H at a scale, and hands on a Parquet file for each of their parts.
 * The rows are the same each time, so files that are there are kept.
 */
final class TpchFiles {
  private static final Set<TpchTable<?>> SMALL = Set.of(TpchTable.NATION, TpchTable.REGION);

  private TpchFiles() {}

  /**
   * The files of each table, by its name.
   *
   * @param scale 1 is 8.6 million rows
   * @param parts into how many a table is cut; the two smallest are not
   */
  static Map<String, List<Path>> generate(double scale, int parts, Path folder) {
    try {
      Files.createDirectories(folder);
      Map<String, List<Path>> tables = new LinkedHashMap<>();
      for (TpchTable<?> table : TpchTable.getTables()) {
        int count = SMALL.contains(table) ? 1 : parts;
        List<Path> files = new ArrayList<>();
        for (int part = 1; part <= count; part++) {
          Path file =
              folder.resolve(table.getTableName() + "-" + part + "-of-" + count + ".parquet");
          if (!Files.exists(file)) {
            generate(table, scale, part, count, file);
          }
          files.add(file);
        }
        tables.put(table.getTableName(), files);
      }
      return tables;
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static <E extends TpchEntity> void generate(
      TpchTable<E> table, double scale, int part, int count, Path file) throws IOException {
    Path text = Path.of(file + ".text");
    try (BufferedWriter writer = Files.newBufferedWriter(text)) {
      for (E row : table.createGenerator(scale, part, count)) {
        String line = row.toLine();
        // Without the bar behind the last cell.
        writer.write(line, 0, line.length() - 1);
        writer.write('\n');
      }
    }
    String columns =
        table.getColumns().stream()
            .map(column -> "'" + column.getColumnName() + "': '" + type(column) + "'")
            .collect(Collectors.joining(", "));
    // In one move, so that a run that is broken off leaves no half file.
    Path whole = Path.of(file + ".new");
    copy(
        "COPY (FROM read_csv('%s', delim = '|', header = false, quote = '', escape = '', columns = {%s}))"
            .formatted(text, columns),
        whole);
    Files.move(whole, file);
    Files.delete(text);
  }

  private static String type(TpchColumn<?> column) {
    return switch (column.getType().getBase()) {
      case INTEGER -> "INTEGER";
      case IDENTIFIER -> "BIGINT";
      case DATE -> "DATE";
      case DOUBLE -> "DECIMAL(15,2)";
      case VARCHAR -> "VARCHAR";
    };
  }

  private static void copy(String query, Path file) {
    try (Connection connection = DriverManager.getConnection("jdbc:duckdb:");
        Statement statement = connection.createStatement()) {
      statement.execute(query + " TO '" + file + "' (FORMAT parquet)");
    } catch (SQLException e) {
      throw new IllegalStateException("DuckDB refuses " + query, e);
    }
  }
}
