package io.tally.spark.pushdown;

import io.tally.rpc.Features;
import io.tally.rpc.ScalarFunction;
import io.tally.rpc.Signature;
import io.tally.rpc.WireTypes;
import io.tally.rpc.v1.Call;
import io.tally.rpc.v1.DataType;
import io.tally.rpc.v1.Expression;
import io.tally.rpc.v1.Literal;
import io.tally.spark.pushdown.RangeAnalysis.Known;
import io.tally.spark.pushdown.Translation.Refused;
import io.tally.spark.pushdown.Translation.Translated;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.stream.Collectors;

/**
 * Makes calls of wire functions out of translated arguments, or says why a call cannot be pushed: a
 * node lacks it, its arguments have the wrong types, or it may fail. For one thread.
 */
final class WireCalls {
  private final CommonFeatures features;
  private final RangeAnalysis ranges;

  WireCalls(PushdownContext context) {
    this.features = context.features();
    this.ranges = new RangeAnalysis(new ColumnRanges(context.schema(), context.partitions()));
  }

  Translation of(ScalarFunction function, List<Translated> arguments) {
    return of(function, arguments, DataType.getDefaultInstance());
  }

  /** A call of what this has made, or the first refusal among it. */
  Translation of(ScalarFunction function, Translation... arguments) {
    List<Translated> translated = new ArrayList<>();
    for (Translation argument : arguments) {
      if (!(argument instanceof Translated each)) {
        return argument;
      }
      translated.add(each);
    }
    return of(function, translated);
  }

  Translation cast(Translated argument, DataType target) {
    return argument.type().equals(target)
        ? argument
        : of(ScalarFunction.CAST, List.of(argument), target);
  }

  private Translation of(ScalarFunction function, List<Translated> arguments, DataType target) {
    if (!features.has(function.feature())) {
      return new Refused(features.lacking(function.feature()));
    }
    Call.Builder call = Call.newBuilder().setFunction(function.wireName());
    List<Signature.Argument> typed = new ArrayList<>();
    int nodes = 1;
    int depth = 0;
    for (Translated argument : arguments) {
      call.addArguments(argument.expression());
      typed.add(new Signature.Argument(argument.expression(), argument.type()));
      nodes += argument.nodes();
      depth = Math.max(depth, argument.depth());
    }
    if (!target.equals(DataType.getDefaultInstance())) {
      call.setType(target);
    }
    Optional<DataType> type = function.signature().rule().result(typed, target);
    if (type.isEmpty()) {
      return new Refused(mismatch(function, arguments, target));
    }
    if (function.canOverflow() || hasTimes(arguments)) {
      List<Known> known = arguments.stream().map(each -> ranges.of(each.expression())).toList();
      Optional<String> problem = Fit.problem(function, type.get(), known);
      if (problem.isPresent()) {
        return new Refused(problem.get());
      }
    }
    return new Translated(
        Expression.newBuilder().setCall(call).build(), type.get(), nodes, depth + 1);
  }

  private static boolean hasTimes(List<Translated> arguments) {
    return arguments.stream()
        .anyMatch(
            argument ->
                switch (argument.type().getKind()) {
                  case DATE, TIMESTAMP, TIMESTAMP_NTZ -> true;
                  default -> false;
                });
  }

  private static String mismatch(
      ScalarFunction function, List<Translated> arguments, DataType target) {
    String given =
        arguments.stream()
            .map(argument -> WireTypes.name(argument.type()))
            .distinct()
            .collect(Collectors.joining(" and "));
    return function == ScalarFunction.CAST
        ? "nodes do not cast "
            + given
            + " to "
            + WireTypes.name(target)
            + "; "
            + RefusedCasts.reason(arguments.get(0).type(), target)
        : "nodes do not evaluate " + function.wireName() + " with " + given;
  }

  /** A column or literal, which needs its type's feature. */
  Translation leaf(Expression expression, DataType type) {
    String feature = Features.ofType(type.getKind());
    return features.has(feature)
        ? new Translated(expression, type, 1, 1)
        : new Refused(features.lacking(feature));
  }

  static Translated literal(Literal literal) {
    return new Translated(
        Expression.newBuilder().setLiteral(literal).build(), literal.getType(), 1, 1);
  }

  static Translated integer(long value) {
    return literal(Literal.newBuilder().setType(WireTypes.INTEGER).setInteger(value).build());
  }

  static Translated real(double value) {
    return literal(Literal.newBuilder().setType(WireTypes.DOUBLE).setFloat64(value).build());
  }

  static Translated string(String value) {
    return literal(Literal.newBuilder().setType(WireTypes.STRING).setString(value).build());
  }

  /** What is known of the values of something translated. */
  Known known(Expression translated) {
    return ranges.of(translated);
  }
}
