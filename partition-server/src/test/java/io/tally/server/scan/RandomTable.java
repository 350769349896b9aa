package io.tally.server.scan;

import com.google.protobuf.ByteString;
import io.tally.rpc.v1.DataType;
import io.tally.rpc.v1.Expression;
import io.tally.server.fixture.MemoryCatalog;
import io.tally.server.fixture.Wire;
import java.math.BigDecimal;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;

/**
 * A table with two columns of every type, filled from small pools of awkward values so that
 * comparisons often meet equals, and random expressions over it.
 */
public final class RandomTable {
  /** A type, its name in DuckDB, how a value's placeholder is written there, and values. */
  private record Pool(
      String name, DataType type, String sql, String placeholder, List<Object> values) {}

  private static final List<Pool> POOLS =
      List.of(
          pool("b", DataType.Kind.BOOLEAN, "BOOLEAN", "?", true, false),
          pool("t", DataType.Kind.TINYINT, "TINYINT", "?", -128L, 0L, 127L),
          pool("h", DataType.Kind.SMALLINT, "SMALLINT", "?", -32768L, 0L, 32767L),
          pool("i", DataType.Kind.INTEGER, "INTEGER", "?", -2147483648L, -1L, 0L, 1L, 2147483647L),
          pool("l", DataType.Kind.BIGINT, "BIGINT", "?", Long.MIN_VALUE, -1L, 0L, Long.MAX_VALUE),
          pool(
              "f",
              DataType.Kind.FLOAT,
              "FLOAT",
              "?",
              Float.NaN,
              -0.0f,
              0.0f,
              1.1f,
              Float.MIN_VALUE,
              Float.MAX_VALUE,
              Float.POSITIVE_INFINITY,
              Float.NEGATIVE_INFINITY),
          pool(
              "d",
              DataType.Kind.DOUBLE,
              "DOUBLE",
              "?",
              Double.NaN,
              -0.0,
              0.0,
              0.1,
              2.2250738585072014E-308,
              Double.MIN_VALUE,
              Double.MAX_VALUE,
              Double.POSITIVE_INFINITY,
              Double.NEGATIVE_INFINITY),
          new Pool(
              "m",
              Wire.decimal(5, 2),
              "DECIMAL(5,2)",
              "?",
              List.of(new BigDecimal("-999.99"), new BigDecimal("0.00"), new BigDecimal("0.01"))),
          new Pool(
              "n",
              Wire.decimal(38, 10),
              "DECIMAL(38,10)",
              "?",
              List.of(
                  new BigDecimal("-9999999999999999999999999999.9999999999"),
                  new BigDecimal("9999999999999999999999999999.9999999998"),
                  new BigDecimal("9999999999999999999999999999.9999999999"))),
          pool(
              "s",
              DataType.Kind.STRING,
              "VARCHAR",
              "?",
              "",
              "a",
              "a_b",
              "axb",
              "a%b",
              "%",
              "_",
              "a\\b",
              "it's",
              "a\0b",
              "\0",
              "é",
              "\uFFFF",
              "😀",
              "NULL",
              "ab "),
          pool(
              "x",
              DataType.Kind.BINARY,
              "BLOB",
              "?",
              ByteString.EMPTY,
              ByteString.copyFrom(new byte[] {0}),
              ByteString.copyFrom(new byte[] {0, (byte) 0xFF}),
              ByteString.copyFrom(new byte[] {(byte) 0x80}),
              ByteString.copyFrom(new byte[] {0x7F, 'a'})),
          pool(
              "a",
              DataType.Kind.DATE,
              "DATE",
              "make_date(?::INTEGER)",
              -719_528L,
              -1L,
              0L,
              19_000L),
          pool(
              "z",
              DataType.Kind.TIMESTAMP,
              "TIMESTAMPTZ",
              "make_timestamptz(?::BIGINT)",
              -62_135_596_800_000_000L,
              -1L,
              0L,
              1_710_037_800_000_001L),
          pool(
              "y",
              DataType.Kind.TIMESTAMP_NTZ,
              "TIMESTAMP",
              "make_timestamp(?::BIGINT)",
              -9_223_372_022_400_000_000L,
              -1L,
              0L,
              9_223_372_036_854_775_806L));

  final List<Map<String, Object>> rows = new ArrayList<>();

  /** Fills two partitions, r0 and r1, and serves them as the table "r". */
  public static RandomTable create(MemoryCatalog catalog, int rows, long seed) {
    Random random = new Random(seed);
    RandomTable table = new RandomTable();
    List<String> definitions = new ArrayList<>(List.of("id INTEGER"));
    List<String> placeholders = new ArrayList<>(List.of("?"));
    for (Pool pool : POOLS) {
      for (int copy = 0; copy < 2; copy++) {
        definitions.add(pool.name + copy + " " + pool.sql);
        placeholders.add(pool.placeholder);
      }
    }
    for (String partition : List.of("r0", "r1")) {
      catalog.execute("CREATE TABLE " + partition + " (" + String.join(", ", definitions) + ")");
    }
    for (int i = 0; i < rows; i++) {
      Map<String, Object> row = new LinkedHashMap<>();
      row.put("id", (long) i);
      for (Pool pool : POOLS) {
        for (int copy = 0; copy < 2; copy++) {
          row.put(pool.name + copy, value(pool, random));
        }
      }
      table.rows.add(row);
      catalog.execute(
          "INSERT INTO r" + i % 2 + " VALUES (" + String.join(", ", placeholders) + ")",
          row.values().stream().map(RandomTable::bound).toArray());
    }
    catalog.serve("r", "r0", "r1");
    return table;
  }

