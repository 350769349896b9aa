package io.tally.server.table;

import java.util.List;
import java.util.Optional;
import java.util.stream.Collectors;

/**
 * A column as one partition stores it. Partitions of a table may store a column differently as long
 * as it is sent in one type.
 *
 * @param type what DuckDB reads it as
 * @param meaning what its values are: a TIMESTAMP of an old Parquet file is an instant
 * @param collated whether the engine may compare its strings otherwise than by bytes, as the wire
 *     does
 */
record StoredColumn(String name, DuckType type, DuckType meaning, boolean collated) {
  StoredColumn(String name, DuckType type) {
    this(name, type, type, false);
  }

  StoredColumn(String name, DuckType type, DuckType meaning) {
    this(name, type, meaning, false);
  }

  /** The column of a table with collations: they do not show in a column's type. */
  StoredColumn ofCollatedTable() {
    return new StoredColumn(name, type, meaning, type.equals(DuckType.Plain.VARCHAR));
  }

  /** The type in which it is sent; empty if it cannot be. */
  Optional<DuckType> wireType() {
    return meaning.wireType();
  }

  /** The type in which it is sent, or that it is not, as an error message says it. */
  String description() {
    return wireType()
        .map(wire -> wire.equals(type) ? type.sql() : type.sql() + " (sent as " + wire.sql() + ")")
        .orElse(type.sql() + " (not sent)");
  }

  /** The column as one that is not sent. */
  UnservedColumn toUnserved() {
    return new UnservedColumn(
        name,
        type.sql(),
        "Type "
            + type.sql()
            + " has no counterpart in Spark that keeps every value; store the column as another"
            + " type, DECIMAL(38,0), TIMESTAMP or VARCHAR for example.");
  }

  /** The select list that yields the named columns in their wire types. */
  static String wireSelectList(List<StoredColumn> columns) {
    return columns.stream().map(StoredColumn::wireSelectItem).collect(Collectors.joining(", "));
  }

  private String wireSelectItem() {
    String identifier = SqlText.identifier(name);
    DuckType wire = wireType().orElseThrow();
    if (collated) {
      return identifier + " COLLATE C AS " + identifier;
    }
    return wire.equals(type)
        ? identifier
        : "CAST(" + identifier + " AS " + wire.sql() + ") AS " + identifier;
  }
}
