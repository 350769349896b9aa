package io.tally.server.table;

import io.tally.rpc.v1.RowRange;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;

/** CSV files, read with the columns that {@link CsvSchema} fixed for the table. No positions. */
final class CsvStorage implements PartitionStorage {
  private final List<CsvFile> files;
  private final List<StoredColumn> columns;

  CsvStorage(List<CsvFile> files, List<StoredColumn> columns) {
    this.files = List.copyOf(files);
    this.columns = List.copyOf(columns);
  }

  /** A table function over files that were written in the same way. */
  static String table(List<CsvFile> alike, List<StoredColumn> columns) {
    return "read_csv("
        + SqlText.patterns(alike.stream().map(csv -> csv.file().path()).toList())
        + ", "
        + alike.get(0).optionsWith(columns)
        + ", hive_partitioning = false)";
  }

  @Override
  public String format() {
    return "csv";
  }

  @Override
  public List<StoredColumn> columns() {
    return columns;
  }

  @Override
  public List<StoredFile> files() {
    return files.stream().map(CsvFile::file).toList();
  }

  @Override
  public OptionalLong knownRows() {
    return OptionalLong.empty();
  }

  @Override
  public boolean splittable() {
    return false;
  }

  @Override
  public String rowsSql(String selectList, Optional<RowRange> range) {
    Map<String, List<CsvFile>> alike = new LinkedHashMap<>();
    for (CsvFile file : files) {
      alike.computeIfAbsent(file.optionsWith(columns), o -> new ArrayList<>()).add(file);
    }
    return String.join(
        " UNION ALL ",
        alike.values().stream()
            .map(group -> "SELECT " + selectList + " FROM " + table(group, columns))
            .toList());
  }
}
