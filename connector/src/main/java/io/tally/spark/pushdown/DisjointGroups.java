package io.tally.spark.pushdown;

import io.tally.rpc.WireTypes;
import io.tally.rpc.v1.DataType;
import io.tally.rpc.v1.Expression;
import io.tally.rpc.v1.Literal;
import io.tally.rpc.v1.Partition;
import io.tally.spark.types.TableSchema;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;

/**
 * Takes the partitions that each stream answers for and the grouping keys, and proves that no group
 * can come from two streams: there is one stream, or the values of some key in one stream and those
 * in any other have nothing in common.
 */
final class DisjointGroups {
  /** The values from {@code lower} to {@code upper} may occur in a stream. */
  private record Interval(int stream, Literal lower, Literal upper) {}

  private DisjointGroups() {}

  static boolean proved(TableSchema schema, List<List<Partition>> streams, List<Expression> keys) {
    if (streams.size() <= 1) {
      return true;
    }
    return keys.stream().anyMatch(key -> separates(schema, streams, key));
  }

  private static boolean separates(
      TableSchema schema, List<List<Partition>> streams, Expression key) {
    Optional<DataType> type =
        schema.column(key.getColumn()).flatMap(field -> SparkTypes.toWire(field.dataType()));
    if (!key.hasColumn() || type.isEmpty() || WireTypes.isFloatingPoint(type.get())) {
      return false;
    }
    List<Interval> intervals = new ArrayList<>();
    int streamsWithNull = 0;
    for (int stream = 0; stream < streams.size(); stream++) {
      boolean mayBeNull = false;
      for (Partition partition : streams.get(stream)) {
        ValueRange range = ValueRange.of(partition, key.getColumn(), type.get());
        mayBeNull |= range.mayBeNull();
        if (!range.mayBeValue()) {
          continue;
        }
        if (range.lower().isEmpty() || range.upper().isEmpty()) {
          return false;
        }
        if (range.values().isEmpty()) {
          intervals.add(new Interval(stream, range.lower().get(), range.upper().get()));
        } else {
          for (Literal value : range.values()) {
            intervals.add(new Interval(stream, value, value));
          }
        }
      }
      streamsWithNull += mayBeNull ? 1 : 0;
    }
    return streamsWithNull <= 1 && disjoint(intervals);
  }

  /**
   * One pass in the order of the lower ends. As long as no two streams have overlapped, whatever
   * reaches furthest up so far is the only interval that the next one can meet.
   */
  private static boolean disjoint(List<Interval> intervals) {
    intervals.sort(Comparator.comparing(Interval::lower, DisjointGroups::compare));
    Interval furthest = null;
    for (Interval next : intervals) {
      if (furthest == null) {
        furthest = next;
        continue;
      }
      if (furthest.stream() != next.stream() && compare(furthest.upper(), next.lower()) >= 0) {
        return false;
      }
      furthest = compare(furthest.upper(), next.upper()) >= 0 ? furthest : next;
    }
    return true;
  }

  private static int compare(Literal left, Literal right) {
    return LiteralOrder.compare(left, right).orElseThrow();
  }
}
