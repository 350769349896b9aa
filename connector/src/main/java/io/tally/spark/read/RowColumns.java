package io.tally.spark.read;

import io.tally.rpc.v1.PartSelection;
import io.tally.spark.types.NestedParts;
import io.tally.spark.types.RowOrigin;
import io.tally.spark.types.TableSchema;
import java.io.Serializable;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import org.apache.spark.sql.types.DataTypes;
import org.apache.spark.sql.types.StructField;
import org.apache.spark.sql.types.StructType;

/**
 * Takes the names of the columns that Spark wants of rows, and hands on which of them a node sends,
 * in which order, and where each of Spark's comes from. Immutable.
 *
 * @param schema what Spark gets
 * @param projection those of the columns of which some parts are sent
 * @param origins those of the columns that the table does not store
 */
record RowColumns(StructType schema, List<PartSelection> projection, List<RowOrigin> origins)
    implements Serializable {
  /** Of a column that no node sends. */
  static final int NOT_SENT = -1;

  RowColumns {
    projection = List.copyOf(projection);
    origins = List.copyOf(origins);
  }

  /** The answer of an aggregation. */
  static RowColumns ofGroups(StructType schema) {
    return new RowColumns(schema, List.of(), List.of());
  }

  /**
   * @param needed also the fields of nested columns
   * @param inParts whether nodes send some fields of a nested column
   * @throws io.tally.rpc.TallyException COLUMN_NOT_FOUND if one of them cannot be read
   */
  static RowColumns of(TableSchema table, StructType needed, boolean inParts) {
    List<StructField> fields = new ArrayList<>();
    List<RowOrigin> origins = new ArrayList<>();
    for (StructField column : needed.fields()) {
      String name = column.name();
      Optional<RowOrigin> origin =
          table.column(name).isPresent() ? Optional.empty() : RowOrigin.ofColumn(name);
      origin.ifPresent(origins::add);
      fields.add(origin.map(RowOrigin::field).orElseGet(() -> stored(table, column, inParts)));
    }
    StructType schema = DataTypes.createStructType(fields);
    return new RowColumns(schema, NestedParts.of(table.sparkSchema(), schema), origins);
  }

  private static StructField stored(TableSchema table, StructField needed, boolean inParts) {
    StructField whole = table.select(List.of(needed.name())).fields()[0];
    return inParts ? NestedParts.prune(whole, needed) : whole;
  }

  /** The stored columns, in the order in which a node sends them. */
  List<String> stored() {
    return Arrays.stream(schema.fieldNames()).filter(name -> !isOrigin(name)).toList();
  }

  /** Whether the node sends the partition's id behind the stored columns. */
  boolean sendsPartition() {
    return origins.contains(RowOrigin.PARTITION);
  }

  /** What the node sends. */
  List<StructField> sent() {
    List<StructField> sent = new ArrayList<>();
    stored().forEach(name -> sent.add(schema.apply(name)));
    if (sendsPartition()) {
      sent.add(RowOrigin.PARTITION.field());
    }
    return sent;
  }

  /** For each of Spark's columns, which of those that are sent it is, or {@link #NOT_SENT}. */
  int[] positions() {
    List<String> sent = sent().stream().map(StructField::name).toList();
    return Arrays.stream(schema.fieldNames()).mapToInt(sent::indexOf).toArray();
  }

  private boolean isOrigin(String name) {
    return RowOrigin.ofColumn(name).map(origins::contains).orElse(false);
  }
}
