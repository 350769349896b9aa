package io.tally.server.table;

import io.tally.rpc.SqlTypeName;
import io.tally.server.table.DuckType.Named;
import io.tally.server.table.DuckType.Plain;
import io.tally.server.table.DuckType.StructField;
import io.tally.server.table.DuckType.StructType;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** How a column of type VARIANT is sent: in the binary encoding that Parquet and Spark have. */
final class Variants {
  static final DuckType STORED = new Plain("VARIANT");

  /** The fields in the order in which Spark looks for them. */
  static final DuckType SENT =
      new Named(
          new StructType(
              List.of(
                  new StructField("value", new Plain("BLOB")),
                  new StructField("metadata", new Plain("BLOB")))),
          SqlTypeName.VARIANT);

  private Variants() {}

  /**
   * Marks variants of a Parquet file as unreadable in which DuckDB takes a variant's null for NULL.
   * That there is one shows in the statistics, which count the rows without any variant.
   */
  static List<StoredColumn> checked(DuckDb database, Path file, List<StoredColumn> columns)
      throws CatalogException {
    List<StoredColumn> checked = new ArrayList<>();
    for (StoredColumn column : columns) {
      boolean doubted = column.meaning().equals(STORED) && hasNullInside(database, file, column);
      checked.add(
          doubted
              ? column.unreadable(
                  file
                      + " holds a variant's null in it, or does not count its NULLs, and DuckDB"
                      + " cannot tell one from the other; store NULL, or leave the column out.")
              : column);
    }
    return checked;
  }

  private static boolean hasNullInside(DuckDb database, Path file, StoredColumn column)
      throws CatalogException {
    long[] nulls = new long[2];
    database.query(
        "SELECT (SELECT count(*) FROM read_parquet("
            + SqlText.pattern(file)
            + ", hive_partitioning = false) WHERE "
            + SqlText.identifier(column.name())
            + " IS NULL), (SELECT coalesce(sum(stats_null_count), 0) FROM parquet_metadata("
            + SqlText.pattern(file)
            + ") WHERE path_in_schema = "
            + SqlText.text(column.name() + ", metadata")
            + ")",
        row -> {
          nulls[0] = row.getLong(1);
          nulls[1] = row.getLong(2);
        });
    return nulls[0] != nulls[1];
  }

  /** SQL that yields {@link #SENT}; the engine alone would make a variant's null of NULL. */
  static String encoded(String variant) {
    return ("CASE WHEN " + variant + " IS NULL THEN NULL ELSE CAST(variant_to_parquet_variant(")
        + (variant + ") AS " + SENT.sql() + ") END");
  }
}
