package io.tally.server.scan;

import io.tally.rpc.ScalarFunction;
import io.tally.rpc.Signature;
import io.tally.rpc.TallyException;
import io.tally.rpc.WireTypes;
import io.tally.rpc.v1.Call;
import io.tally.rpc.v1.DataType;
import io.tally.rpc.v1.ErrorCode;
import io.tally.rpc.v1.Expression;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Collectors;

/**
 * Walks the expressions of one scan once, checks each node's type, and hands on SQL with every
 * value bound as a parameter. The limits count over all expressions of the scan.
 */
final class ExpressionSql {
  private final TableColumns columns;
  private final ExpressionLimits limits;
  private final InSql lists = new InSql(this);
  private int nodes;
  private int calls;
  private boolean canOverflow;

  ExpressionSql(TableColumns columns, ExpressionLimits limits) {
    this.columns = columns;
    this.limits = limits;
  }

  /** Appends {@code expression} and returns its type. */
  ValueType append(Sql sql, Expression expression) {
    return append(sql, expression, 1);
  }

  /** Appends an expression that must be boolean; {@code role} names it in the error. */
  void appendPredicate(Sql sql, Expression expression, String role) {
    ValueType type = append(sql, expression);
    if (!type.equals(ValueType.BOOLEAN)) {
      throw wrong("%s is %s, not BOOLEAN".formatted(role, type.text()));
    }
  }

  /** Function calls in what was appended. */
  int calls() {
    return calls;
  }

  /** Whether a value that was computed may not fit its type. */
  boolean canOverflow() {
    return canOverflow;
  }

  ValueType append(Sql sql, Expression expression, int depth) {
    enter(depth);
    return switch (expression.getKindCase()) {
      case COLUMN -> {
        String name = expression.getColumn();
        sql.append(Sql.quote(name));
        yield ValueType.of(columns.use(name).field());
      }
      case PATH ->
          NestedFields.append(
              sql, expression.getPath(), columns.use(expression.getPath().getColumn()).field());
      case LITERAL -> {
        ValueType type = LiteralSql.check(expression.getLiteral());
        LiteralSql.append(sql, expression.getLiteral(), type);
        yield type;
      }
      case CALL -> {
        calls++;
        requireSize(calls <= ExpressionLimits.MAX_CALLS, "calls", ExpressionLimits.MAX_CALLS);
        yield appendCall(sql, expression.getCall(), depth);
      }
      case KIND_NOT_SET ->
          throw new TallyException(
              ErrorCode.UNSUPPORTED_FEATURE,
              "An expression is of a kind that this node does not know, or of none.");
    };
  }

  private ValueType appendCall(Sql sql, Call call, int depth) {
    ScalarFunction function =
        ScalarFunction.ofWireName(call.getFunction())
            .orElseThrow(() -> unknownFunction(call.getFunction()));
    canOverflow |= function.canOverflow();
    if (function == ScalarFunction.IN) {
      return lists.append(sql, call, depth);
    }
    List<Expression> expressions =
        function == ScalarFunction.OR
            ? Disjunction.merged(call.getArgumentsList())
            : call.getArgumentsList();
    List<Sql> arguments = new ArrayList<>();
    List<ValueType> types = new ArrayList<>();
    for (Expression expression : expressions) {
      Sql argument = new Sql();
      types.add(append(argument, expression, depth + 1));
      arguments.add(argument);
    }
    ValueType result = resultType(function, expressions, types, call.getType());
    FunctionSql.append(sql, function, new RenderedCall(expressions, arguments, types, result));
    return result;
  }

  /**
   * The type of a call's result.
   *
   * @throws TallyException INVALID_REQUEST if the function does not take such arguments,
   *     UNSUPPORTED_FEATURE if this node evaluates nothing with them
   */
  static ValueType resultType(
      ScalarFunction function,
      List<Expression> expressions,
      List<ValueType> types,
      DataType target) {
    boolean anyType = function == ScalarFunction.IS_NULL || function == ScalarFunction.IS_NOT_NULL;
    List<Signature.Argument> arguments = new ArrayList<>();
    for (int i = 0; i < types.size(); i++) {
      if (!anyType) {
        requireComparable(types.get(i), function.wireName());
      }
      arguments.add(new Signature.Argument(expressions.get(i), types.get(i).wire()));
    }
    Signature signature = function.signature();
    DataType result =
        signature
            .rule()
            .result(arguments, target)
            .orElseThrow(() -> mismatch(function, types, target));
    requireKnown(result);
    return ValueType.of(result);
  }

  private static TallyException mismatch(
      ScalarFunction function, List<ValueType> types, DataType target) {
    return wrong(
        "%s takes (%s), not (%s)%s; nodes do not convert"
            .formatted(
                function.wireName(),
                function.signature().arguments(),
                types.stream().map(ValueType::text).collect(Collectors.joining(", ")),
                target.equals(DataType.getDefaultInstance())
                    ? ""
                    : " to give " + WireTypes.name(target)));
  }

  private static void requireKnown(DataType type) {
    if (!ScanFeatures.TYPES.contains(type.getKind())) {
      throw new TallyException(
          ErrorCode.UNSUPPORTED_FEATURE,
          "This node has no values of type " + WireTypes.name(type) + ".");
    }
  }

  void enter(int depth) {
    nodes++;
    requireSize(nodes <= limits.nodes(), "nodes", limits.nodes());
    requireSize(depth <= limits.depth(), "levels", limits.depth());
  }

  private static void requireSize(boolean condition, String unit, int limit) {
    if (!condition) {
      throw new TallyException(
          ErrorCode.EXPRESSION_TOO_LARGE,
          "The expressions of this scan have more than the %d %s that this node accepts; evaluate a part of them at the client."
              .formatted(limit, unit));
    }
  }

  static void requireComparable(ValueType type, String function) {
    if (!type.comparable()) {
      throw new TallyException(
          ErrorCode.UNSUPPORTED_FEATURE,
          "This node does not evaluate %s with values of type %s."
              .formatted(function, type.text()));
    }
  }

  private static TallyException unknownFunction(String name) {
    List<String> known =
        Arrays.stream(ScalarFunction.values()).map(ScalarFunction::wireName).toList();
    return UnknownName.of("function", name, known);
  }

  private static TallyException wrong(String what) {
    return new TallyException(ErrorCode.INVALID_REQUEST, "An expression is wrong: " + what + ".");
  }
}
