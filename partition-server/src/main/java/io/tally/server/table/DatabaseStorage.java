package io.tally.server.table;

import io.tally.rpc.NearestName;
import io.tally.rpc.v1.RowRange;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.OptionalLong;

/** A table in an attached DuckDB database file; its positions are DuckDB's row ids. */
final class DatabaseStorage implements PartitionStorage {
  private static final String POSITION = "rowid";

  private final PartitionSource.Database source;
  private final String from;
  private final List<StoredFile> files;
  private final List<StoredColumn> columns;
  private final long rows;
  private final boolean splittable;

  private DatabaseStorage(
      PartitionSource.Database source,
      String from,
      List<StoredFile> files,
      List<StoredColumn> columns,
      long rows,
      boolean splittable) {
    this.source = source;
    this.from = from;
    this.files = List.copyOf(files);
    this.columns = List.copyOf(columns);
    this.rows = rows;
    this.splittable = splittable;
  }

  static DatabaseStorage open(DuckDb database, PartitionSource.Database source)
      throws CatalogException {
    if (source.file().toString().indexOf('\\') >= 0) {
      throw CatalogException.data(
          source.file()
              + " has a backslash in its path, which DuckDB takes for the end of a folder's name;"
              + " rename it");
    }
    List<StoredFile> files = new ArrayList<>();
    files.add(StoredFile.of(source.file()));
    // Changes that a writer has not yet moved into the file; DuckDB reads them from here.
    Path log = source.file().resolveSibling(source.file().getFileName() + ".wal");
    if (Files.exists(log)) {
      files.add(StoredFile.of(log));
    }
    String alias = database.attach(source.file());
    checkTableExists(database, alias, source);
    String from =
        String.join(
            ".",
            SqlText.identifier(alias),
            SqlText.identifier(source.schema()),
            SqlText.identifier(source.table()));
    List<StoredColumn> columns = database.describe("SELECT * FROM " + from);
    if (mayHaveCollations(database, alias, source)) {
      columns = columns.stream().map(StoredColumn::ofCollatedTable).toList();
    }
    boolean hidden = columns.stream().anyMatch(c -> c.name().equalsIgnoreCase(POSITION));
    long[] counts = new long[2];
    database.query(
        "SELECT count(*), " + (hidden ? "0" : "max(rowid) + 1") + " FROM " + from,
        row -> {
          counts[0] = row.getLong(1);
          counts[1] = row.getLong(2);
        });
    // Deleted rows leave gaps in the row ids, which then are not positions.
    boolean splittable = !hidden && counts[0] == counts[1];
    return new DatabaseStorage(source, from, files, columns, counts[0], splittable);
  }

  /** Whether the table's definition mentions a collation; it may also be part of a name. */
  private static boolean mayHaveCollations(
      DuckDb database, String alias, PartitionSource.Database source) throws CatalogException {
    List<String> definitions = new ArrayList<>();
    database.query(
        "SELECT sql FROM duckdb_tables() WHERE database_name = "
            + SqlText.text(alias)
            + " AND schema_name = "
            + SqlText.text(source.schema())
            + " AND table_name = "
            + SqlText.text(source.table()),
        row -> definitions.add(row.getString(1)));
    return definitions.stream().anyMatch(sql -> sql.toUpperCase(Locale.ROOT).contains("COLLATE"));
  }

  private static void checkTableExists(
      DuckDb database, String alias, PartitionSource.Database source) throws CatalogException {
    List<String> tables = new ArrayList<>();
    database.query(
        "SELECT table_name FROM duckdb_tables() WHERE database_name = "
            + SqlText.text(alias)
            + " AND schema_name = "
            + SqlText.text(source.schema()),
        row -> tables.add(row.getString(1)));
    if (!tables.contains(source.table())) {
      throw CatalogException.data(
          source.file()
              + " has no table "
              + source.table()
              + " in its schema "
              + source.schema()
              + NearestName.of(source.table(), tables)
                  .map(name -> "; did you mean " + name + "?")
                  .orElse("; views are not served, only tables"));
    }
  }

  @Override
  public String format() {
    return "duckdb " + source.schema() + "." + source.table();
  }

  @Override
  public List<StoredColumn> columns() {
    return columns;
  }

  @Override
  public List<StoredFile> files() {
    return files;
  }

  @Override
  public OptionalLong knownRows() {
    return OptionalLong.of(rows);
  }

  @Override
  public boolean splittable() {
    return splittable;
  }

  @Override
  public String numberedRowsSql(String selectList, Optional<RowRange> range, String position) {
    return rowsSql(selectList + ", " + POSITION + " AS " + position, range);
  }

  @Override
  public String rowsSql(String selectList, Optional<RowRange> range) {
    String select = "SELECT " + selectList + " FROM " + from;
    return range
        .map(
            r ->
                select
                    + (" WHERE " + POSITION + " >= " + r.getFirst())
                    + (" AND " + POSITION + " < " + r.getEnd()))
        .orElse(select);
  }
}
