package io.tally.spark.pushdown;

import io.tally.rpc.v1.DataType;
import io.tally.rpc.v1.Literal;
import io.tally.rpc.v1.Partition;
import io.tally.spark.types.TableSchema;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.apache.spark.sql.catalyst.InternalRow;
import org.apache.spark.sql.catalyst.expressions.GenericInternalRow;

/**
 * What is proved of partitions of which each has one value alone in the columns that the table is
 * declared to be partitioned by: which columns, and which values. Several partitions may have the
 * same. Immutable.
 *
 * @param columns names of the columns
 * @param values by the partition's id; one for each column, never NULL
 */
public record PartitionKeys(List<String> columns, Map<String, List<Literal>> values) {
  public PartitionKeys {
    columns = List.copyOf(columns);
    values = Map.copyOf(values);
  }

  /**
   * The keys of the partitions; empty if some partition may hold two, or NULL, or if a column is
   * not read.
   *
   * @param read columns of the scan
   */
  public static Optional<PartitionKeys> proved(
      TableSchema schema, List<Partition> partitions, List<String> read) {
    if (partitions.isEmpty()) {
      return Optional.empty();
    }
    List<String> columns = partitions.get(0).getPartitioningColumnsList();
    Map<String, List<Literal>> values = new LinkedHashMap<>();
    for (Partition partition : partitions) {
      List<Literal> key = new ArrayList<>();
      for (String column : columns) {
        onlyValue(schema, partition, column).ifPresent(key::add);
      }
      if (!partition.getPartitioningColumnsList().equals(columns) || key.size() < columns.size()) {
        return Optional.empty();
      }
      values.put(partition.getId(), List.copyOf(key));
    }
    return columns.isEmpty() || !read.containsAll(columns)
        ? Optional.empty()
        : Optional.of(new PartitionKeys(columns, values));
  }

  private static Optional<Literal> onlyValue(
      TableSchema schema, Partition partition, String column) {
    Optional<DataType> type =
        schema.column(column).flatMap(field -> SparkTypes.toWire(field.dataType()));
    if (type.isEmpty()) {
      return Optional.empty();
    }
    // Never of FLOAT and DOUBLE, whose values have no order here.
    ValueRange range = ValueRange.of(partition, column, type.get());
    return !range.mayBeNull() && range.values().size() == 1
        ? Optional.of(range.values().get(0))
        : Optional.empty();
  }

  /** What tells the rows of one key from those of another. */
  public List<Literal> of(String partition) {
    return values.get(partition);
  }

  /** The key as Spark compares it. */
  public InternalRow row(String partition) {
    return new GenericInternalRow(of(partition).stream().map(CatalystLiterals::of).toArray());
  }
}
