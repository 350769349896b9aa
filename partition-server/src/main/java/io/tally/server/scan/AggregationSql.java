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
import java.util.Optional;
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

  /** The outputs over a single row; fewer than all if there are some that do not merge. */
  private final List<Sql> ofOneRow = new ArrayList<>();

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
              Sql column = new Sql().append(Sql.quote(name));
              add(name, column, type);
              ofOneRow.add(named(column, name));
            });
    for (int i = 0; i < aggregation.getAggregatesCount(); i++) {
      addAggregate("a" + i, aggregation.getAggregates(i));
    }
  }

  /** Appends the whole statement over {@code source}, a FROM item with its WHERE. */
  void append(Sql sql, Sql source) {
    appendOutputs(sql, outer, source);
    if (!keys.isEmpty()) {
      sql.append(" GROUP BY ").append(String.join(", ", keys));
    }
  }

  private void appendOutputs(Sql sql, List<Sql> outputs, Sql source) {
    String separator = "SELECT ";
    for (Sql output : outputs) {
      sql.append(separator).append(output);
      separator = ", ";
    }
    sql.append(" FROM (SELECT ");
    // Without keys and arguments, count_all still needs rows to count.
    sql.append(inner.text().isEmpty() ? new Sql().append("1 AS \"one\"") : inner);
    sql.append(" FROM ").append(source).append(") AS \"input\"");
  }

  /**
   * The statements that answer a partial aggregation row by row; empty if results do not merge, or
   * all rows are one group.
   *
   * @param source as for {@link #append}
   */
  Optional<RowByRow> rowByRow(Sql source, GroupShares shares) {
    if (keys.isEmpty() || ofOneRow.size() < outer.size()) {
      return Optional.empty();
    }
    Sql rows = new Sql();
    appendOutputs(rows, ofOneRow, source);
    Sql look =
        new Sql()
            .append("SELECT CAST(sum(n) AS BIGINT), CAST(count(*) AS BIGINT) FROM (")
            .append("SELECT count(*) AS n FROM (SELECT ")
            .append(inner)
            .append(" FROM ")
            .append(source)
            .append(") AS \"input\" WHERE hash(" + String.join(", ", keys) + ")")
            .append(" % " + RowByRow.LOOKED_AT + " = 0 GROUP BY " + String.join(", ", keys) + ")");
    return Optional.of(new RowByRow(rows, look, shares));
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
    OneRowSql.of(function, operands, aggregate.type())
        .ifPresent(sql -> ofOneRow.add(named(new Sql().append(sql), name)));
  }

  private void add(String name, Sql expression, ValueType type) {
    outer.add(named(expression, name));
    fields.add(new Field(name, FieldType.nullable(type.arrow()), List.of()));
  }

  private static Sql named(Sql expression, String name) {
    return new Sql().append(expression).append(" AS ").append(Sql.quote(name));
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
