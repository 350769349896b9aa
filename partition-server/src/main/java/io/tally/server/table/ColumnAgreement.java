package io.tally.server.table;

import io.tally.rpc.NearestName;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;
import java.util.stream.Collectors;

/** Compares the columns of two places that must hold the same table. */
final class ColumnAgreement {
  private ColumnAgreement() {}

  /**
   * Checks that both have the same names and send them in the same types; the order may differ.
   * Gives the columns of the first; what one of both cannot read is unreadable in them.
   *
   * @param place how to name where {@code columns} are from
   * @param otherPlace how to name where {@code otherColumns} are from
   */
  static List<StoredColumn> agreed(
      String place, List<StoredColumn> columns, String otherPlace, List<StoredColumn> otherColumns)
      throws CatalogException {
    Map<String, StoredColumn> byName = byName(columns);
    Map<String, StoredColumn> otherByName = byName(otherColumns);
    checkNames(place, byName, otherPlace, otherByName);
    checkNames(otherPlace, otherByName, place, byName);
    List<StoredColumn> agreed = new ArrayList<>();
    for (StoredColumn column : columns) {
      StoredColumn other = otherByName.get(column.name());
      if (column.unreadable().isPresent() || other.unreadable().isPresent()) {
        agreed.add(column.unreadable(column.unreadable().or(other::unreadable).orElseThrow()));
        continue;
      }
      // How long a VARCHAR may be is a matter of writers; where it differs, nothing is said of it.
      StoredColumn plain = column.meaning(column.meaning().withoutVarchar());
      StoredColumn otherPlain = other.meaning(other.meaning().withoutVarchar());
      agreed.add(sentType(column).equals(sentType(other)) ? column : plain);
      if (!sentType(plain).equals(sentType(otherPlain))) {
        throw CatalogException.data(
            String.format(
                "column \"%s\" has type %s in %s, but %s in %s; store it in one type, or give"
                    + " CSV and JSON files one in column-types",
                column.name(), other.description(), otherPlace, column.description(), place));
      }
    }
    return agreed;
  }

  private static void checkNames(
      String place,
      Map<String, StoredColumn> columns,
      String otherPlace,
      Map<String, StoredColumn> otherColumns)
      throws CatalogException {
    for (String name : columns.keySet()) {
      if (!otherColumns.containsKey(name)) {
        throw CatalogException.data(
            String.format(
                "column \"%s\" is in %s, but not in %s%s; all must have the same columns",
                name,
                place,
                otherPlace,
                NearestName.of(name, otherColumns.keySet())
                    .map(near -> " (which has \"" + near + "\")")
                    .orElse("")));
      }
    }
  }

  /** Unsent columns must be of one type too, or they would be described by chance. */
  private static String sentType(StoredColumn column) {
    Optional<DuckType> wire = column.wireType();
    return wire.orElse(column.type()).text();
  }

  private static Map<String, StoredColumn> byName(List<StoredColumn> columns) {
    return columns.stream().collect(Collectors.toMap(StoredColumn::name, Function.identity()));
  }
}
