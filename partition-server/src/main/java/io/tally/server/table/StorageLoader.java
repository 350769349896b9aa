package io.tally.server.table;

import io.tally.rpc.NearestName;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * Takes a table's definition and opens the storage of each of its partitions. The columns of CSV
 * and JSON files are fixed here, once for the table.
 */
final class StorageLoader {
  private final DuckDb database;
  private final TableDefinition definition;
  private final Map<String, DuckType> fixedTypes = new LinkedHashMap<>();
  private final Map<String, List<CsvFile>> csvFiles = new LinkedHashMap<>();
  private final Map<String, List<StoredFile>> jsonFiles = new LinkedHashMap<>();
  private final Map<String, PartitionStorage> storages = new HashMap<>();

  private StorageLoader(DuckDb database, TableDefinition definition) {
    this.database = database;
    this.definition = definition;
  }

  /** Storages by partition id, in the order of the definition. */
  static Map<String, PartitionStorage> load(DuckDb database, TableDefinition definition)
      throws CatalogException {
    return new StorageLoader(database, definition).load();
  }

  private Map<String, PartitionStorage> load() throws CatalogException {
    for (Map.Entry<String, String> entry : definition.columnTypes().entrySet()) {
      fixedTypes.put(entry.getKey(), parseType(entry.getKey(), entry.getValue()));
    }
    for (PartitionDefinition partition : definition.partitions()) {
      try {
        open(partition);
      } catch (CatalogException e) {
        throw e.in("partition \"" + partition.id() + "\"");
      }
    }
    fixCsv();
    fixJson();
    checkFixedTypesAreUsed();
    Map<String, PartitionStorage> ordered = new LinkedHashMap<>();
    definition.partitions().forEach(p -> ordered.put(p.id(), storages.get(p.id())));
    return ordered;
  }

  private void open(PartitionDefinition partition) throws CatalogException {
    PartitionSource source = partition.source();
    if (source instanceof PartitionSource.Parquet parquet) {
      storages.put(partition.id(), ParquetStorage.open(database, parquet));
    } else if (source instanceof PartitionSource.Database table) {
      storages.put(partition.id(), DatabaseStorage.open(database, table));
    } else if (source instanceof PartitionSource.Csv csv) {
      List<CsvFile> files = new ArrayList<>();
      for (Path path : csv.files()) {
        files.add(CsvFile.sniff(database, StoredFile.of(path)));
      }
      csvFiles.put(partition.id(), files);
    } else if (source instanceof PartitionSource.Json json) {
      List<StoredFile> files = new ArrayList<>();
      for (Path path : json.files()) {
        files.add(StoredFile.of(path));
      }
      jsonFiles.put(partition.id(), files);
    }
  }

  private void fixCsv() throws CatalogException {
    if (csvFiles.isEmpty()) {
      return;
    }
    List<CsvFile> all = csvFiles.values().stream().flatMap(List::stream).toList();
    List<StoredColumn> columns = CsvSchema.of(database, all, fixedTypes);
    csvFiles.forEach((id, files) -> storages.put(id, new CsvStorage(files, columns)));
  }

  private void fixJson() throws CatalogException {
    if (jsonFiles.isEmpty()) {
      return;
    }
    List<StoredFile> all = jsonFiles.values().stream().flatMap(List::stream).toList();
    List<StoredColumn> columns;
    try {
      columns = JsonStorage.columns(database, all, fixedTypes);
    } catch (CatalogException e) {
      throw inItsPartition(e);
    }
    jsonFiles.forEach((id, files) -> storages.put(id, new JsonStorage(files, columns)));
  }

  /** Finds out whose files a problem is with that came up when all were read at once. */
  private CatalogException inItsPartition(CatalogException problem) {
    for (Map.Entry<String, List<StoredFile>> entry : jsonFiles.entrySet()) {
      try {
        JsonStorage.columns(database, entry.getValue(), fixedTypes);
      } catch (CatalogException e) {
        return e.in("partition \"" + entry.getKey() + "\"");
      }
    }
    return problem;
  }

  private DuckType parseType(String column, String type) throws CatalogException {
    List<String> canonical = new ArrayList<>();
    try {
      database.query(
          "SELECT typeof(CAST(NULL AS " + type + "))", row -> canonical.add(row.getString(1)));
      return DuckTypeParser.parse(canonical.get(0));
    } catch (CatalogException | IllegalArgumentException e) {
      throw CatalogException.configuration(
          String.format(
              "column-types gives \"%s\" the type %s, which DuckDB does not know; write one such as"
                  + " BIGINT, DECIMAL(10,2), VARCHAR, DATE or TIMESTAMP",
              column, type));
    }
  }

  private void checkFixedTypesAreUsed() throws CatalogException {
    Set<String> columns = new LinkedHashSet<>();
    for (PartitionStorage storage : storages.values()) {
      if (storage instanceof CsvStorage || storage instanceof JsonStorage) {
        storage.columns().forEach(column -> columns.add(column.name()));
      }
    }
    for (String name : fixedTypes.keySet()) {
      if (!columns.contains(name)) {
        throw CatalogException.configuration(
            String.format(
                "column-types names \"%s\", which is no column of a CSV or JSON file of the table%s",
                name,
                NearestName.of(name, columns)
                    .map(near -> "; did you mean \"" + near + "\"?")
                    .orElse("; leave it out")));
      }
    }
  }
}
