package io.tally.server.table;

import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Optional;

/**
 * Takes the columns of a Parquet file as DuckDB names them and hands them on under the names that
 * are stored. DuckDB renames columns and fields whose names differ only in upper and lower case
 * from one before; what it shows under a name that nobody wrote is not sent.
 */
final class ParquetNames {
  /** A column or field, as it is stored. */
  private record Element(String name, List<Element> parts) {
    Optional<NameTwins> twins() {
      Optional<NameTwins> here = NameTwins.among(parts.stream().map(Element::name).toList());
      return here.isPresent()
          ? here
          : parts.stream().map(Element::twins).flatMap(Optional::stream).findFirst();
    }
  }

  private record Row(String name, int parts) {}

  private ParquetNames() {}

  static List<StoredColumn> restore(DuckDb database, Path file, List<StoredColumn> columns)
      throws CatalogException {
    Deque<Row> rows = new ArrayDeque<>();
    database.query(
        "SELECT name, coalesce(num_children, 0) FROM parquet_schema("
            + SqlText.pattern(file)
            + ") ORDER BY column_id",
        row -> rows.add(new Row(row.getString(1), row.getInt(2))));
    List<Element> elements = element(rows).parts();
    List<String> names = elements.stream().map(Element::name).toList();
    if (names.size() != columns.size() || names.stream().distinct().count() < names.size()) {
      throw CatalogException.data(
          file + " has several columns of one name; write it again with a name for each");
    }
    List<StoredColumn> restored = new ArrayList<>();
    for (int i = 0; i < columns.size(); i++) {
      restored.add(restore(file, columns.get(i), elements.get(i), names));
    }
    return restored;
  }

  private static StoredColumn restore(
      Path file, StoredColumn column, Element element, List<String> names) {
    Optional<NameTwins> twins = NameTwins.of(element.name(), names).or(element::twins);
    if (twins.isPresent()) {
      return column
          .named(element.name())
          .unreadable(file + " has " + twins.get() + "; write it again with another name for one.");
    }
    return column.name().equals(element.name())
        ? column
        : column
            .named(element.name())
            .unreadable(
                "DuckDB calls it \""
                    + column.name()
                    + "\", because other columns in "
                    + file
                    + " differ only in upper and lower case; write the file again with other names"
                    + " for those.");
  }

  /** Takes an element and all that is below it off the rows, which are in depth-first order. */
  private static Element element(Deque<Row> rows) {
    Row row = rows.remove();
    List<Element> parts = new ArrayList<>();
    for (int i = 0; i < row.parts(); i++) {
      parts.add(element(rows));
    }
    return new Element(row.name(), parts);
  }
}
