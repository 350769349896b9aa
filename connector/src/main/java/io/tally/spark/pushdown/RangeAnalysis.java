package io.tally.spark.pushdown;

import io.tally.rpc.ScalarFunction;
import io.tally.rpc.Signature;
import io.tally.rpc.WireTypes;
import io.tally.rpc.v1.Call;
import io.tally.rpc.v1.DataType;
import io.tally.rpc.v1.Expression;
import io.tally.rpc.v1.Literal;
import java.math.BigInteger;
import java.time.LocalDate;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;

/**
 * Takes a wire expression, whose columns have known ranges, and gives a range that all its values
 * lie in (NULL aside). What is not known of a function is left at the range of its type.
 */
final class RangeAnalysis {
  private static final BigInteger DAY_MICROS = BigInteger.valueOf(86_400_000_000L);
  private static final BigInteger SECOND_MICROS = BigInteger.valueOf(1_000_000);

  /**
   * What is known of an expression.
   *
   * @param values empty for a type without such a form, STRING for example
   */
  record Known(DataType type, Optional<IntegerRange> values) {
    static Known ofType(DataType type) {
      return new Known(type, IntegerRange.ofType(type));
    }

    IntegerRange range() {
      return values.orElseThrow();
    }
  }

  private final Function<Expression, Known> columns;

  /**
   * @param columns what is known of a column, or of a path into one
   */
  RangeAnalysis(Function<Expression, Known> columns) {
    this.columns = columns;
  }

  /** What is known of an expression whose types are right. */
  Known of(Expression expression) {
    return switch (expression.getKindCase()) {
      case COLUMN, PATH -> columns.apply(expression);
      case LITERAL -> ofLiteral(expression.getLiteral());
      case CALL -> ofCall(expression.getCall());
      case KIND_NOT_SET -> throw new IllegalArgumentException("An expression of no kind");
    };
  }

  private static Known ofLiteral(Literal literal) {
    DataType type = literal.getType();
    if (IntegerRange.ofType(type).isEmpty()) {
      return new Known(type, Optional.empty());
    }
    BigInteger value = IntegerRange.valueOf(literal);
    return new Known(type, Optional.of(new IntegerRange(value, value)));
  }

  private Known ofCall(Call call) {
    ScalarFunction function = ScalarFunction.ofWireName(call.getFunction()).orElseThrow();
    List<Known> arguments = new ArrayList<>();
    List<Signature.Argument> typed = new ArrayList<>();
    for (Expression argument : call.getArgumentsList()) {
      Known known = of(argument);
      arguments.add(known);
      typed.add(new Signature.Argument(argument, known.type()));
    }
    DataType type = function.signature().rule().result(typed, call.getType()).orElseThrow();
    return ofCall(function, type, arguments);
  }

  /**
   * What is known of a call's value before it is fitted into its type: a range that is not within
   * that of the type means that it may not fit.
   */
  static Known ofCall(ScalarFunction function, DataType type, List<Known> arguments) {
    if (IntegerRange.ofType(type).isEmpty()
        || arguments.stream().allMatch(argument -> argument.values().isEmpty())) {
      return Known.ofType(type);
    }
    return new Known(type, Optional.of(range(function, type, arguments)));
  }

  private static IntegerRange range(ScalarFunction function, DataType type, List<Known> arguments) {
    return switch (function) {
      case ADD -> sum(type, scaled(type, arguments, 0), scaled(type, arguments, 1));
      case SUBTRACT -> sum(type, scaled(type, arguments, 0), scaled(type, arguments, 1).negate());
      case MULTIPLY -> arguments.get(0).range().times(arguments.get(1).range());
      case NEGATE -> arguments.get(0).range().negate();
      case ABS -> arguments.get(0).range().abs();
      case REMAINDER -> {
        BigInteger most = arguments.get(1).range().largestAbsoluteValue().subtract(BigInteger.ONE);
        yield new IntegerRange(most.negate(), most);
      }
      case COALESCE, GREATEST, LEAST -> union(arguments);
      case CASE_WHEN -> union(values(arguments));
      case CAST -> cast(arguments.get(0), type);
      case DATE_ADD -> arguments.get(0).range().plus(arguments.get(1).range());
      case DATE_DIFF -> arguments.get(0).range().minus(arguments.get(1).range());
      case TRUNCATE_DATE -> arguments.get(0).range().plus(IntegerRange.of(-365, 0));
      case YEAR -> years(arguments.get(0).range(), 0);
      case ISO_YEAR -> years(arguments.get(0).range(), 1);
      case QUARTER -> IntegerRange.of(1, 4);
      case MONTH -> IntegerRange.of(1, 12);
      case DAY -> IntegerRange.of(1, 31);
      case DAY_OF_YEAR -> IntegerRange.of(1, 366);
      case ISO_DAY_OF_WEEK -> IntegerRange.of(1, 7);
      case ISO_WEEK -> IntegerRange.of(1, 53);
      case HOUR -> IntegerRange.of(0, 23);
      case MINUTE, SECOND -> IntegerRange.of(0, 59);
      case TO_LOCAL -> toLocal(arguments);
      default -> IntegerRange.ofType(type).orElseThrow();
    };
  }

  /** Nodes add decimals in the result's type, so where its digits are capped operands must fit. */
  private static IntegerRange sum(DataType type, IntegerRange left, IntegerRange right) {
    IntegerRange sum = left.plus(right);
    return type.getPrecision() == WireTypes.MAX_PRECISION ? sum.union(left).union(right) : sum;
  }

  private static IntegerRange scaled(DataType type, List<Known> arguments, int index) {
    Known argument = arguments.get(index);
    return argument
        .range()
        .rescaled(IntegerRange.scale(type) - IntegerRange.scale(argument.type()));
  }

  private static IntegerRange union(List<Known> arguments) {
    return arguments.stream().map(Known::range).reduce(IntegerRange::union).orElseThrow();
  }

  /** Those arguments of case_when that are not conditions. */
  private static List<Known> values(List<Known> arguments) {
    List<Known> values = new ArrayList<>();
    for (int i = 0; i < arguments.size(); i++) {
      if (i % 2 == 1 || i + 1 == arguments.size()) {
        values.add(arguments.get(i));
      }
    }
    return values;
  }

  private static IntegerRange cast(Known from, DataType to) {
    if (from.type().equals(WireTypes.DATE)) {
      return from.range().times(new IntegerRange(DAY_MICROS, DAY_MICROS));
    }
    if (from.type().equals(WireTypes.TIMESTAMP_NTZ)) {
      return from.range().floorDiv(DAY_MICROS);
    }
    return from.range().rescaled(IntegerRange.scale(to) - IntegerRange.scale(from.type()));
  }

  /**
   * @param slack an ISO year begins up to three days before or after the year
   */
  private static IntegerRange years(IntegerRange days, int slack) {
    return IntegerRange.of(
        LocalDate.ofEpochDay(days.lower().longValueExact()).getYear() - slack,
        LocalDate.ofEpochDay(days.upper().longValueExact()).getYear() + slack);
  }

  private static IntegerRange toLocal(List<Known> arguments) {
    IntegerRange offsets = arguments.get(1).range();
    for (int i = 3; i < arguments.size(); i += 2) {
      offsets = offsets.union(arguments.get(i).range());
    }
    return arguments
        .get(0)
        .range()
        .plus(offsets.times(new IntegerRange(SECOND_MICROS, SECOND_MICROS)));
  }
}
