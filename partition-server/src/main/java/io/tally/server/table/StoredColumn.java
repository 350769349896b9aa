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
 * @param unreadable why its values are not those that were written, if so; it is not sent then
 * @param collated whether the engine may compare its strings otherwise than by bytes, as the wire
 *     does
 */
record StoredColumn(
    String name, DuckType type, DuckType meaning, Optional<String> unreadable, boolean collated) {
  StoredColumn(String name, DuckType type) {
    this(name, type, type);
  }

  StoredColumn(String name, DuckType type, DuckType meaning) {
    this(name, type, meaning, Optional.empty(), false);
  }

  /** The column of a table with collations: they do not show in a column's type. */
  StoredColumn ofCollatedTable() {
    return new StoredColumn(name, type, meaning, unreadable, type.equals(DuckType.Plain.VARCHAR));
  }

  /** The column whose values are something else than DuckDB takes them for. */
  StoredColumn meaning(DuckType changed) {
    return new StoredColumn(name, type, changed, unreadable, collated);
  }

  /** The same column under the name that is stored. */
  StoredColumn named(String storedName) {
    return new StoredColumn(storedName, type, meaning, unreadable, collated);
  }

  /** The column as one that is not sent for {@code reason}, a sentence. */
  StoredColumn unreadable(String reason) {
    return new StoredColumn(name, type, meaning, Optional.of(reason), collated);
  }

  /** The type in which it is sent; empty if it cannot be. */
  Optional<DuckType> wireType() {
    if (unreadable.isPresent()) {
      return Optional.empty();
    }
    return meaning.equals(Variants.STORED) ? Optional.of(Variants.SENT) : meaning.wireType();
  }

  /** The type in which it is sent, or that it is not, as an error message says it. */
  String description() {
    return wireType()
        .map(
            wire ->
                wire.text().equals(type.sql())
                    ? type.sql()
                    : type.sql() + " (sent as " + wire.text() + ")")
        .orElse(type.sql() + " (not sent)");
  }

  /** The column as one that is not sent. */
  UnservedColumn toUnserved() {
    return new UnservedColumn(
        name,
        type.sql(),
        unreadable.orElseGet(
            () ->
                "Type "
                    + type.sql()
                    + " has no counterpart in Spark that keeps every value; store the column as"
                    + " another type, DECIMAL(38,0), TIMESTAMP or VARCHAR for example; for CSV and"
                    + " JSON files it can be given in column-types."));
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
    if (wire.equals(Variants.SENT)) {
      return Variants.encoded(identifier) + " AS " + identifier;
    }
    return wire.sql().equals(type.sql())
        ? identifier
        : "CAST(" + identifier + " AS " + wire.sql() + ") AS " + identifier;
  }
}
