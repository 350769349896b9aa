package io.tally.server.table;

import java.io.IOException;
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
import java.util.Optional;

/** Files in a folder of a test, written by a DuckDB of their own, and the tables made of them. */
final class Stored {
  private final Path folder;

  Stored(Path folder) {
    this.folder = folder;
  }

  /** Runs statements in an empty database; {@code $} stands for the folder. */
  void sql(String... statements) throws SQLException {
    try (Connection connection = DriverManager.getConnection("jdbc:duckdb:");
        Statement statement = connection.createStatement()) {
      for (String sql : statements) {
        statement.execute(sql.replace("$", folder.toString()));
      }
    }
  }

  Path parquet(String name, String select) throws SQLException {
    sql("COPY (" + select + ") TO '$/" + name + "' (FORMAT parquet)");
    return file(name);
  }

  Path text(String name, String content) throws IOException {
    return Files.writeString(file(name), content);
  }

  /** A database file with a table {@code t}. */
  Path database(String name, String... statements) throws SQLException {
    List<String> all = new ArrayList<>(List.of("ATTACH '$/" + name + "' AS d", "USE d"));
    all.addAll(List.of(statements));
    sql(all.toArray(String[]::new));
    return file(name);
  }

  Path file(String name) {
    return folder.resolve(name);
  }

  static PartitionDefinition parquet(String id, Path... files) {
    return partition(id, new PartitionSource.Parquet(List.of(files)));
  }

  static PartitionDefinition csv(String id, Path... files) {
    return partition(id, new PartitionSource.Csv(List.of(files)));
  }

  static PartitionDefinition json(String id, Path... files) {
    return partition(id, new PartitionSource.Json(List.of(files)));
  }

  static PartitionDefinition database(String id, Path file) {
    return partition(id, new PartitionSource.Database(file, "main", "t"));
  }

  static PartitionDefinition partition(String id, PartitionSource source) {
    return new PartitionDefinition(id, source, Optional.empty());
  }

  static PartitionDefinition declared(
      PartitionDefinition partition, PartitionDeclaration declaration) {
    return new PartitionDefinition(partition.id(), partition.source(), Optional.of(declaration));
  }

  static TableDefinition table(PartitionDefinition... partitions) {
    return new TableDefinition(
        "t", List.of(), Optional.empty(), true, Map.of(), List.of(partitions));
  }

  static TableDefinition partitionedBy(String column, PartitionDefinition... partitions) {
    return new TableDefinition(
        "t", List.of(), Optional.of(column), true, Map.of(), List.of(partitions));
  }

  static DuckDbCatalog open(TableDefinition... tables) throws SQLException, CatalogException {
    return DuckDbCatalog.open(DatabaseSettings.defaults(), List.of(tables));
  }

  /** Opens a catalog with the only table {@code t} of these partitions. */
  static DuckDbCatalog open(PartitionDefinition... partitions)
      throws SQLException, CatalogException {
    return open(table(partitions));
  }

  /** All rows of a statement, the columns of a row as text with bars between. */
  static List<String> rows(TableCatalog catalog, String sql) throws SQLException {
    List<String> rows = new ArrayList<>();
    try (Connection connection = catalog.connect();
        Statement statement = connection.createStatement();
        ResultSet result = statement.executeQuery(sql)) {
      while (result.next()) {
        List<String> values = new ArrayList<>();
        for (int i = 1; i <= result.getMetaData().getColumnCount(); i++) {
          values.add(String.valueOf(result.getString(i)));
        }
        rows.add(String.join("|", values));
      }
    }
    return rows;
  }
}
