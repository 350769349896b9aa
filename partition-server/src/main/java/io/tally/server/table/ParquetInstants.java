package io.tally.server.table;

import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Optional;

/**
 * Tells instants from local times in the columns of a Parquet file. Files in the old INT96 format,
 * which Spark still writes unless it is told otherwise, hold instants in UTC; DuckDB reads them as
 * TIMESTAMP, Spark as TIMESTAMP WITH TIME ZONE, and Spark is right.
 */
final class ParquetInstants {
  private static final DuckType LOCAL = new DuckType.Plain("TIMESTAMP");
  private static final DuckType INSTANT = new DuckType.Plain("TIMESTAMP WITH TIME ZONE");

  /** Julian day 0. */
  private static final String FIRST_TRUSTED = "make_timestamp(-210866803200000000)";

  private static final String FIRST_DOUBTED = "TIMESTAMP '10000-01-01'";

  /** For each TIMESTAMP of the file, in order, whether it is an INT96. */
  private final Deque<Boolean> areInstants;

  private ParquetInstants(Deque<Boolean> areInstants) {
    this.areInstants = areInstants;
  }

  static List<StoredColumn> mark(DuckDb database, Path file, List<StoredColumn> columns)
      throws CatalogException {
    Deque<Boolean> areInstants = new ArrayDeque<>();
    database.query(
        "SELECT type = 'INT96' FROM parquet_schema("
            + SqlText.pattern(file)
            + ") WHERE duckdb_type = 'TIMESTAMP' AND type IS NOT NULL ORDER BY column_id",
        row -> areInstants.add(row.getBoolean(1)));
    if (!areInstants.contains(true)) {
      return columns;
    }
    ParquetInstants instants = new ParquetInstants(areInstants);
    List<StoredColumn> marked = new ArrayList<>();
    for (StoredColumn column : columns) {
      marked.add(new StoredColumn(column.name(), column.type(), instants.mark(column.type())));
    }
    if (!areInstants.isEmpty()) {
      throw CatalogException.data(
          file
              + " mixes INT96 timestamps with columns that cannot be looked into; write its"
              + " timestamps as INT64");
    }
    return checked(database, file, marked);
  }

  /**
   * Marks the columns as unreadable in which DuckDB may have misread an instant. It takes a Julian
   * day below 0, which is before 24 November 4714 BC (-4713-11-24), for one beyond 4 thousand
   * million; in 64 bits of microseconds that comes out as 68,139 years too late. So what it shows
   * after the year 9999 or before day 0 is not trusted. Instants of the years before -58140 come
   * out between the two, and cannot be recognised.
   */
  private static List<StoredColumn> checked(DuckDb database, Path file, List<StoredColumn> columns)
      throws CatalogException {
    List<StoredColumn> checked = new ArrayList<>(columns);
    List<Integer> places = new ArrayList<>();
    List<String> doubts = new ArrayList<>();
    for (int i = 0; i < columns.size(); i++) {
      StoredColumn column = columns.get(i);
      if (!column.type().equals(column.meaning())) {
        places.add(i);
        String doubt =
            doubt(SqlText.identifier(column.name()), column.type(), column.meaning(), 0)
                .orElseThrow();
        doubts.add("coalesce(bool_or(" + doubt + "), false)");
      }
    }
    database.query(
        "SELECT "
            + String.join(", ", doubts)
            + " FROM read_parquet("
            + SqlText.pattern(file)
            + ", hive_partitioning = false)",
        row -> {
          for (int i = 0; i < places.size(); i++) {
            if (row.getBoolean(i + 1)) {
              checked.set(
                  places.get(i),
                  columns
                      .get(places.get(i))
                      .unreadable(
                          file
                              + " holds INT96 timestamps in it that are before 4713 BC or after"
                              + " 9999, which DuckDB confuses; write them as INT64"
                              + " (TIMESTAMP_MICROS)."));
            }
          }
        });
    return checked;
  }

  /** A condition on a value that holds if an instant in it may be misread; empty: none is there. */
  static Optional<String> doubt(String value, DuckType type, DuckType meaning, int depth) {
    if (type.equals(meaning)) {
      return Optional.empty();
    }
    if (type.equals(LOCAL)) {
      return Optional.of(
          "(" + value + " < " + FIRST_TRUSTED + " OR " + value + " >= " + FIRST_DOUBTED + ")");
    }
    List<String> doubts = new ArrayList<>();
    for (int i = 0; i < type.parts().size(); i++) {
      DuckType part = type.parts().get(i);
      DuckType partMeaning = meaning.parts().get(i);
      if (type instanceof DuckType.StructType struct) {
        String field = value + "[" + SqlText.text(struct.fields().get(i).name()) + "]";
        doubt(field, part, partMeaning, depth).ifPresent(doubts::add);
      } else {
        String item = "item" + depth;
        String items =
            type instanceof DuckType.MapType
                ? (i == 0 ? "map_keys(" : "map_values(") + value + ")"
                : value;
        doubt(item, part, partMeaning, depth + 1)
            .map(d -> "len(list_filter(" + items + ", lambda " + item + ": " + d + ")) > 0")
            .ifPresent(doubts::add);
      }
    }
    return Optional.of("(" + String.join(" OR ", doubts) + ")");
  }

  private DuckType mark(DuckType type) {
    if (type.equals(LOCAL)) {
      return Boolean.TRUE.equals(areInstants.poll()) ? INSTANT : LOCAL;
    }
    List<DuckType> parts = new ArrayList<>();
    for (DuckType part : type.parts()) {
      parts.add(mark(part));
    }
    return type.withParts(parts);
  }
}
