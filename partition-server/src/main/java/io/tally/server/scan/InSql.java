package io.tally.server.scan;

import io.tally.rpc.ScalarFunction;
import io.tally.rpc.v1.Call;
import io.tally.rpc.v1.Expression;
import io.tally.rpc.v1.Literal;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;

/**
 * Renders the INs of one scan: x IN (…) with few distinct literals as it is, which the engine
 * compares with the bounds of row groups; otherwise with the literals as one list, which it hashes.
 * NULL among the candidates makes what would be FALSE unknown, as OR NULL does.
 */
final class InSql {
  /** More distinct literals than this are bound as one list. */
  private static final int MAX_PLACEHOLDERS = 64;

  /** A join a list: after so many, further ones are written out. */
  private static final int MAX_LISTS = 16;

  private final ExpressionSql expressions;
  private int lists;

  InSql(ExpressionSql expressions) {
    this.expressions = expressions;
  }

  ValueType append(Sql sql, Call call, int depth) {
    List<Expression> arguments = call.getArgumentsList();
    List<ValueType> types = new ArrayList<>();
    List<Sql> tested = new ArrayList<>();
    Candidates rest = new Candidates();
    Set<Literal> literals = new LinkedHashSet<>();
    boolean nullCandidate = false;
    for (Expression argument : arguments) {
      boolean first = types.isEmpty();
      if (!first && argument.hasLiteral()) {
        expressions.enter(depth + 1);
        types.add(LiteralSql.check(argument.getLiteral()));
        if (LiteralSql.isNull(argument.getLiteral())) {
          nullCandidate = true;
        } else {
          literals.add(argument.getLiteral());
        }
      } else {
        Sql rendered = new Sql();
        types.add(expressions.append(rendered, argument, depth + 1));
        if (first) {
          tested.add(rendered);
        } else {
          rest.add(rendered);
        }
      }
    }
    ValueType result =
        ExpressionSql.resultType(ScalarFunction.IN, arguments, types, call.getType());
    ValueType type = types.get(0);
    // The list is compared beside the rest, which repeats the operand: only cheap ones are.
    boolean asList =
        literals.size() > MAX_PLACEHOLDERS
            && (rest.isEmpty() || !arguments.get(0).hasCall())
            && ++lists <= MAX_LISTS;
    sql.append("(").append(tested.get(0));
    if (asList) {
      sql.append(" = ANY(");
      LiteralSql.appendList(sql, List.copyOf(literals), type);
      sql.append(")");
      if (!rest.isEmpty()) {
        sql.append(" OR ").append(tested.get(0));
        rest.appendTo(sql);
      }
    } else {
      for (Literal literal : literals) {
        Sql rendered = new Sql();
        LiteralSql.append(rendered, literal, type);
        rest.add(rendered);
      }
      if (rest.isEmpty()) {
        rest.add(new Sql().append("NULL"));
      }
      rest.appendTo(sql);
    }
    sql.append(nullCandidate ? " OR CAST(NULL AS BOOLEAN))" : ")");
    return result;
  }

  /**
   * The right side of an IN. One candidate is compared: a subquery in the engine's IN is a table.
   */
  private static final class Candidates {
    private final List<Sql> list = new ArrayList<>();

    boolean isEmpty() {
      return list.isEmpty();
    }

    void add(Sql candidate) {
      list.add(candidate);
    }

    void appendTo(Sql sql) {
      sql.append(list.size() == 1 ? " = " : " IN (");
      String separator = "";
      for (Sql candidate : list) {
        sql.append(separator).append(candidate);
        separator = ", ";
      }
      sql.append(list.size() == 1 ? "" : ")");
    }
  }
}
