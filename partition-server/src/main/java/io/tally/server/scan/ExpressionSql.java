package io.tally.server.scan;

import io.tally.rpc.ScalarFunction;
import io.tally.rpc.TallyException;
import io.tally.rpc.v1.Call;
import io.tally.rpc.v1.ErrorCode;
import io.tally.rpc.v1.Expression;
import io.tally.rpc.v1.Literal;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * Walks the expressions of one scan once, checks each node's type, and hands on SQL with every
 * value bound as a parameter. The limits count over all expressions of the scan.
 */
final class ExpressionSql {
  /** More distinct literals than this in an IN are bound as one list. */
  private static final int MAX_PLACEHOLDERS = 64;

  /** A join a list: after so many, further ones are written out. */
  private static final int MAX_LISTS = 16;

  private final TableColumns columns;
  private final ExpressionLimits limits;
  private int lists;
  private int nodes;
  private int calls;

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
    requireBoolean(append(sql, expression), role);
  }

  /** Function calls in what was appended. */
  int calls() {
    return calls;
  }

  private ValueType append(Sql sql, Expression expression, int depth) {
    enter(depth);
    return switch (expression.getKindCase()) {
      case COLUMN -> {
        String name = expression.getColumn();
        sql.append(Sql.quote(name));
        yield ValueType.of(columns.use(name).field());
      }
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
    requireArity(function, call.getArgumentsCount());
    switch (function) {
      case EQ -> appendComparison(sql, call, " = ", depth);
      case NE -> appendComparison(sql, call, " <> ", depth);
      case LT -> appendComparison(sql, call, " < ", depth);
      case LE -> appendComparison(sql, call, " <= ", depth);
      case GT -> appendComparison(sql, call, " > ", depth);
      case GE -> appendComparison(sql, call, " >= ", depth);
      case EQ_NULL_SAFE -> appendComparison(sql, call, " IS NOT DISTINCT FROM ", depth);
      case IN -> appendIn(sql, call.getArgumentsList(), depth);
      case IS_NULL -> appendNullTest(sql, call, " IS NULL)", depth);
      case IS_NOT_NULL -> appendNullTest(sql, call, " IS NOT NULL)", depth);
      case AND -> appendJunction(sql, function, call.getArgumentsList(), " AND ", depth);
      case OR ->
          appendJunction(sql, function, Disjunction.merged(call.getArgumentsList()), " OR ", depth);
      case NOT -> {
        sql.append("(NOT ");
        requireBoolean(append(sql, call.getArguments(0), depth + 1), "the operand of not");
        sql.append(")");
      }
      case STARTS_WITH, ENDS_WITH, CONTAINS -> appendTextTest(sql, function, call, depth);
    }
    return ValueType.BOOLEAN;
  }

  private void appendComparison(Sql sql, Call call, String operator, int depth) {
    sql.append("(");
    ValueType left = append(sql, call.getArguments(0), depth + 1);
    sql.append(operator);
    ValueType right = append(sql, call.getArguments(1), depth + 1);
    sql.append(")");
    requireSame(left, right, call.getFunction());
  }

  /**
   * x IN (…) with few distinct literals as it is, which the engine compares with the bounds of row
   * groups; otherwise with the literals as one list, which it hashes. NULL among the candidates
   * makes what would be FALSE unknown, as OR NULL does.
   */
  private void appendIn(Sql sql, List<Expression> arguments, int depth) {
    Expression tested = arguments.get(0);
    Set<Literal> literals = new LinkedHashSet<>();
    boolean nullCandidate = false;
    boolean otherCandidate = false;
    for (Expression candidate : arguments.subList(1, arguments.size())) {
      if (!candidate.hasLiteral()) {
        otherCandidate = true;
      } else if (LiteralSql.isNull(candidate.getLiteral())) {
        nullCandidate = true;
      } else {
        literals.add(candidate.getLiteral());
      }
    }
    // A call yields a boolean, and a boolean has two literals: only cheap operands are repeated.
    boolean asList =
        literals.size() > MAX_PLACEHOLDERS && !tested.hasCall() && ++lists <= MAX_LISTS;
    sql.append("(");
    ValueType type = append(sql, tested, depth + 1);
    requireComparable(type, "in");
    Candidates rest = new Candidates();
    for (Expression candidate : arguments.subList(1, arguments.size())) {
      if (candidate.hasLiteral()) {
        enter(depth + 1);
        requireSame(type, LiteralSql.check(candidate.getLiteral()), "in");
      } else {
        requireSame(type, append(rest.next(), candidate, depth + 1), "in");
      }
    }
    if (asList) {
      sql.append(" = ANY(");
      LiteralSql.appendList(sql, List.copyOf(literals), type);
      sql.append(")");
      if (otherCandidate) {
        sql.append(" OR ");
        append(sql, tested, depth + 1);
        rest.appendTo(sql);
      }
    } else {
      literals.forEach(literal -> LiteralSql.append(rest.next(), literal, type));
      if (rest.count == 0) {
        rest.next().append("NULL");
      }
      rest.appendTo(sql);
    }
    sql.append(nullCandidate ? " OR CAST(NULL AS BOOLEAN))" : ")");
  }

  /**
   * The right side of an IN. One candidate is compared: a subquery in the engine's IN is a table.
   */
  private static final class Candidates {
    private final Sql list = new Sql();
    private int count;

    /** Where to append the next candidate. */
    Sql next() {
      list.append(count == 0 ? "" : ", ");
      count++;
      return list;
    }

    void appendTo(Sql sql) {
      sql.append(count == 1 ? " = " : " IN (").append(list).append(count == 1 ? "" : ")");
    }
  }

  private void appendNullTest(Sql sql, Call call, String test, int depth) {
    sql.append("(");
    append(sql, call.getArguments(0), depth + 1);
    sql.append(test);
  }

  private void appendJunction(
      Sql sql, ScalarFunction function, List<Expression> operands, String operator, int depth) {
    sql.append("(");
    for (int i = 0; i < operands.size(); i++) {
      sql.append(i == 0 ? "" : operator);
      requireBoolean(
          append(sql, operands.get(i), depth + 1), "an operand of " + function.wireName());
    }
    sql.append(")");
  }

  private void appendTextTest(Sql sql, ScalarFunction function, Call call, int depth) {
    // The engine's functions of these names take plain text and do not treat any character
    // specially.
    sql.append(function.wireName()).append("(");
    for (int i = 0; i < 2; i++) {
      sql.append(i == 0 ? "" : ", ");
      ValueType type = append(sql, call.getArguments(i), depth + 1);
      requireSame(ValueType.STRING, type, function.wireName());
    }
    sql.append(")");
  }

  private void enter(int depth) {
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

  private static void requireArity(ScalarFunction function, int arguments) {
    int least =
        switch (function) {
          case NOT, IS_NULL, IS_NOT_NULL, AND, OR -> 1;
          default -> 2;
        };
    int most =
        switch (function) {
          case AND, OR, IN -> Integer.MAX_VALUE;
          default -> least;
        };
    if (arguments < least || arguments > most) {
      throw wrong(
          "%s takes %s%d arguments, not %d"
              .formatted(function.wireName(), most == least ? "" : "at least ", least, arguments));
    }
  }

  private static void requireSame(ValueType left, ValueType right, String function) {
    requireComparable(left, function);
    requireComparable(right, function);
    if (!left.equals(right)) {
      throw wrong(
          "%s is given %s and %s; operands have the same type, nodes do not convert"
              .formatted(function, left.text(), right.text()));
    }
  }

  private static void requireComparable(ValueType type, String function) {
    if (!type.comparable()) {
      throw new TallyException(
          ErrorCode.UNSUPPORTED_FEATURE,
          "This node does not evaluate %s with values of type %s."
              .formatted(function, type.text()));
    }
  }

  private static void requireBoolean(ValueType type, String role) {
    if (!type.equals(ValueType.BOOLEAN)) {
      throw wrong("%s is %s, not BOOLEAN".formatted(role, type.text()));
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

  /** Rewrites what clients write as x = a OR x = b OR …, thousands of times, to x IN (a, b, …). */
  private static final class Disjunction {
    private static final int FEWEST_TO_MERGE = 8;

    static List<Expression> merged(List<Expression> operands) {
      if (operands.size() < FEWEST_TO_MERGE) {
        return operands;
      }
      List<Expression> merged = new ArrayList<>();
      Map<String, Call.Builder> byColumn = new LinkedHashMap<>();
      for (Expression operand : operands) {
        Call call = operand.getCall();
        boolean equality =
            call.getFunction().equals(ScalarFunction.EQ.wireName())
                && call.getArgumentsCount() == 2
                && call.getArguments(0).hasColumn()
                && call.getArguments(1).hasLiteral();
        if (equality) {
          byColumn
              .computeIfAbsent(
                  call.getArguments(0).getColumn(),
                  name ->
                      Call.newBuilder()
                          .setFunction(ScalarFunction.IN.wireName())
                          .addArguments(call.getArguments(0)))
              .addArguments(call.getArguments(1));
        } else {
          merged.add(operand);
        }
      }
      byColumn.values().forEach(in -> merged.add(Expression.newBuilder().setCall(in).build()));
      return merged;
    }
  }
}
