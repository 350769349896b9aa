package io.tally.spark.pushdown;

import io.tally.rpc.v1.DataType;
import io.tally.rpc.v1.Expression;
import io.tally.rpc.v1.Partition;
import io.tally.spark.types.TableSchema;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Function;

/**
 * Takes the bounds of some partitions and gives, for each column, a range that its values in all of
 * them lie in; of what is inside columns nothing is known. For one thread.
 */
final class ColumnRanges implements Function<Expression, RangeAnalysis.Known> {
  private final TableSchema schema;
  private final List<Partition> partitions;
  private final Map<String, RangeAnalysis.Known> known = new HashMap<>();

  ColumnRanges(TableSchema schema, List<Partition> partitions) {
    this.schema = schema;
    this.partitions = List.copyOf(partitions);
  }

  @Override
  public RangeAnalysis.Known apply(Expression leaf) {
    return leaf.hasPath()
        ? RangeAnalysis.Known.ofType(
            wireType(ColumnPaths.type(schema, leaf.getPath()).orElseThrow()))
        : known.computeIfAbsent(leaf.getColumn(), this::analyse);
  }

  private static DataType wireType(org.apache.spark.sql.types.DataType type) {
    return SparkTypes.toWire(type).orElse(DataType.getDefaultInstance());
  }

  private RangeAnalysis.Known analyse(String column) {
    DataType type =
        schema
            .column(column)
            .map(field -> wireType(field.dataType()))
            .orElse(DataType.getDefaultInstance());
    return new RangeAnalysis.Known(
        type, IntegerRange.ofType(type).map(all -> union(column, type, all)));
  }

  private IntegerRange union(String column, DataType type, IntegerRange all) {
    return partitions.stream()
        .map(partition -> ValueRange.of(partition, column, type))
        .filter(ValueRange::mayBeValue)
        .map(range -> ofBounds(range, all))
        .reduce(IntegerRange::union)
        .orElse(IntegerRange.ZERO);
  }

  private static IntegerRange ofBounds(ValueRange range, IntegerRange all) {
    return new IntegerRange(
        range.lower().map(IntegerRange::valueOf).orElse(all.lower()).max(all.lower()),
        range.upper().map(IntegerRange::valueOf).orElse(all.upper()).min(all.upper()));
  }
}
