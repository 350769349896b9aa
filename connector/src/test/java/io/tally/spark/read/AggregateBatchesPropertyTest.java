package io.tally.spark.read;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.tally.rpc.TallyException;
import io.tally.rpc.v1.ErrorCode;
import io.tally.spark.pushdown.OutputColumn;
import io.tally.spark.pushdown.OutputColumn.Role;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import net.jqwik.api.Example;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;
import org.apache.arrow.memory.BufferAllocator;
import org.apache.arrow.memory.RootAllocator;
import org.apache.arrow.vector.BigIntVector;
import org.apache.arrow.vector.DecimalVector;
import org.apache.arrow.vector.FieldVector;
import org.apache.arrow.vector.Float8Vector;
import org.apache.arrow.vector.VarCharVector;
import org.apache.arrow.vector.VectorSchemaRoot;
import org.apache.spark.sql.types.DataType;
import org.apache.spark.sql.types.DataTypes;
import org.apache.spark.sql.types.DecimalType;
import org.apache.spark.sql.types.StructType;
import org.apache.spark.sql.vectorized.ColumnVector;
import org.apache.spark.sql.vectorized.ColumnarBatch;

final class AggregateBatchesPropertyTest {
  private static final int KEY = 0;
  private static final int COUNT = 1;
  private static final int LONG_SUM = 2;
  private static final int DECIMAL_SUM = 3;
  private static final int OTHER = 4;
  private static final int SCALE = 1;

  /** A group as the node sends it; null is NULL. */
  private record Group(String key, long count, BigInteger longs, BigInteger decimals) {}

  /** A row as Spark reads it. */
  private record Row(String key, long count, BigInteger longs, BigInteger decimals, Double other) {}

  @Property(tries = 1000)
  void piecesAddUpAndAreAsFewAsCanBe(
      @ForAll long seed,
      @ForAll @IntRange(min = 1, max = 38) int precision,
      @ForAll boolean months) {
    Random random = new Random(seed);
    BigInteger greatest = BigInteger.valueOf(months ? Integer.MAX_VALUE : Long.MAX_VALUE);
    BigInteger greatestDecimal = BigInteger.TEN.pow(precision).subtract(BigInteger.ONE);
    List<Group> groups = new ArrayList<>();
    for (int i = random.nextInt(20); i >= 0; i--) {
      groups.add(
          new Group(
              "group " + i,
              random.nextInt(100),
              sum(random, greatest, BigInteger.TEN.pow(38)),
              sum(random, greatestDecimal, BigInteger.TEN.pow(38))));
    }
    List<Row> rows = read(groups, precision, false, months);

    Map<String, List<Row>> byKey = new HashMap<>();
    rows.forEach(row -> byKey.computeIfAbsent(row.key(), key -> new ArrayList<>()).add(row));
    assertEquals(groups.size(), byKey.size());
    for (Group group : groups) {
      List<Row> paid = byKey.get(group.key());
      assertEquals(group.longs(), total(paid.stream().map(Row::longs).toList()));
      assertEquals(group.decimals(), total(paid.stream().map(Row::decimals).toList()));
      assertEquals(group.count(), paid.stream().mapToLong(Row::count).sum());
      assertEquals(1, paid.stream().filter(row -> row.other() != null).count());
      long fewest =
          Math.max(
              1,
              Math.max(
                  pieces(group.longs(), greatest.add(BigInteger.ONE), greatest),
                  pieces(group.decimals(), greatestDecimal, greatestDecimal)));
      assertEquals(fewest, paid.size(), group::toString);
      for (Row row : paid) {
        assertSign(group.longs(), row.longs());
        assertSign(group.decimals(), row.decimals());
      }
    }
  }

  /** NULL, small, round the limit, or a few limits large, so that pieces stay countable. */
  private static BigInteger sum(Random random, BigInteger limit, BigInteger bound) {
    BigInteger magnitude =
        switch (random.nextInt(4)) {
          case 0 -> null;
          case 1 -> BigInteger.valueOf(random.nextInt(10)).min(limit);
          case 2 -> limit.add(BigInteger.valueOf(random.nextInt(3) - 1L));
          default -> limit.multiply(BigInteger.valueOf(1 + random.nextInt(5))).add(BigInteger.ONE);
        };
    if (magnitude == null) {
      return null;
    }
    BigInteger value = magnitude.min(bound.subtract(BigInteger.ONE));
    return random.nextBoolean() ? value : value.negate();
  }

  private static long pieces(BigInteger sum, BigInteger negative, BigInteger positive) {
    if (sum == null) {
      return 1;
    }
    BigInteger limit = sum.signum() < 0 ? negative : positive;
    return sum.abs().add(limit).subtract(BigInteger.ONE).divide(limit).longValueExact();
  }

  private static BigInteger total(List<BigInteger> pieces) {
    BigInteger total = null;
    for (BigInteger piece : pieces) {
      if (piece != null) {
        total = total == null ? piece : total.add(piece);
      }
    }
    return total;
  }

  private static void assertSign(BigInteger sum, BigInteger piece) {
    assertTrue(
        piece == null || piece.signum() == sum.signum() || sum.signum() == 0,
        () -> piece + " of " + sum);
  }

  @Example
  void extraRowsComeInBoundedBatches() {
    BigInteger nines = BigInteger.valueOf(9L * 10_000);
    List<Row> rows = read(List.of(new Group("k", 7, BigInteger.ONE, nines)), 1, false, false);
    assertEquals(10_000, rows.size());
    assertEquals(nines, total(rows.stream().map(Row::decimals).toList()));
  }

