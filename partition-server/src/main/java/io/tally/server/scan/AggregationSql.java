package io.tally.server.scan;

import io.tally.rpc.AggregateFunction;
import io.tally.rpc.TallyException;
import io.tally.rpc.WireTypes;
import io.tally.rpc.v1.AggregateCall;
import io.tally.rpc.v1.Aggregation;
import io.tally.rpc.v1.DataType;
import io.tally.rpc.v1.ErrorCode;
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
  private final List<String> outer = new ArrayList<>();
  private final List<String> keys = new ArrayList<>();
  private final List<Field> fields = new ArrayList<>();
  private boolean sums;

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
              add(name, Sql.quote(name), type);
            });
    for (int i = 0; i < aggregation.getAggregatesCount(); i++) {
      addAggregate("a" + i, aggregation.getAggregates(i));
    }
  }

  /** Appends the whole statement over {@code source}, a FROM item with its WHERE. */
  void append(Sql sql, Sql source) {
    sql.append("SELECT ").append(String.join(", ", outer)).append(" FROM (SELECT ");
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

  /** Whether a sum may overflow. */
  boolean sums() {
    return sums;
  }

  private void addAggregate(String name, AggregateCall call) {
    AggregateFunction function =
        AggregateFunction.ofWireName(call.getFunction())
            .orElseThrow(() -> unknownFunction(call.getFunction()));
    requireArity(function, call.getArgumentsCount());
    List<String> arguments = new ArrayList<>();
    List<ValueType> types = new ArrayList<>();
    for (int i = 0; i < call.getArgumentsCount(); i++) {
      int argument = i;
      String argumentName = name + "_" + i;
      types.add(
          appendInner(argumentName, () -> expressions.append(inner, call.getArguments(argument))));
      arguments.add(Sql.quote(argumentName));
    }
    switch (function) {
      case COUNT_ALL -> addCount(name, "count(*)");
      case COUNT ->
          addCount(
              name,
              arguments.size() == 1
                  ? "count(" + arguments.get(0) + ")"
                  : "count(*) FILTER (WHERE "
                      + String.join(" IS NOT NULL AND ", arguments)
                      + " IS NOT NULL)");
      case COUNT_DISTINCT -> {
        ExpressionSql.requireComparable(types.get(0), function.wireName());
        addCount(name, "count(DISTINCT " + arguments.get(0) + ")");
      }
      case SUM -> addSum(name, "", arguments.get(0), types.get(0));
      case SUM_DISTINCT -> addSum(name, "DISTINCT ", arguments.get(0), types.get(0));
      case VAR_POP, VAR_SAMP, STDDEV_POP, STDDEV_SAMP, COVAR_POP, COVAR_SAMP ->
          addMoment(name, function, arguments, types);
      case MIN, MAX -> {
        ExpressionSql.requireComparable(types.get(0), function.wireName());
        add(name, function.wireName() + "(" + arguments.get(0) + ")", types.get(0));
      }
    }
  }

  private void addCount(String name, String call) {
    add(name, "CAST(" + call + " AS BIGINT)", ValueType.of(WireTypes.BIGINT));
  }

  /** The engine's functions of these names are the ones that are meant. */
  private void addMoment(
      String name, AggregateFunction function, List<String> arguments, List<ValueType> types) {
    ValueType result = ValueType.of(WireTypes.DOUBLE);
    if (!types.stream().allMatch(result::equals)) {
      throw new TallyException(
          ErrorCode.INVALID_REQUEST,
          "%s takes DOUBLE, not %s."
              .formatted(function.wireName(), types.stream().map(ValueType::text).toList()));
    }
    add(name, function.wireName() + "(" + String.join(", ", arguments) + ")", result);
    sums = true;
  }

  private void addSum(String name, String distinct, String argument, ValueType type) {
    ExpressionSql.requireComparable(type, "sum");
    if (!WireTypes.isNumeric(type.wire())) {
      throw new TallyException(
          ErrorCode.INVALID_REQUEST, "sum takes a number, not " + type.text() + ".");
    }
    ValueType result =
        ValueType.of(
            switch (type.wire().getKind()) {
              case FLOAT, DOUBLE -> WireTypes.DOUBLE;
              default -> WireTypes.decimal(WireTypes.MAX_PRECISION, type.wire().getScale());
            });
    // Floats are widened before they are added, integers and decimals are added in 128 bits.
    String addend =
        type.wire().getKind() == DataType.Kind.FLOAT
            ? "CAST(" + argument + " AS DOUBLE)"
            : argument;
    add(name, "CAST(sum(" + distinct + addend + ") AS " + result.sql() + ")", result);
    sums = true;
  }

  private void add(String name, String expression, ValueType type) {
    outer.add(expression + " AS " + Sql.quote(name));
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

  private static void requireArity(AggregateFunction function, int arguments) {
    boolean right =
        switch (function) {
          case COUNT_ALL -> arguments == 0;
          case COUNT -> arguments >= 1;
          case SUM,
              MIN,
              MAX,
              COUNT_DISTINCT,
              SUM_DISTINCT,
              VAR_POP,
              VAR_SAMP,
              STDDEV_POP,
              STDDEV_SAMP ->
              arguments == 1;
          case COVAR_POP, COVAR_SAMP -> arguments == 2;
        };
    if (!right) {
      throw new TallyException(
          ErrorCode.INVALID_REQUEST,
          "The aggregate %s does not take %d arguments.".formatted(function.wireName(), arguments));
    }
  }

  private static TallyException unknownFunction(String name) {
    List<String> known =
        Arrays.stream(AggregateFunction.values()).map(AggregateFunction::wireName).toList();
    return UnknownName.of("aggregate", name, known);
  }
}
