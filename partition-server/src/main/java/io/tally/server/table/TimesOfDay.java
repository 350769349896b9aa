package io.tally.server.table;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.stream.Collectors;

/**
 * Takes the columns of a partition and hands on those with a TIME of 24:00:00 as unreadable: DuckDB
 * has this end of a day, Spark's days end before it.
 */
final class TimesOfDay {
  private static final String END = "24:00:00";

  private TimesOfDay() {}

  /**
   * @param storage whose rows are looked at, if there is a TIME among its columns
   */
  static List<StoredColumn> checked(DuckDb database, PartitionStorage storage)
      throws CatalogException {
    List<StoredColumn> columns = new ArrayList<>(storage.columns());
    List<Integer> places = new ArrayList<>();
    for (int i = 0; i < columns.size(); i++) {
      if (columns.get(i).wireType().isPresent() && hasTime(columns.get(i).type())) {
        places.add(i);
      }
    }
    if (places.isEmpty()) {
      return columns;
    }
    // Inside other types a text may look like it; then the column is left out for nothing.
    String select =
        places.stream()
            .map(place -> SqlText.identifier(columns.get(place).name()))
            .map(name -> "bool_or(contains(CAST(" + name + " AS VARCHAR), '" + END + "'))")
            .collect(Collectors.joining(", "));
    String names =
        places.stream()
            .map(place -> SqlText.identifier(columns.get(place).name()))
            .collect(Collectors.joining(", "));
    List<StoredColumn> checked = new ArrayList<>(columns);
    database.query(
        "SELECT " + select + " FROM (" + storage.rowsSql(names, Optional.empty()) + ")",
        row -> {
          for (int i = 0; i < places.size(); i++) {
            if (row.getBoolean(i + 1)) {
              checked.set(
                  places.get(i),
                  columns
                      .get(places.get(i))
                      .unreadable(
                          "It holds the TIME "
                              + END
                              + ", which Spark does not have; store 00:00:00."));
            }
          }
        });
    return checked;
  }

  private static boolean hasTime(DuckType type) {
    return type.sql().equals("TIME") || type.parts().stream().anyMatch(TimesOfDay::hasTime);
  }
}