  @Example
  void aCompleteSumThatDoesNotFitIsAnError() {
    List<Group> groups = List.of(new Group("k", 1, BigInteger.ONE.shiftLeft(63), BigInteger.ONE));
    TallyException error = assertThrows(TallyException.class, () -> read(groups, 3, true, false));
    assertEquals(ErrorCode.PROTOCOL_VIOLATION, error.code());
  }

  @Example
  void aCompleteDecimalSumIsReadWhole() {
    BigInteger large = new BigInteger("12345678901234567890123456789");
    List<Row> rows = read(List.of(new Group("k", 1, BigInteger.TEN, large)), 3, true, false);
    assertEquals(List.of(large), rows.stream().map(Row::decimals).toList());
  }

  @Example
  void whatFitsIsNotCopied() {
    try (BufferAllocator allocator = new RootAllocator();
        VectorSchemaRoot root =
            root(List.of(new Group("k", 1, BigInteger.TEN, BigInteger.TEN)), allocator);
        AggregateBatches batches =
            new AggregateBatches(shape(3, false, false), "a test", allocator)) {
      batches.start(root);
      assertTrue(batches.next());
      assertTrue(
          ((StreamColumnVector) batches.batch().column(DECIMAL_SUM)).vector()
              == root.getVector(DECIMAL_SUM));
    }
  }

  private static ReadShape shape(int precision, boolean complete, boolean months) {
    DataType sum = months ? DataTypes.createYearMonthIntervalType() : DataTypes.LongType;
    DecimalType sent = DataTypes.createDecimalType(38, SCALE);
    DecimalType read = DataTypes.createDecimalType(precision, Math.min(SCALE, precision));
    return new ReadShape(
        RowColumns.ofGroups(new StructType()),
        List.of(
            new OutputColumn(Role.KEY, DataTypes.StringType, DataTypes.StringType),
            new OutputColumn(Role.COUNT, DataTypes.LongType, DataTypes.LongType),
            new OutputColumn(Role.INTEGER_SUM, DataTypes.createDecimalType(38, 0), sum),
            new OutputColumn(Role.DECIMAL_SUM, sent, complete ? sent : read),
            new OutputColumn(Role.OTHER, DataTypes.DoubleType, DataTypes.DoubleType)),
        complete);
  }

  private static List<Row> read(
      List<Group> groups, int precision, boolean complete, boolean months) {
    List<Row> rows = new ArrayList<>();
    int shown = complete ? 38 : precision;
    try (BufferAllocator allocator = new RootAllocator();
        VectorSchemaRoot root = root(groups, allocator);
        AggregateBatches batches =
            new AggregateBatches(shape(precision, complete, months), "a test", allocator)) {
      batches.start(root);
      while (batches.next()) {
        ColumnarBatch batch = batches.batch();
        assertTrue(
            batch.numRows() <= Math.max(groups.size(), AggregateBatches.MAX_EXTRA_ROWS_PER_BATCH));
        for (int row = 0; row < batch.numRows(); row++) {
          rows.add(
              new Row(
                  batch.column(KEY).getUTF8String(row).toString(),
                  batch.column(COUNT).getLong(row),
                  batch.column(LONG_SUM).isNullAt(row)
                      ? null
                      : BigInteger.valueOf(
                          months
                              ? batch.column(LONG_SUM).getInt(row)
                              : batch.column(LONG_SUM).getLong(row)),
                  decimal(batch.column(DECIMAL_SUM), row, shown),
                  batch.column(OTHER).isNullAt(row)
                      ? null
                      : (Double) batch.column(OTHER).getDouble(row)));
        }
        // As ColumnarToRowExec does; the vectors must stay usable.
        batch.closeIfFreeable();
      }
    }
    return rows;
  }

  /** Fails, as Spark does, if the value has more digits than the column. */
  private static BigInteger decimal(ColumnVector column, int row, int precision) {
    return column.isNullAt(row)
        ? null
        : column.getDecimal(row, precision, SCALE).toJavaBigDecimal().unscaledValue();
  }

  private static VectorSchemaRoot root(List<Group> groups, BufferAllocator allocator) {
    VarCharVector keys = new VarCharVector("k0", allocator);
    BigIntVector counts = new BigIntVector("a0", allocator);
    DecimalVector longs = new DecimalVector("a1", allocator, 38, 0);
    DecimalVector decimals = new DecimalVector("a2", allocator, 38, SCALE);
    Float8Vector others = new Float8Vector("a3", allocator);
    List<FieldVector> vectors = List.of(keys, counts, longs, decimals, others);
    vectors.forEach(FieldVector::allocateNew);
    for (int i = 0; i < groups.size(); i++) {
      Group group = groups.get(i);
      keys.setSafe(i, group.key().getBytes(StandardCharsets.UTF_8));
      counts.setSafe(i, group.count());
      if (group.longs() != null) {
        longs.setSafe(i, new BigDecimal(group.longs(), 0));
      }
      if (group.decimals() != null) {
        decimals.setSafe(i, new BigDecimal(group.decimals(), SCALE));
      }
      others.setSafe(i, i * 1.5);
    }
    vectors.forEach(vector -> vector.setValueCount(groups.size()));
    return new VectorSchemaRoot(vectors);
  }
}
