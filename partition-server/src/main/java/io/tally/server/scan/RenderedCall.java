package io.tally.server.scan;

import io.tally.rpc.v1.Expression;
import java.util.List;

/**
 * A call whose arguments are rendered and whose types were found to be right.
 *
 * @param expressions the arguments on the wire
 * @param arguments their SQL, each safe to stand beside an operator
 * @param types their types
 * @param result type of the result
 */
record RenderedCall(
    List<Expression> expressions, List<Sql> arguments, List<ValueType> types, ValueType result) {
  RenderedCall {
    expressions = List.copyOf(expressions);
    arguments = List.copyOf(arguments);
    types = List.copyOf(types);
  }
}
