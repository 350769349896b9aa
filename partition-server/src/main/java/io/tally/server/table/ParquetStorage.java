package io.tally.server.table;

import io.tally.rpc.v1.RowRange;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;

/**
 * Parquet files as one sequence of rows: positions count through the files in order, and a range
 * touches only the files that it needs.
 */
final class ParquetStorage implements PartitionStorage {
  /** DuckDB's virtual column that holds the position of a row in its file. */
  private static final String POSITION = "file_row_number";

  private final List<StoredFile> files;
  private final List<StoredColumn> columns;

  /** {@code firstRows[i]} is the position of the first row of file i; one more: all rows. */
  private final long[] firstRows;

  private ParquetStorage(List<StoredFile> files, List<StoredColumn> columns, long[] firstRows) {
    this.files = List.copyOf(files);
    this.columns = List.copyOf(columns);
    this.firstRows = firstRows;
  }

  static ParquetStorage open(DuckDb database, PartitionSource.Parquet source)
      throws CatalogException {
    List<StoredFile> files = new ArrayList<>();
    List<StoredColumn> columns = List.of();
    for (Path path : source.files()) {
      StoredFile file = StoredFile.of(path);
      List<StoredColumn> ofFile = columns(database, path);
      if (files.isEmpty()) {
        columns = ofFile;
      } else {
        columns =
            ColumnAgreement.agreed(
                files.get(0).path().toString(), columns, file.path().toString(), ofFile);
      }
      files.add(file);
    }
    return new ParquetStorage(files, columns, firstRows(database, files));
  }

  private static List<StoredColumn> columns(DuckDb database, Path path) throws CatalogException {
    List<StoredColumn> columns = database.describe(select("*", List.of(path)));
    List<StoredColumn> marked = ParquetInstants.mark(database, path, columns);
    List<StoredColumn> named =
        Variants.checked(database, path, ParquetNames.restore(database, path, marked));
    return SparkParquetSchema.apply(database, path, named);
  }

  private static long[] firstRows(DuckDb database, List<StoredFile> files) throws CatalogException {
    Map<String, Long> rowsOfFile = new HashMap<>();
    List<Path> paths = files.stream().map(StoredFile::path).toList();
    database.query(
        "SELECT file_name, num_rows FROM parquet_file_metadata(" + SqlText.patterns(paths) + ")",
        row -> rowsOfFile.put(row.getString(1), row.getLong(2)));
    long[] firstRows = new long[files.size() + 1];
    for (int i = 0; i < files.size(); i++) {
      firstRows[i + 1] = firstRows[i] + rowsOfFile.get(paths.get(i).toString());
    }
    return firstRows;
  }

  @Override
  public String format() {
    return "parquet";
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
    return OptionalLong.of(firstRows[files.size()]);
  }

  @Override
  public boolean splittable() {
    // A stored column of that name hides the positions.
    return columns.stream().noneMatch(column -> column.name().equalsIgnoreCase(POSITION));
  }

  @Override
  public String rowsSql(String selectList, Optional<RowRange> range) {
    return range
        .map(rows -> rangeSql(selectList, rows.getFirst(), rows.getEnd()))
        .orElseGet(() -> select(selectList, files.stream().map(StoredFile::path).toList()));
  }

  @Override
  public String numberedRowsSql(String selectList, Optional<RowRange> range, String position) {
    long first = range.map(RowRange::getFirst).orElse(0L);
    long end = range.map(RowRange::getEnd).orElse(firstRows[files.size()]);
    List<String> parts = new ArrayList<>();
    for (int i = 0; i < files.size(); i++) {
      String numbered = selectList + ", " + POSITION + " + " + firstRows[i] + " AS " + position;
      parts.add(
          positions(
              select(numbered, List.of(files.get(i).path())),
              first - firstRows[i],
              end - firstRows[i]));
    }
    return String.join(" UNION ALL ", parts);
  }

  private String rangeSql(String selectList, long first, long end) {
    List<Path> wholeFiles = new ArrayList<>();
    List<String> parts = new ArrayList<>();
    for (int i = 0; i < files.size(); i++) {
      long firstInFile = Math.max(first, firstRows[i]) - firstRows[i];
      long endInFile = Math.min(end, firstRows[i + 1]) - firstRows[i];
      if (firstInFile >= endInFile) {
        continue;
      }
      Path path = files.get(i).path();
      if (endInFile - firstInFile == firstRows[i + 1] - firstRows[i]) {
        wholeFiles.add(path);
      } else {
        parts.add(positions(select(selectList, List.of(path)), firstInFile, endInFile));
      }
    }
    if (!wholeFiles.isEmpty()) {
      parts.add(select(selectList, wholeFiles));
    }
    if (parts.isEmpty()) {
      return select(selectList, List.of(files.get(0).path())) + " WHERE false";
    }
    return String.join(" UNION ALL ", parts);
  }

  private static String positions(String select, long first, long end) {
    return select + " WHERE " + POSITION + " >= " + first + " AND " + POSITION + " < " + end;
  }

  private static String select(String selectList, List<Path> paths) {
    return "SELECT "
        + selectList
        + " FROM read_parquet("
        + SqlText.patterns(paths)
        + ", hive_partitioning = false)";
  }
}
