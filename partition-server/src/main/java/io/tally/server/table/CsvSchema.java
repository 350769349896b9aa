package io.tally.server.table;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * Takes all CSV files of a table and fixes the types of their columns once: what all files agree
 * on; DOUBLE where some hold only whole numbers; VARCHAR, the text as it is written, where they
 * look like different things. A file in which a column has no value has no say.
 */
final class CsvSchema {
  private static final DuckType BIGINT = new DuckType.Plain("BIGINT");
  private static final DuckType DOUBLE = new DuckType.Plain("DOUBLE");

  private CsvSchema() {}

  /**
   * @param fixed types that the operator chose, by column
   */
  static List<StoredColumn> of(DuckDb database, List<CsvFile> files, Map<String, DuckType> fixed)
      throws CatalogException {
    CsvFile first = files.get(0);
    for (CsvFile file : files.subList(1, files.size())) {
      ColumnAgreement.agreed(
          first.file().path().toString(),
          namesOnly(first.columns()),
          file.file().path().toString(),
          namesOnly(file.columns()));
    }
    Map<String, List<DuckType>> seen = new LinkedHashMap<>();
    first.columns().forEach(column -> seen.put(column.name(), new ArrayList<>()));
    boolean alike =
        files.stream().allMatch(f -> Set.copyOf(f.columns()).equals(Set.copyOf(first.columns())));
    for (CsvFile file : files) {
      Map<String, Boolean> hasValues = alike ? Map.of() : hasValues(database, file);
      for (StoredColumn column : file.columns()) {
        if (hasValues.getOrDefault(column.name(), true)) {
          seen.get(column.name()).add(column.type());
        }
      }
    }
    List<StoredColumn> columns = new ArrayList<>();
    seen.forEach(
        (name, types) ->
            columns.add(new StoredColumn(name, fixed.getOrDefault(name, common(types)))));
    return columns;
  }

  private static Map<String, Boolean> hasValues(DuckDb database, CsvFile file)
      throws CatalogException {
    Map<String, Boolean> hasValues = new HashMap<>();
    StringBuilder counts = new StringBuilder("SELECT count(*)");
    file.columns().forEach(c -> counts.append(", count(" + SqlText.identifier(c.name()) + ")"));
    database.query(
        counts + " FROM " + CsvStorage.table(List.of(file), file.columns()),
        row -> {
          for (int i = 0; i < file.columns().size(); i++) {
            hasValues.put(file.columns().get(i).name(), row.getLong(i + 2) > 0);
          }
        });
    return hasValues;
  }

  private static DuckType common(List<DuckType> types) {
    Set<DuckType> distinct = Set.copyOf(types);
    if (distinct.size() == 1) {
      return distinct.iterator().next();
    }
    return distinct.equals(Set.of(BIGINT, DOUBLE)) ? DOUBLE : DuckType.Plain.VARCHAR;
  }

  private static List<StoredColumn> namesOnly(List<StoredColumn> columns) {
    return columns.stream().map(c -> new StoredColumn(c.name(), DuckType.Plain.VARCHAR)).toList();
  }
}
