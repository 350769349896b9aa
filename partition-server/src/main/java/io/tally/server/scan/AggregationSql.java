package io.tally.server.scan;

import io.tally.rpc.AggregateFunction;
import io.tally.rpc.TallyException;
import io.tally.rpc.v1.AggregateCall;
import io.tally.rpc.v1.Aggregation;
import io.tally.rpc.v1.ErrorCode;
import io.tally.rpc.v1.Expression;
import io.tally.rpc.v1.Literal;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.apache.arrow.vector.types.pojo.Field;
import org.apache.arrow.vector.types.pojo.FieldType;

/**
 * Turns an aggregation into two nested SELECTs. The inner one evaluates keys and arguments, each
 * once and under a name of its own; the outer one groups by those names. So no expression is
 * repeated, and no constant key can be taken for the position of a column.
 */
final class AggregationSql {
  private final ExpressionSql expressions;
  private final Sql inner = new Sql();
  private final List<Sql> outer = new ArrayList<>();
  private final List<String> keys = new ArrayList<>();
  private final List<Field> fields = new ArrayList<>();
  private boolean canFail;

  AggregationSql(ExpressionSql expressions, Aggregation aggregation) {
    this.expressions = expressions;
    if (aggregation.getGroupByCount() == 0 && aggregation.getAggregatesCount() == 0) {
      throw new TallyException(
          ErrorCode.INVALID_REQUEST, "The aggregation has neither keys nor aggregates.");
    }
    aggregation
        .getGroupByList()
        .forEach(
            key -> {
              String name = "k" + keys.size();
              ValueType type = appendInner(name, () -> expressions.append(inner, key));
              ExpressionSql.requireComparable(type, "group by");
              keys.add(Sql.quote(name));
              add(name, new Sql().append(Sql.quote(name)), type);
            });
    for (int i = 0; i < aggregation.getAggregatesCount(); i++) {
      addAggregate("a" + i, aggregation.getAggregates(i));
    }
  }

  /** Appends the whole statement over {@code source}, a FROM item with its WHERE. */
  void append(Sql sql, Sql source) {
    String separator = "SELECT ";
    for (Sql output : outer) {
      sql.append(separator).append(output);
      separator = ", ";
    }
    sql.append(" FROM (SELECT ");
    // Without keys and arguments, count_all still needs rows to count.
    sql.append(inner.text().isEmpty() ? new Sql().append("1 AS \"one\"") : inner);
    sql.append(" FROM ").append(source).append(") AS \"input\"");
    if (!keys.isEmpty()) {
      sql.append(" GROUP BY ").append(String.join(", ", keys));
    }
  }

  List<Field> fields() {
    return fields;
  }

  /** Whether a result may not fit its type. */
  boolean canFail() {
    return canFail;
  }

  private void addAggregate(String name, AggregateCall call) {
    AggregateFunction function =
        AggregateFunction.ofWireName(call.getFunction())
            .orElseThrow(() -> unknownFunction(call.getFunction()));
    int count = call.getArgumentsCount();
    if (!function.takes(count)) {
      throw new TallyException(
          ErrorCode.INVALID_REQUEST,
          "The aggregate %s does not take %d arguments.".formatted(function.wireName(), count));
    }
    List<AggregateSql.Operand> operands = new ArrayList<>();
    for (Expression operand : call.getArgumentsList().subList(0, count - function.parameters())) {
      String operandName = name + "_" + operands.size();
      ValueType type = appendInner(operandName, () -> expressions.append(inner, operand));
      operands.add(new AggregateSql.Operand(Sql.quote(operandName), type));
    }
    List<Literal> parameters =
        call.getArgumentsList().subList(operands.size(), count).stream()
            .map(Expression::getLiteral)
            .toList();
    AggregateSql aggregate = AggregateSql.of(function, operands, parameters);
    add(name, aggregate.sql(), aggregate.type());
    canFail |= aggregate.canFail();
  }

  private void add(String name, Sql expression, ValueType type) {
    outer.add(new Sql().append(expression).append(" AS ").append(Sql.quote(name)));
    fields.add(new Field(name, FieldType.nullable(type.arrow()), List.of()));
  }

  private interface Appender {
    ValueType append();
  }

  private ValueType appendInner(String name, Appender expression) {
    inner.append(inner.text().isEmpty() ? "" : ", ");
    ValueType type = expression.append();
    inner.append(" AS ").append(Sql.quote(name));
    return type;
  }

  private static TallyException unknownFunction(String name) {
    List<String> known =
        Arrays.stream(AggregateFunction.values()).map(AggregateFunction::wireName).toList();
    return UnknownName.of("aggregate", name, known);
  }
}
