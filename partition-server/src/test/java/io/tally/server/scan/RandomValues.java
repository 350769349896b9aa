package io.tally.server.scan;

import io.tally.rpc.v1.DataType;
import io.tally.rpc.v1.Expression;
import io.tally.server.fixture.Wire;
import java.util.List;
import java.util.Random;

/**
 * Makes random expressions over {@link RandomTable} whose values are whole numbers, texts or dates,
 * and that no row makes fail.
 */
final class RandomValues {
  private static final DataType BIGINT = Wire.type(DataType.Kind.BIGINT);
  private static final List<String> PARTS =
      List.of(
          "year",
          "quarter",
          "month",
          "day",
          "day_of_year",
          "iso_day_of_week",
          "iso_week",
          "iso_year");

  private final Random random;

  RandomValues(Random random) {
    this.random = random;
  }

  Expression value(int depth) {
    return switch (random.nextInt(3)) {
      case 0 -> number(depth);
      case 1 -> text(depth);
      default -> date(depth);
    };
  }

  /** A BIGINT, small enough that a product of two of them fits. */
  private Expression number(int depth) {
    if (depth == 0) {
      return random.nextBoolean()
          ? Wire.cast(Wire.column(pick("t0", "t1")), BIGINT)
          : Wire.bigint(random.nextInt(11) - 5);
    }
    Expression a = number(depth - 1);
    return switch (random.nextInt(13)) {
      case 0 -> Wire.call(pick("add", "subtract"), a, number(depth - 1));
      case 1 -> Wire.call("multiply", a, number(0));
      case 2 -> Wire.call("remainder", a, Wire.bigint(pick(-3L, -1L, 1L, 7L)));
      case 3 -> Wire.call(pick("negate", "abs", "bit_not"), a);
      case 4 -> Wire.call(pick("bit_and", "bit_or", "bit_xor"), a, number(depth - 1));
      case 5 -> Wire.call(pick("coalesce", "greatest", "least"), a, number(0), number(0));
      case 6 -> choice(a, number(0), number(0));
      case 7 -> Wire.cast(Wire.call(pick("char_length", "bit_length"), text(depth - 1)), BIGINT);
      case 8, 9 -> Wire.cast(Wire.call(pick(PARTS), date(depth - 1)), BIGINT);
      case 10 -> Wire.cast(Wire.call("date_diff", date(depth - 1), date(0)), BIGINT);
      case 11 -> Wire.cast(Wire.call(pick("hour", "minute", "second"), clock()), BIGINT);
      default -> Wire.cast(RandomTable.predicate(random, 1), BIGINT);
    };
  }

  private Expression text(int depth) {
    if (depth == 0) {
      return random.nextInt(4) > 0
          ? Wire.column(pick("s0", "s1"))
          : Wire.string(pick("", "a", "é😀", "it's", "\0", "%_\\"));
    }
    Expression a = text(depth - 1);
    return switch (random.nextInt(11)) {
      case 0 -> Wire.call("concat", a, text(0), text(0));
      case 1 -> Wire.call("substring", a, Wire.integer(1 + random.nextInt(4)));
      case 2 ->
          Wire.call(
              "substring", a, Wire.integer(1 + random.nextInt(3)), Wire.integer(random.nextInt(3)));
      case 3 -> Wire.call("right", a, Wire.integer(1 + random.nextInt(3)));
      case 4 ->
          Wire.call(
              "translate", a, Wire.string("ab'é"), Wire.string(pick("", "x", "😀yz", "1234567")));
      case 5 ->
          Wire.call(
              pick("trim", "ltrim", "rtrim"), a, Wire.string(pick("", "a", "ab%", "😀é", " ")));
      case 6 ->
          Wire.call(
              pick("lpad", "rpad"),
              a,
              Wire.integer(random.nextInt(7)),
              Wire.string(pick(" ", "xy", "é😀")));
      case 7 -> Wire.cast(number(depth - 1), Wire.type(DataType.Kind.STRING));
      case 8 ->
          Wire.call(pick("md5", "sha1", "sha256"), Wire.cast(a, Wire.type(DataType.Kind.BINARY)));
      case 9 -> Wire.call(pick("coalesce", "greatest", "least"), a, text(0), text(0));
      default -> choice(a, text(0), text(0));
    };
  }

  private Expression date(int depth) {
    if (depth == 0) {
      return Wire.column(pick("a0", "a1"));
    }
    Expression a = date(depth - 1);
    return switch (random.nextInt(5)) {
      case 0 -> Wire.call("date_add", a, Wire.integer(random.nextInt(801) - 400));
      case 1 ->
          Wire.call("truncate_date", a, Wire.string(pick("year", "quarter", "month", "week")));
      case 2 -> Wire.cast(clock(), Wire.type(DataType.Kind.DATE));
      case 3 -> Wire.call(pick("coalesce", "greatest", "least"), a, date(0), date(0));
      default -> choice(a, date(0), date(0));
    };
  }

  /** The time on the clocks of a place with one offset. */
  private Expression clock() {
    return Wire.call(
        "to_local", Wire.column(pick("z0", "z1")), Wire.integer(random.nextInt(100_000) - 50_000));
  }

  private Expression choice(Expression then, Expression second, Expression otherwise) {
    Expression condition = RandomTable.predicate(random, 1);
    return random.nextBoolean()
        ? Wire.call("case_when", condition, then, RandomTable.predicate(random, 0), second)
        : Wire.call("case_when", condition, then, otherwise);
  }

  private <T> T pick(List<T> choices) {
    return choices.get(random.nextInt(choices.size()));
  }

  @SafeVarargs
  private <T> T pick(T... choices) {
    return choices[random.nextInt(choices.length)];
  }
}
