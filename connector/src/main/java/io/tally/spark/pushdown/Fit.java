package io.tally.spark.pushdown;

import io.tally.rpc.ScalarFunction;
import io.tally.rpc.WireTypes;
import io.tally.rpc.v1.DataType;
import io.tally.spark.pushdown.RangeAnalysis.Known;
import java.math.BigInteger;
import java.time.LocalDate;
import java.util.List;
import java.util.Optional;

/**
 * Takes a call and what statistics say of its arguments, and proves that no row makes it fail or
 * leave its type. What might fail is left to Spark: it decides in which rows a part of a query is
 * evaluated at all, and fails with an error of its own.
 */
final class Fit {
  private static final IntegerRange DATES = days("-4000-01-01", "9999-12-31");
  private static final IntegerRange DATES_AS_TEXT = days("0001-01-01", "9999-12-31");
  private static final BigInteger DAY_MICROS = BigInteger.valueOf(86_400_000_000L);
  private static final IntegerRange TIMES = DATES.times(new IntegerRange(DAY_MICROS, DAY_MICROS));

  private Fit() {}

  private static IntegerRange days(String first, String last) {
    return IntegerRange.of(LocalDate.parse(first).toEpochDay(), LocalDate.parse(last).toEpochDay());
  }

  /** Why the call may fail; empty if it cannot. */
  static Optional<String> problem(ScalarFunction function, DataType type, List<Known> arguments) {
    for (Known argument : arguments) {
      Optional<IntegerRange> allowed = allowed(function, type, argument.type());
      if (allowed.isPresent() && !argument.range().isWithin(allowed.get())) {
        return Optional.of(
            "statistics do not prove that its "
                + WireTypes.name(argument.type())
                + " lies in the years that nodes and Spark treat alike");
      }
    }
    if (!function.canOverflow()) {
      return Optional.empty();
    }
    Known result = RangeAnalysis.ofCall(function, type, arguments);
    Optional<IntegerRange> limits =
        type.equals(WireTypes.DATE) ? Optional.of(DATES) : IntegerRange.ofType(type);
    return limits.isPresent() && !result.range().isWithin(limits.get())
        ? Optional.of(
            "statistics do not prove that the result of "
                + function.wireName()
                + " fits "
                + WireTypes.name(type))
        : Optional.empty();
  }

  /** The values that an argument of that type may have; empty: any. */
  private static Optional<IntegerRange> allowed(
      ScalarFunction function, DataType type, DataType argument) {
    return switch (function) {
      case YEAR,
          QUARTER,
          MONTH,
          DAY,
          DAY_OF_YEAR,
          ISO_DAY_OF_WEEK,
          ISO_WEEK,
          ISO_YEAR,
          TRUNCATE_DATE,
          DATE_ADD,
          HOUR,
          MINUTE,
          SECOND,
          TO_LOCAL,
          CAST -> {
        if (argument.equals(WireTypes.DATE)) {
          yield Optional.of(type.equals(WireTypes.STRING) ? DATES_AS_TEXT : DATES);
        }
        boolean time =
            argument.equals(WireTypes.TIMESTAMP) || argument.equals(WireTypes.TIMESTAMP_NTZ);
        yield time ? Optional.of(TIMES) : Optional.empty();
      }
      default -> Optional.empty();
    };
  }
}
