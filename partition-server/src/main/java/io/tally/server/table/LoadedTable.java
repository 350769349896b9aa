package io.tally.server.table;

import java.util.List;

/** A table all of whose partitions were read and found to agree. Immutable. */
record LoadedTable(
    String name,
    List<ServedColumn> columns,
    List<UnservedColumn> unservedColumns,
    String layoutVersion,
    List<LoadedPartition> loadedPartitions,
    List<String> clusterPartitions)
    implements ServedTable {
  LoadedTable {
    columns = List.copyOf(columns);
    unservedColumns = List.copyOf(unservedColumns);
    loadedPartitions = List.copyOf(loadedPartitions);
    clusterPartitions = List.copyOf(clusterPartitions);
  }

  @Override
  public List<ServedPartition> partitions() {
    return List.copyOf(loadedPartitions);
  }

  @Override
  public void checkUnchanged() {
    for (LoadedPartition partition : loadedPartitions) {
      String owner = "Table \"" + name + "\", partition \"" + partition.id() + "\"";
      partition.storage().files().forEach(file -> file.checkUnchanged(owner));
    }
  }
}
