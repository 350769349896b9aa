package io.tally.spark.pushdown;

import io.tally.rpc.v1.ColumnBounds;
import io.tally.rpc.v1.Literal;
import io.tally.rpc.v1.Partition;
import org.apache.spark.sql.types.DataType;

/** Writes partitions as nodes describe them. */
public final class Partitions {
  private Partitions() {}

  public static Partition.Builder of(String id, long rows) {
    return Partition.newBuilder().setId(id).setRows(rows).setSplittable(true);
  }

  /** Bounds of a column without NULLs. */
  public static ColumnBounds between(String column, DataType type, Object lower, Object upper) {
    return ColumnBounds.newBuilder()
        .setColumn(column)
        .setLower(literal(lower, type))
        .setUpper(literal(upper, type))
        .build();
  }

  private static Literal literal(Object value, DataType type) {
    return WireLiterals.of(value, SparkTypes.toWire(type).orElseThrow()).orElseThrow();
  }
}
