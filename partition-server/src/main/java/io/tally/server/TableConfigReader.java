package io.tally.server;

import io.tally.server.table.PartitionDeclaration;
import io.tally.server.table.PartitionDefinition;
import io.tally.server.table.PartitionSource;
import io.tally.server.table.TableDefinition;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Function;

/** Takes one entry of {@code tables} and hands on the table's definition, with globs resolved. */
final class TableConfigReader {
  private static final List<String> SOURCES = List.of("parquet", "csv", "json", "duckdb");
  private static final String DEFAULT_SCHEMA = "main";

  private final Path folder;

  /**
   * @param file the configuration, to whose folder paths are relative
   */
  TableConfigReader(Path file) {
    this.folder = file.toAbsolutePath().normalize().getParent();
  }

  TableDefinition read(YamlSection yaml) {
    String name = yaml.requiredText("name");
    Optional<String> partitionedBy = yaml.text("partitioned-by");
    List<String> clusterPartitions = yaml.texts("cluster-partitions");
    boolean columnStatistics = yaml.flag("column-statistics", true);
    Map<String, String> columnTypes =
        yaml.section("column-types").map(YamlSection::map).orElse(Map.of());
    List<PartitionDefinition> partitions =
        partitions(yaml, partitionedBy.isPresent(), clusterPartitions);
    checkDistinct(yaml, clusterPartitions);
    yaml.rejectUnknownKeys();
    return new TableDefinition(
        name, clusterPartitions, partitionedBy, columnStatistics, columnTypes, partitions);
  }

  private List<PartitionDefinition> partitions(
      YamlSection yaml, boolean partitioned, List<String> clusterPartitions) {
    List<YamlSection> sections = yaml.sections("partitions");
    if (sections.isEmpty()) {
      yaml.problem("the list partitions is missing or empty; name at least one partition");
    }
    List<PartitionDefinition> partitions = new ArrayList<>();
    Map<String, String> places = new HashMap<>();
    for (YamlSection section : sections) {
      String id = section.requiredText("id");
      String earlier = places.putIfAbsent(id, section.pathOf("id"));
      if (earlier != null && !id.isEmpty()) {
        section.problem(
            "id", String.format("\"%s\" is the id of %s already; choose another", id, earlier));
      }
      if (!clusterPartitions.isEmpty() && !clusterPartitions.contains(id) && !id.isEmpty()) {
        section.problem(
            "id",
            String.format(
                "\"%s\" is not in %s; add it there", id, yaml.pathOf("cluster-partitions")));
      }
      Optional<PartitionSource> source = source(section);
      Optional<PartitionDeclaration> declaration = declaration(section, partitioned);
      section.rejectUnknownKeys();
      source.ifPresent(s -> partitions.add(new PartitionDefinition(id, s, declaration)));
    }
    return partitions;
  }

  private static void checkDistinct(YamlSection yaml, List<String> clusterPartitions) {
    Set<String> seen = new HashSet<>();
    for (String id : clusterPartitions) {
      if (!seen.add(id)) {
        yaml.problem("cluster-partitions", "\"" + id + "\" is there twice; keep one");
      }
    }
  }

  private Optional<PartitionSource> source(YamlSection yaml) {
    List<String> found = SOURCES.stream().filter(yaml::has).toList();
    if (found.size() != 1) {
      yaml.problem(
          found.isEmpty()
              ? "has no data; add one of " + String.join(", ", SOURCES)
              : "has both " + String.join(" and ", found) + "; keep one of them");
      return Optional.empty();
    }
    return switch (found.get(0)) {
      case "parquet" -> files(yaml, "parquet", PartitionSource.Parquet::new);
      case "csv" -> files(yaml, "csv", PartitionSource.Csv::new);
      case "json" -> files(yaml, "json", PartitionSource.Json::new);
      default -> yaml.section("duckdb").flatMap(this::database);
    };
  }

  private Optional<PartitionSource> files(
      YamlSection yaml, String key, Function<List<Path>, PartitionSource> source) {
    List<Path> files = new ArrayList<>();
    for (String pattern : yaml.textOrTexts(key)) {
      try {
        List<Path> matching = FilePattern.resolve(folder, pattern);
        if (matching.isEmpty()) {
          yaml.problem(key, "no file matches " + pattern + "; correct the pattern or add files");
        }
        files.addAll(matching);
      } catch (IOException | IllegalArgumentException e) {
        String reason = String.valueOf(e.getMessage()).lines().findFirst().orElse("unknown reason");
        yaml.problem(
            key,
            "the pattern "
                + pattern
                + " cannot be used: "
                + reason.replaceAll(" near index \\d+$", "")
                + "; correct it");
      }
    }
    if (files.stream().distinct().count() < files.size()) {
      yaml.problem(key, "names a file twice; its rows would count twice");
    }
    return files.isEmpty() ? Optional.empty() : Optional.of(source.apply(files));
  }

  private Optional<PartitionSource> database(YamlSection yaml) {
    String file = yaml.requiredText("file");
    String table = yaml.requiredText("table");
    String schema = yaml.text("schema").orElse(DEFAULT_SCHEMA);
    yaml.rejectUnknownKeys();
    return file.isEmpty() || table.isEmpty()
        ? Optional.empty()
        : Optional.of(
            new PartitionSource.Database(folder.resolve(file).normalize(), schema, table));
  }

  private Optional<PartitionDeclaration> declaration(YamlSection yaml, boolean partitioned) {
    boolean hasRange = yaml.has("range");
    boolean hasValues = yaml.has("values");
    if (!hasRange && !hasValues) {
      return Optional.empty();
    }
    if (!partitioned) {
      yaml.problem(
          (hasRange ? "range" : "values")
              + " needs a column; add partitioned-by to the table, or leave it out");
    }
    if (hasRange && hasValues) {
      yaml.problem("has both range and values; keep one of them");
    }
    Optional<PartitionDeclaration> range = yaml.section("range").flatMap(this::range);
    Optional<PartitionDeclaration> values = hasValues ? values(yaml) : Optional.empty();
    return range.or(() -> values);
  }

  private Optional<PartitionDeclaration> range(YamlSection yaml) {
    Optional<String> from = yaml.text("from");
    Optional<String> to = yaml.text("to");
    yaml.rejectUnknownKeys();
    if (from.isEmpty() && to.isEmpty()) {
      yaml.problem("has neither from nor to; add one of them");
      return Optional.empty();
    }
    return Optional.of(new PartitionDeclaration.Range(from, to));
  }

  private Optional<PartitionDeclaration> values(YamlSection yaml) {
    List<Optional<String>> values = yaml.textsOrNulls("values");
    if (values.isEmpty()) {
      yaml.problem("values", "is empty; name the values that the partition holds");
      return Optional.empty();
    }
    return Optional.of(
        new PartitionDeclaration.Values(
            values.stream().flatMap(Optional::stream).toList(),
            values.stream().anyMatch(Optional::isEmpty)));
  }
}
