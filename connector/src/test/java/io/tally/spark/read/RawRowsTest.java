package io.tally.spark.read;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.tally.rpc.v1.AggregateCall;
import io.tally.rpc.v1.Aggregation;
import io.tally.rpc.v1.Applied;
import io.tally.rpc.v1.Call;
import io.tally.rpc.v1.Expression;
import io.tally.rpc.v1.Open;
import io.tally.rpc.v1.RowRange;
import io.tally.rpc.v1.Sample;
import io.tally.rpc.v1.ScanPartition;
import io.tally.rpc.v1.SortKey;
import io.tally.spark.pushdown.OutputColumn;
import io.tally.spark.pushdown.OutputColumn.Role;
import java.math.BigDecimal;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.stream.Stream;
import org.apache.arrow.memory.BufferAllocator;
import org.apache.arrow.memory.RootAllocator;
import org.apache.arrow.vector.BigIntVector;
import org.apache.arrow.vector.DecimalVector;
import org.apache.arrow.vector.FieldVector;
import org.apache.arrow.vector.Float4Vector;
import org.apache.arrow.vector.IntervalYearVector;
import org.apache.arrow.vector.TinyIntVector;
import org.apache.arrow.vector.VarCharVector;
import org.apache.arrow.vector.VectorSchemaRoot;
import org.apache.arrow.vector.types.pojo.ArrowType;
import org.apache.arrow.vector.types.pojo.Field;
import org.apache.spark.sql.types.DataType;
import org.apache.spark.sql.types.DataTypes;
import org.apache.spark.sql.types.StructType;
import org.apache.spark.sql.vectorized.ColumnVector;
import org.apache.spark.sql.vectorized.ColumnarBatch;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** What a reader makes of a node that applies less than was planned. */
final class RawRowsTest {
  private static final DataType PRICE = DataTypes.createDecimalType(5, 2);
  private static final DataType WIDE = DataTypes.createDecimalType(38, 2);
  private static final DataType WHOLE = DataTypes.createDecimalType(38, 0);

  private static final Aggregation AGGREGATION =
      Aggregation.newBuilder()
          .addGroupBy(column("k"))
          .addGroupBy(column("ym"))
          .addAggregates(call("count_all"))
          .addAggregates(call("count", "t"))
          .addAggregates(call("count", "t", "k"))
          .addAggregates(call("sum", "t"))
          .addAggregates(call("sum", "l"))
          .addAggregates(call("sum", "m"))
          .addAggregates(call("sum", "f"))
          .addAggregates(call("min", "k"))
          .addAggregates(call("max", "m"))
          .build();

  private static final List<OutputColumn> OUTPUTS =
      List.of(
          new OutputColumn(Role.KEY, DataTypes.StringType, DataTypes.StringType),
          new OutputColumn(
              Role.KEY,
              DataTypes.createYearMonthIntervalType(),
              DataTypes.createYearMonthIntervalType()),
          count(),
          count(),
          count(),
          new OutputColumn(Role.INTEGER_SUM, WHOLE, DataTypes.LongType),
          new OutputColumn(Role.INTEGER_SUM, WHOLE, DataTypes.LongType),
          new OutputColumn(Role.DECIMAL_SUM, WIDE, PRICE),
          new OutputColumn(Role.OTHER, DataTypes.DoubleType, DataTypes.DoubleType),
          new OutputColumn(Role.OTHER, DataTypes.StringType, DataTypes.StringType),
          new OutputColumn(Role.OTHER, PRICE, PRICE));

  private static OutputColumn count() {
    return new OutputColumn(Role.COUNT, DataTypes.LongType, DataTypes.LongType);
  }

  private static Expression column(String name) {
    return Expression.newBuilder().setColumn(name).build();
  }

  private static AggregateCall call(String function, String... columns) {
    AggregateCall.Builder call = AggregateCall.newBuilder().setFunction(function);
    Stream.of(columns).map(RawRowsTest::column).forEach(call::addArguments);
    return call.build();
  }

  private static ReadShape shape(List<OutputColumn> outputs, boolean complete) {
    return new ReadShape(RowColumns.ofGroups(new StructType()), outputs, complete);
  }

