package io.tally.server.scan;

import io.tally.rpc.ScalarFunction;
import io.tally.rpc.v1.Call;
import io.tally.rpc.v1.Expression;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** Rewrites what clients write as x = a OR x = b OR …, thousands of times, to x IN (a, b, …). */
final class Disjunction {
  private static final int FEWEST_TO_MERGE = 8;

  private Disjunction() {}

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
