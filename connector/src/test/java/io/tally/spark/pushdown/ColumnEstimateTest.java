package io.tally.spark.pushdown;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.tally.rpc.v1.ColumnBounds;
import io.tally.rpc.v1.Literal;
import io.tally.rpc.v1.LiteralList;
import io.tally.rpc.v1.Partition;
import io.tally.spark.types.TableSchema;
import java.util.List;
import java.util.Optional;
import org.apache.arrow.vector.types.IntervalUnit;
import org.apache.arrow.vector.types.TimeUnit;
import org.apache.arrow.vector.types.pojo.ArrowType;
import org.apache.arrow.vector.types.pojo.Schema;
import org.apache.spark.sql.catalyst.plans.logical.statsEstimation.EstimationUtils;
import org.apache.spark.sql.connector.read.colstats.ColumnStatistics;
import org.apache.spark.sql.types.DataType;
import org.apache.spark.sql.types.DataTypes;
import org.apache.spark.sql.types.Decimal;
import org.apache.spark.unsafe.types.UTF8String;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What Spark's own estimation of joins makes of the estimates, for every type that has bounds. */
final class ColumnEstimateTest {
  private static final Schema ARROW =
      new Schema(
          List.of(
              SampleTable.field("months", new ArrowType.Interval(IntervalUnit.YEAR_MONTH)),
              SampleTable.field("micros", new ArrowType.Duration(TimeUnit.MICROSECOND))));

  @ParameterizedTest
  @ValueSource(strings = {"i", "l", "t", "d", "f", "m", "w", "s", "x", "b", "day", "at", "local"})
  void sparkCanEstimateWithEveryColumn(String column) {
    assertUsable(SampleTable.SCHEMA, column);
  }

  @ParameterizedTest
  @ValueSource(strings = {"months", "micros"})
  void alsoWithIntervals(String column) {
    assertUsable(TableSchema.of("intervals", ARROW, List.of()), column);
  }

  @Test
  void numbersHaveBoundsAndAreCounted() {
    ColumnStatistics statistics = estimate(SampleTable.SCHEMA, "i").orElseThrow();
    assertEquals(1, statistics.min().orElseThrow());
    assertEquals(2, statistics.max().orElseThrow());
    assertEquals(2, statistics.distinctCount().orElseThrow());
  }

  private static void assertUsable(TableSchema schema, String column) {
    DataType type = schema.column(column).orElseThrow().dataType();
    estimate(schema, column)
        .ifPresent(
            statistics -> {
              statistics
                  .min()
                  .ifPresent(min -> assertTrue(EstimationUtils.toDouble(min, type) <= 1));
              // Spark takes a counted column without bounds for one of NULLs, but for these.
              boolean text = type.equals(DataTypes.StringType) || type.equals(DataTypes.BinaryType);
              assertTrue(
                  text || statistics.distinctCount().isEmpty() || statistics.min().isPresent());
            });
  }

  /** Of a partition that is declared to hold two values. */
  private static Optional<ColumnStatistics> estimate(TableSchema schema, String column) {
    DataType type = schema.column(column).orElseThrow().dataType();
    LiteralList values =
        LiteralList.newBuilder().addItems(literal(1, type)).addItems(literal(2, type)).build();
    Partition partition =
        Partitions.of("p", 10)
            .addBounds(ColumnBounds.newBuilder().setColumn(column).setValues(values))
            .build();
    return ColumnEstimate.of(schema, List.of(partition), column);
  }

  private static Literal literal(int number, DataType type) {
    return WireLiterals.of(value(number, type), SparkTypes.toWire(type).orElseThrow())
        .orElseThrow();
  }

  private static Object value(int number, DataType type) {
    if (type.equals(DataTypes.StringType)) {
      return UTF8String.fromString("v" + number);
    }
    if (type.equals(DataTypes.BinaryType)) {
      return new byte[] {(byte) number};
    }
    if (type.equals(DataTypes.BooleanType)) {
      return number == 1;
    }
    if (type.equals(DataTypes.DoubleType)) {
      return (double) number;
    }
    if (type.equals(DataTypes.FloatType)) {
      return (float) number;
    }
    if (type instanceof org.apache.spark.sql.types.DecimalType) {
      return Decimal.apply(number);
    }
    if (type.equals(DataTypes.ByteType)) {
      return (byte) number;
    }
    boolean isLong =
        type.equals(DataTypes.LongType)
            || type.equals(DataTypes.TimestampType)
            || type.equals(DataTypes.TimestampNTZType)
            || type instanceof org.apache.spark.sql.types.DayTimeIntervalType;
    return isLong ? (Object) (long) number : (Object) number;
  }
}
