package io.tally.tests.differential;

import java.util.List;

/**
 * A generated table: its columns, and the rows of each partition. A row has a value or null for
 * each column.
 */
record TableData(String name, List<Column> columns, List<List<List<Object>>> partitions) {
  TableData {
    columns = List.copyOf(columns);
    partitions = partitions.stream().map(List::copyOf).toList();
  }

  TableData withPartitions(List<List<List<Object>>> changed) {
    return new TableData(name, columns, changed);
  }

  boolean has(Kind kind) {
    return columns.stream().anyMatch(it -> it.type().kind() == kind);
  }

  boolean survivesDatabases() {
    return columns.stream().allMatch(it -> it.type().survivesDatabases());
  }

  int rowCount() {
    return partitions.stream().mapToInt(List::size).sum();
  }
}
