package io.tally.server.table;

import io.tally.rpc.NearestName;
import io.tally.rpc.v1.ColumnBounds;
import java.io.IOException;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.stream.Collectors;
import org.apache.arrow.vector.types.pojo.Field;

/**
 * Takes a table's definition, reads what its partitions hold, checks it against what is declared,
 * and hands on the table as it is served.
 */
final class TableLoader {
  private final DuckDb database;
  private final TableDefinition definition;

  private TableLoader(DuckDb database, TableDefinition definition) {
    this.database = database;
    this.definition = definition;
  }

  static LoadedTable load(DuckDb database, TableDefinition definition)
      throws CatalogException, SQLException {
    try {
      return new TableLoader(database, definition).load();
    } catch (CatalogException e) {
      throw e.in("table \"" + definition.name() + "\"");
    }
  }

  private LoadedTable load() throws CatalogException, SQLException {
    Map<String, PartitionStorage> storages = StorageLoader.load(database, definition);
    List<StoredColumn> columns = agreedColumns(storages);
    List<StoredColumn> sent = columns.stream().filter(c -> c.wireType().isPresent()).toList();
    Optional<NameTwins> twins = NameTwins.among(sent.stream().map(StoredColumn::name).toList());
    if (twins.isPresent()) {
      throw CatalogException.data("it has " + twins.get() + "; rename one of them");
    }
    Optional<StoredColumn> partitioning = partitioningColumn(columns);
    List<LoadedPartition> partitions = new ArrayList<>();
    for (PartitionDefinition partition : definition.partitions()) {
      try {
        partitions.add(load(partition, storages.get(partition.id()), sent, partitioning));
      } catch (CatalogException e) {
        throw e.in("partition \"" + partition.id() + "\"");
      }
    }
    partitions.sort(Comparator.comparing(LoadedPartition::id));
    List<ServedColumn> served = new ArrayList<>();
    if (!partitions.isEmpty()) {
      List<Field> fields = ArrowFields.of(database, partitions.get(0).rowsSql(Optional.empty()));
      for (int i = 0; i < fields.size(); i++) {
        Field field = ArrowFields.named(fields.get(i), sent.get(i).wireType().orElseThrow());
        served.add(new ServedColumn(field, SqlText.identifier(field.getName())));
      }
    }
    return new LoadedTable(
        definition.name(),
        served,
        columns.stream()
            .filter(column -> column.wireType().isEmpty())
            .map(StoredColumn::toUnserved)
            .toList(),
        layoutVersion(served, partitions),
        partitions,
        definition.clusterPartitions());
  }

  private List<StoredColumn> agreedColumns(Map<String, PartitionStorage> storages)
      throws CatalogException {
    List<StoredColumn> columns = List.of();
    String first = "";
    for (Map.Entry<String, PartitionStorage> entry : storages.entrySet()) {
      String place = "partition \"" + entry.getKey() + "\"";
      if (first.isEmpty()) {
        first = place;
        columns = TimesOfDay.checked(database, entry.getValue());
      } else {
        columns =
            ColumnAgreement.agreed(
                first, columns, place, TimesOfDay.checked(database, entry.getValue()));
      }
    }
    return columns;
  }

  private Optional<StoredColumn> partitioningColumn(List<StoredColumn> columns)
      throws CatalogException {
    if (definition.partitionedBy().isEmpty()) {
      return Optional.empty();
    }
    String name = definition.partitionedBy().get();
    Optional<StoredColumn> column =
        columns.stream().filter(candidate -> candidate.name().equals(name)).findFirst();
    if (column.isEmpty() && !definition.partitions().isEmpty()) {
      List<String> names = columns.stream().map(StoredColumn::name).toList();
      throw CatalogException.configuration(
          String.format(
              "partitioned-by names \"%s\", which is no column of the table; %s",
              name,
              NearestName.of(name, names)
                  .map(near -> "did you mean \"" + near + "\"?")
                  .orElse("its columns are " + String.join(", ", names))));
    }
    return column;
  }