  @Test
  void everyRowIsThePartialAggregateOfItself() {
    try (BufferAllocator allocator = new RootAllocator();
        VectorSchemaRoot root = rows(allocator);
        RawRowBatches batches = new RawRowBatches(AGGREGATION, shape(OUTPUTS, false), allocator)) {
      assertTrue(batches.accepts(root.getSchema().getFields()));
      batches.start(root);
      assertTrue(batches.next());
      ColumnarBatch batch = batches.batch();
      assertEquals(
          List.of(
              "key, 14, 1, 1, 1, -128, 9223372036854775807, 999.99, 0.10000000149011612, key, 999.99",
              "null, null, 1, 0, 0, null, null, null, null, null, null",
              "null, 0, 1, 1, 0, 127, -1, -0.01, -0.0, null, -0.01"),
          List.of(line(batch, 0), line(batch, 1), line(batch, 2)));
      assertFalse(batches.next());
      assertFalse(batches.end(), "groups without rows do not exist");
    }
  }

  private static VectorSchemaRoot rows(BufferAllocator allocator) {
    VarCharVector k = new VarCharVector("k", allocator);
    IntervalYearVector ym = new IntervalYearVector("ym", allocator);
    TinyIntVector t = new TinyIntVector("t", allocator);
    BigIntVector l = new BigIntVector("l", allocator);
    DecimalVector m = new DecimalVector("m", allocator, 5, 2);
    Float4Vector f = new Float4Vector("f", allocator);
    List<FieldVector> vectors = List.of(l, m, f, t, ym, k);
    vectors.forEach(FieldVector::allocateNew);
    k.setSafe(0, "key".getBytes(StandardCharsets.UTF_8));
    ym.setSafe(0, 14);
    ym.setSafe(2, 0);
    t.setSafe(0, -128);
    t.setSafe(2, 127);
    l.setSafe(0, Long.MAX_VALUE);
    l.setSafe(2, -1);
    m.setSafe(0, new BigDecimal("999.99"));
    m.setSafe(2, new BigDecimal("-0.01"));
    f.setSafe(0, 0.1f);
    f.setSafe(2, -0.0f);
    vectors.forEach(vector -> vector.setValueCount(3));
    return new VectorSchemaRoot(vectors);
  }

  private static String line(ColumnarBatch batch, int row) {
    List<String> cells = new ArrayList<>();
    for (int i = 0; i < OUTPUTS.size(); i++) {
      ColumnVector column = batch.column(i);
      DataType type = OUTPUTS.get(i).read();
      if (column.isNullAt(row)) {
        cells.add("null");
      } else if (type.equals(DataTypes.StringType)) {
        cells.add(column.getUTF8String(row).toString());
      } else if (type.equals(DataTypes.LongType)) {
        cells.add(Long.toString(column.getLong(row)));
      } else if (type.equals(DataTypes.DoubleType)) {
        cells.add(Double.toString(column.getDouble(row)));
      } else if (type.equals(PRICE)) {
        cells.add(column.getDecimal(row, 5, 2).toString());
      } else {
        cells.add(Integer.toString(column.getInt(row)));
      }
    }
    return String.join(", ", cells);
  }

  @Test
  void theOneGroupOfAllExistsWithoutRows() {
    Aggregation ungrouped = AGGREGATION.toBuilder().clearGroupBy().build();
    List<OutputColumn> outputs = OUTPUTS.subList(2, OUTPUTS.size());
    try (BufferAllocator allocator = new RootAllocator();
        VectorSchemaRoot root = rows(allocator);
        RawRowBatches without = new RawRowBatches(ungrouped, shape(outputs, false), allocator);
        RawRowBatches with = new RawRowBatches(ungrouped, shape(outputs, false), allocator)) {
      assertTrue(without.end());
      assertEquals(1, without.batch().numRows());
      assertEquals(0, without.batch().column(0).getLong(0));
      assertEquals(0, without.batch().column(2).getLong(0));
      for (int i = 3; i < outputs.size(); i++) {
        assertTrue(without.batch().column(i).isNullAt(0));
      }
      assertFalse(without.end());

      with.start(root);
      assertTrue(with.next());
      assertFalse(with.end());
    }
  }

  @Test
  void columnsOfOtherTypesAreNotAccepted() {
    try (BufferAllocator allocator = new RootAllocator();
        VectorSchemaRoot root = rows(allocator);
        RawRowBatches batches = new RawRowBatches(AGGREGATION, shape(OUTPUTS, false), allocator)) {
      List<Field> fields = root.getSchema().getFields();
      for (Field field : fields) {
        List<Field> others = new ArrayList<>(fields);
        others.remove(field);
        assertFalse(batches.accepts(others), field::getName);
        others.add(Field.nullable(field.getName(), ArrowType.Bool.INSTANCE));
        assertFalse(batches.accepts(others), field::getName);
      }
    }
  }

