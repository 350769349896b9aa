package io.tally.tests;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * One entry under {@code tables} of a node's configuration. Immutable: each method gives a new one.
 * Values are what the YAML file is to hold, keyed as there.
 */
public record TableConfig(Map<String, Object> yaml, List<Map<String, Object>> partitions) {

  public TableConfig {
    yaml = new LinkedHashMap<>(yaml);
    partitions = List.copyOf(partitions);
  }

  public static TableConfig table(String name) {
    return new TableConfig(Map.of("name", name), List.of());
  }

  String name() {
    return (String) yaml.get("name");
  }

  public TableConfig parquet(String id, Path... files) {
    return partition(Map.of("id", id, "parquet", paths(files)));
  }

  TableConfig parquetRange(String id, Path file, Object from, Object to) {
    return partition(
        Map.of(
            "id", id, "parquet", file.toString(), "range", range(from.toString(), to.toString())));
  }

  TableConfig csv(String id, Path file) {
    return partition(Map.of("id", id, "csv", file.toString()));
  }

  TableConfig json(String id, Path file) {
    return partition(Map.of("id", id, "json", file.toString()));
  }

  public TableConfig duckdb(String id, Path file, String table) {
    return partition(Map.of("id", id, "duckdb", Map.of("file", file.toString(), "table", table)));
  }

  /** Any partition entry, also a wrong one. */
  TableConfig partition(Map<String, Object> entry) {
    List<Map<String, Object>> more = new ArrayList<>(partitions);
    more.add(entry);
    return new TableConfig(yaml, more);
  }

  /** Any key of the table, also a wrong one. */
  public TableConfig with(String key, Object value) {
    Map<String, Object> more = new LinkedHashMap<>(yaml);
    more.put(key, value);
    return new TableConfig(more, partitions);
  }

  Map<String, Object> toYaml() {
    Map<String, Object> all = new LinkedHashMap<>(yaml);
    all.put("partitions", partitions);
    return all;
  }

  private static Object paths(Path... files) {
    return files.length == 1
        ? files[0].toString()
        : List.of(files).stream().map(Path::toString).toList();
  }

  private static Map<String, Object> range(String from, String to) {
    Map<String, Object> range = new LinkedHashMap<>();
    range.put("from", from);
    range.put("to", to);
    return range;
  }
}
