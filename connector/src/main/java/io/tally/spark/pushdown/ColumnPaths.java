package io.tally.spark.pushdown;

import io.tally.rpc.v1.ColumnPath;
import io.tally.rpc.v1.PathStep;
import io.tally.spark.types.TableSchema;
import java.util.Arrays;
import java.util.Optional;
import org.apache.spark.sql.types.ArrayType;
import org.apache.spark.sql.types.DataType;
import org.apache.spark.sql.types.StructField;
import org.apache.spark.sql.types.StructType;

/** Follows paths of the wire through Spark's types. */
final class ColumnPaths {
  private ColumnPaths() {}

  /** The type of what lies at the end of the path; empty if nothing does. */
  static Optional<DataType> type(TableSchema schema, ColumnPath path) {
    Optional<DataType> type = schema.column(path.getColumn()).map(StructField::dataType);
    for (PathStep step : path.getStepsList()) {
      type = type.flatMap(outer -> inside(outer, step));
    }
    return type;
  }

  private static Optional<DataType> inside(DataType type, PathStep step) {
    if (type instanceof ArrayType array && step.hasIndex()) {
      return Optional.of(array.elementType());
    }
    return type instanceof StructType struct && step.hasField()
        ? Arrays.stream(struct.fields())
            .filter(field -> field.name().equals(step.getField()))
            .findFirst()
            .map(StructField::dataType)
        : Optional.empty();
  }
}
