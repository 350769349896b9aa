package io.tally.server.table;

import io.tally.rpc.v1.RowRange;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.stream.Collectors;

/**
 * JSON files, read with columns that are fixed for the table: every key that occurs in any of its
 * files. A record without a key has NULL there. No positions.
 */
final class JsonStorage implements PartitionStorage {
  private static final DuckType JSON = new DuckType.Plain("JSON");
  private static final DuckType NOTHING = new DuckType.Plain("\"NULL\"");
  private static final DuckType HUGEINT = new DuckType.Plain("HUGEINT");
  private static final DuckType BIGINT = new DuckType.Plain("BIGINT");

  private final List<StoredFile> files;
  private final List<StoredColumn> columns;

  JsonStorage(List<StoredFile> files, List<StoredColumn> columns) {
    this.files = List.copyOf(files);
    this.columns = List.copyOf(columns);
  }

  /**
   * Reads all records of all JSON files of a table for their keys and types.
   *
   * @param fixed types that the operator chose, by column; columns that are in no file are added
   */
  static List<StoredColumn> columns(
      DuckDb database, List<StoredFile> files, Map<String, DuckType> fixed)
      throws CatalogException {
    List<Path> paths = files.stream().map(StoredFile::path).toList();
    Map<String, DuckType> types = new LinkedHashMap<>();
    for (StoredColumn column :
        database.describe(
            "SELECT * FROM read_json("
                + SqlText.patterns(paths)
                + ", sample_size = -1, union_by_name = true, map_inference_threshold = -1,"
                + " hive_partitioning = false)")) {
      DuckType type = readable(column.type());
      types.put(column.name(), fitting(database, paths, column.name(), type));
    }
    types.putAll(fixed);
    List<StoredColumn> columns = new ArrayList<>();
    types.forEach((name, type) -> columns.add(new StoredColumn(name, type)));
    if (NameTwins.maybeHidden(columns)) {
      checkNames(database, paths);
    }
    return columns;
  }

  /**
   * What has many types, or no value at all, is read as the text that is written: as JSON, a string
   * would keep its quotation marks.
   */
  private static DuckType readable(DuckType type) {
    if (type.equals(JSON) || type.equals(NOTHING)) {
      return DuckType.Plain.VARCHAR;
    }
    return type.withParts(type.parts().stream().map(JsonStorage::readable).toList());
  }

  /** DuckDB takes integers of both signs for HUGEINT, even if they are small. */
  private static DuckType fitting(DuckDb database, List<Path> paths, String name, DuckType type)
      throws CatalogException {
    DuckType narrow = narrow(type);
    if (narrow.equals(type)) {
      return type;
    }
    try {
      database.query(
          "SELECT count("
              + SqlText.identifier(name)
              + ") FROM "
              + readJson(paths, List.of(new StoredColumn(name, narrow))),
          row -> {});
      return narrow;
    } catch (CatalogException e) {
      if (e.kind() != CatalogException.Kind.DATA) {
        throw e; // There is too little memory to say.
      }
      return type;
    }
  }

  private static DuckType narrow(DuckType type) {
    return type.equals(HUGEINT)
        ? BIGINT
        : type.withParts(type.parts().stream().map(JsonStorage::narrow).toList());
  }

  private static void checkNames(DuckDb database, List<Path> paths) throws CatalogException {
    Map<String, String> fileOfKey = new LinkedHashMap<>();
    database.query(
        "SELECT DISTINCT unnest(json_keys(json)) AS key, filename FROM read_json_objects("
            + SqlText.patterns(paths)
            + ", format = 'auto', filename = true, hive_partitioning = false) ORDER BY ALL",
        row -> fileOfKey.put(row.getString(1), row.getString(2)));
    Optional<NameTwins> twins = NameTwins.among(List.copyOf(fileOfKey.keySet()));
    if (twins.isPresent()) {
      throw CatalogException.data(
          String.format(
              "there are %s (in %s and %s); rename one of them",
              twins.get(),
              fileOfKey.get(twins.get().first()),
              fileOfKey.get(twins.get().second())));
    }
  }

  @Override
  public String format() {
    return "json";
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
    return OptionalLong.empty();
  }

  @Override
  public boolean splittable() {
    return false;
  }

  @Override
  public String rowsSql(String selectList, Optional<RowRange> range) {
    return "SELECT "
        + selectList
        + " FROM "
        + readJson(files.stream().map(StoredFile::path).toList(), columns);
  }

  private static String readJson(List<Path> paths, List<StoredColumn> columns) {
    return "read_json("
        + SqlText.patterns(paths)
        + columns.stream()
            .map(column -> SqlText.text(column.name()) + ": " + SqlText.text(column.type().sql()))
            .collect(Collectors.joining(", ", ", columns = {", "}"))
        + ", hive_partitioning = false)";
  }
}