  @Test
  void columnsAreAskedForOnce() {
    Open open = Open.newBuilder().setTable("t").setAggregation(AGGREGATION).build();
    Open rows = RawRows.of(open, shape(OUTPUTS, false)).orElseThrow();
    assertEquals(List.of("k", "ym", "t", "l", "m", "f"), rows.getColumnsList());
    assertFalse(rows.hasAggregation());
    Aggregation all = Aggregation.newBuilder().addAggregates(call("count_all")).build();
    assertEquals(
        Optional.of(Open.newBuilder().setTable("t").build()),
        RawRows.of(open.toBuilder().setAggregation(all).build(), shape(List.of(count()), false)));
  }

  @Test
  void rowsAreNotAlwaysASubstitute() {
    Open open = Open.newBuilder().setAggregation(AGGREGATION).build();
    ReadShape partial = shape(OUTPUTS, false);
    assertEquals(Optional.empty(), RawRows.of(open, shape(OUTPUTS, true)));
    assertEquals(Optional.empty(), RawRows.of(open.toBuilder().setLimit(1).build(), partial));
    assertEquals(
        Optional.empty(), RawRows.of(open.toBuilder().clearAggregation().build(), partial));
    Expression negated =
        Expression.newBuilder()
            .setCall(Call.newBuilder().setFunction("negate").addArguments(column("t")))
            .build();
    for (Aggregation aggregation :
        List.of(
            AGGREGATION.toBuilder().addAggregates(call("count_distinct", "k")).build(),
            AGGREGATION.toBuilder().addAggregates(call("of_later", "k")).build(),
            AGGREGATION.toBuilder().addGroupBy(negated).build(),
            AGGREGATION.toBuilder()
                .addAggregates(call("max").toBuilder().addArguments(negated))
                .build())) {
      Open other = open.toBuilder().setAggregation(aggregation).build();
      assertEquals(Optional.empty(), RawRows.of(other, partial));
    }
  }

  static Stream<Arguments> unapplied() {
    Open.Builder first = Open.newBuilder().setLimit(3).addOrderBy(SortKey.newBuilder());
    Applied.Builder none = Applied.newBuilder();
    OptionalLong all = OptionalLong.empty();
    OptionalLong three = OptionalLong.of(3);
    return Stream.of(
        // Who sorts and limits again does not mind rows that come in any order, if all come.
        Arguments.of(first, none, false, "", all),
        Arguments.of(first, none, true, "the order (feature scan.order)", all),
        Arguments.of(
            first,
            Applied.newBuilder().setLimit(true),
            false,
            "the order (feature scan.order)",
            all),
        Arguments.of(
            first,
            Applied.newBuilder().setLimit(true),
            true,
            "the order (feature scan.order)",
            all),
        Arguments.of(first, Applied.newBuilder().setOrder(true), false, "", three),
        Arguments.of(first, Applied.newBuilder().setOrder(true), true, "", three),
        Arguments.of(first, Applied.newBuilder().setOrder(true).setLimit(true), true, "", all),
        Arguments.of(Open.newBuilder().setLimit(3), none, true, "", three),
        Arguments.of(
            Open.newBuilder().setLimit(3).setOffset(1),
            none,
            true,
            "the offset (feature scan.offset)",
            three),
        Arguments.of(
            Open.newBuilder()
                .setPredicate(column("b"))
                .setSample(Sample.newBuilder())
                .addPartitions(ScanPartition.newBuilder().setRange(RowRange.newBuilder())),
            none,
            false,
            "the predicate, the sample (feature scan.sample), the row ranges (feature"
                + " scan.row_range)",
            all),
        Arguments.of(
            Open.newBuilder().setAggregation(Aggregation.newBuilder().addGroupBy(column("k"))),
            none,
            false,
            "the aggregation (GROUP BY)",
            all),
        Arguments.of(
            Open.newBuilder().setLimit(3).setAggregation(AGGREGATION),
            Applied.newBuilder().setAggregation(true),
            true,
            "",
            three));
  }

  @ParameterizedTest
  @MethodSource("unapplied")
  void whatIsMissingIsMadeUpForOrNamed(
      Open.Builder open,
      Applied.Builder applied,
      boolean complete,
      String harmful,
      OptionalLong limit) {
    Unapplied unapplied = new Unapplied(open.build(), applied.build(), complete);
    assertEquals(harmful, unapplied.text());
    assertEquals(!harmful.isEmpty(), unapplied.isHarmful());
    if (harmful.isEmpty()) {
      assertEquals(limit, unapplied.limit());
    }
  }
}