  private LoadedPartition load(
      PartitionDefinition partition,
      PartitionStorage storage,
      List<StoredColumn> sent,
      Optional<StoredColumn> partitioning)
      throws CatalogException {
    List<StoredColumn> stored = sent.stream().map(column -> inPartition(column, storage)).toList();
    String selectList = StoredColumn.wireSelectList(stored);
    if (selectList.isEmpty()) {
      throw CatalogException.data(
          "none of its columns can be sent, their types are "
              + storage.columns().stream()
                  .map(column -> column.type().sql())
                  .distinct()
                  .collect(Collectors.joining(", "))
              + "; give those of CSV and JSON files others in column-types, or leave the table out");
    }
    String rowsSql = storage.rowsSql(selectList, Optional.empty());
    Optional<StoredColumn> declared = partition.declaration().flatMap(d -> partitioning);
    ColumnStatistics statistics = statistics(storage, rowsSql, stored, declared);
    List<ColumnBounds> bounds = new ArrayList<>(statistics.bounds());
    if (declared.isPresent()) {
      DeclaredValues values =
          DeclaredValues.of(declared.get(), partition.declaration().orElseThrow());
      for (int i = 0; i < bounds.size(); i++) {
        if (bounds.get(i).getColumn().equals(declared.get().name())) {
          ColumnBounds declaredBounds = values.bounds(bounds.get(i));
          values.check(database, rowsSql, declaredBounds);
          bounds.set(i, declaredBounds);
        }
      }
    }
    return new LoadedPartition(
        partition.id(),
        fingerprint(storage, stored, statistics.rows()),
        statistics.rows(),
        storage,
        selectList,
        bounds,
        declared.map(StoredColumn::name).stream().toList());
  }

  private static StoredColumn inPartition(StoredColumn column, PartitionStorage storage) {
    return storage.columns().stream()
        .filter(candidate -> candidate.name().equals(column.name()))
        .findFirst()
        .orElseThrow();
  }

  private ColumnStatistics statistics(
      PartitionStorage storage,
      String rowsSql,
      List<StoredColumn> columns,
      Optional<StoredColumn> declared)
      throws CatalogException {
    OptionalLong knownRows = storage.knownRows();
    if (!definition.columnStatistics() && declared.isEmpty() && knownRows.isPresent()) {
      return new ColumnStatistics(knownRows.getAsLong(), List.of());
    }
    ColumnStatistics statistics =
        ColumnStatistics.compute(
            database,
            rowsSql,
            definition.columnStatistics() ? columns : declared.stream().toList());
    if (knownRows.isPresent() && knownRows.getAsLong() != statistics.rows()) {
      throw CatalogException.data(
          String.format(
              "its metadata speaks of %d rows, but it holds %d; write the data again",
              knownRows.getAsLong(), statistics.rows()));
    }
    return statistics;
  }

  private static String fingerprint(PartitionStorage storage, List<StoredColumn> columns, long rows)
      throws CatalogException {
    Fingerprint fingerprint = new Fingerprint().add(storage.format()).add(rows);
    for (StoredColumn column : columns) {
      fingerprint.add(column.name()).add(column.wireType().orElseThrow().text());
    }
    for (StoredFile file : storage.files()) {
      try {
        fingerprint.add(file);
      } catch (IOException e) {
        throw CatalogException.data(file.path() + " cannot be read; is the disk in order?", e);
      }
    }
    return fingerprint.text();
  }

  /** Modification times count, so that not even a change that samples cannot see goes unnoticed. */
  private String layoutVersion(List<ServedColumn> columns, List<LoadedPartition> partitions) {
    Fingerprint version = new Fingerprint().add(definition.name());
    columns.forEach(column -> version.add(column.field().toString()));
    for (LoadedPartition partition : partitions) {
      version.add(partition.id()).add(partition.fingerprint());
      partition.bounds().forEach(bounds -> version.add(bounds.toString()));
      partition.storage().files().forEach(file -> version.add(file.modifiedNanos()));
    }
    definition.clusterPartitions().forEach(version::add);
    return version.text();
  }
}
