package io.tally.spark.types;

import java.util.Arrays;
import java.util.Optional;
import org.apache.spark.sql.types.DataTypes;
import org.apache.spark.sql.types.Metadata;
import org.apache.spark.sql.types.StructField;

/** Columns that no table stores: where a row came from. A stored column of the name hides them. */
public enum RowOrigin {
  /** The id of the partition; the node sends it. */
  PARTITION("_partition", "Id of the partition that holds the row."),
  /** The id of the node that answered: one of those that own the partition. */
  NODE("_node", "Id of the node that sent the row.");

  private final String column;
  private final String comment;

  RowOrigin(String column, String comment) {
    this.column = column;
    this.comment = comment;
  }

  /** Name of the column. */
  public String column() {
    return column;
  }

  /** For people. */
  public String comment() {
    return comment;
  }

  /** Name and type as Spark reads them. */
  public StructField field() {
    return new StructField(column, DataTypes.StringType, false, Metadata.empty());
  }

  /** The column of exactly that name. */
  public static Optional<RowOrigin> ofColumn(String name) {
    return Arrays.stream(values()).filter(origin -> origin.column.equals(name)).findFirst();
  }
}