  /** A boolean expression over the table. */
  public static Expression predicate(Random random, int depth) {
    if (depth > 0 && random.nextInt(3) > 0) {
      return switch (random.nextInt(6)) {
        case 0 -> Wire.call("not", predicate(random, depth - 1));
        case 1 -> Wire.call("and", predicates(random, depth));
        case 2 -> Wire.call("or", predicates(random, depth));
        case 3 ->
            Wire.call("eq_null_safe", predicate(random, depth - 1), predicate(random, depth - 1));
        case 4 -> Wire.call(comparison(random), predicate(random, depth - 1), predicate(random, 0));
        default -> Wire.call("in", predicates(random, depth + 1));
      };
    }
    Pool pool = POOLS.get(random.nextInt(POOLS.size()));
    return switch (random.nextInt(7)) {
      case 0 -> Wire.call("is_null", operand(pool, random));
      case 1 -> Wire.call("is_not_null", operand(pool, random));
      case 2, 3 -> Wire.call("in", operands(pool, random, 2 + random.nextInt(5)));
      case 4 -> Wire.call(textTest(random), text(random), text(random));
      case 5 -> Wire.call("in", manyCandidates(pool, random));
      default -> Wire.call(comparison(random), operand(pool, random), operand(pool, random));
    };
  }

  /** A column, or a literal of its type. */
  public static Expression operand(Random random) {
    return operand(POOLS.get(random.nextInt(POOLS.size())), random);
  }

  private static Expression text(Random random) {
    Pool texts = POOLS.stream().filter(pool -> pool.name.equals("s")).findFirst().orElseThrow();
    return operand(texts, random);
  }

  private static Expression[] predicates(Random random, int depth) {
    Expression[] operands = new Expression[2 + random.nextInt(2)];
    Arrays.setAll(operands, i -> predicate(random, depth - 1));
    return operands;
  }

  private static Expression[] operands(Pool pool, Random random, int count) {
    Expression[] operands = new Expression[count];
    Arrays.setAll(operands, i -> operand(pool, random));
    return operands;
  }

  /** Enough distinct literals, where the type has them, to be bound as a list. */
  private static Expression[] manyCandidates(Pool pool, Random random) {
    List<Expression> candidates = new ArrayList<>();
    candidates.add(column(pool, random));
    for (Object value : pool.values) {
      if (random.nextBoolean()) {
        candidates.add(Wire.literal(Wire.literal(pool.type, value)));
      }
    }
    for (int i = 0; i < 80; i++) {
      candidates.add(Wire.literal(Wire.literal(pool.type, other(pool, i))));
    }
    if (random.nextInt(3) == 0) {
      candidates.add(Wire.nullOf(pool.type));
    }
    if (random.nextInt(3) == 0) {
      candidates.add(column(pool, random));
    }
    return candidates.toArray(Expression[]::new);
  }

  private static Object other(Pool pool, int i) {
    return switch (pool.type.getKind()) {
      case BOOLEAN -> i % 2 == 0;
      case FLOAT -> 1000.1f + i;
      case DOUBLE -> 1000.1 + i;
      case DECIMAL -> new BigDecimal("100").add(new BigDecimal(i)).setScale(pool.type.getScale());
      case STRING -> "other,'\"[" + i;
      case BINARY -> ByteString.copyFrom(new byte[] {9, (byte) i});
      default -> (long) i + 2;
    };
  }

  private static Expression operand(Pool pool, Random random) {
    return random.nextBoolean()
        ? column(pool, random)
        : Wire.literal(Wire.literal(pool.type, value(pool, random)));
  }

  private static Expression column(Pool pool, Random random) {
    return Wire.column(pool.name + random.nextInt(2));
  }

  private static Object value(Pool pool, Random random) {
    int index = random.nextInt(pool.values.size() + 1);
    return index == pool.values.size() ? null : pool.values.get(index);
  }

  private static String comparison(Random random) {
    return List.of("eq", "ne", "lt", "le", "gt", "ge", "eq_null_safe").get(random.nextInt(7));
  }

  private static String textTest(Random random) {
    return List.of("starts_with", "ends_with", "contains").get(random.nextInt(3));
  }

  private static Object bound(Object value) {
    return value instanceof ByteString bytes ? bytes.toByteArray() : value;
  }

  private static Pool pool(
      String name, DataType.Kind kind, String sql, String placeholder, Object... values) {
    return new Pool(name, Wire.type(kind), sql, placeholder, List.of(values));
  }
}
