package io.tally.spark.pushdown;

import io.tally.rpc.AggregateFunction;
import io.tally.rpc.v1.AggregateCall;
import io.tally.rpc.v1.Aggregation;
import io.tally.rpc.v1.Expression;
import io.tally.spark.pushdown.OutputColumn.Role;
import java.util.ArrayList;
import java.util.List;
import org.apache.spark.sql.types.DataType;
import org.apache.spark.sql.types.DataTypes;
import org.apache.spark.sql.types.StructField;

/**
 * Collects the keys and aggregates that were translated so far and gives the plan at the end. Names
 * of output columns are for people only: Spark takes the columns by position.
 */
final class AggregationDraft {
  private final Aggregation.Builder aggregation = Aggregation.newBuilder();
  private final List<OutputColumn> outputs = new ArrayList<>();
  private final List<StructField> fields = new ArrayList<>();
  private final List<String> aggregates = new ArrayList<>();
  private final List<String> keys = new ArrayList<>();

  void addKey(Expression key, String text, DataType type) {
    aggregation.addGroupBy(key);
    keys.add(text);
    addOutput(text, new OutputColumn(Role.KEY, type, type));
  }

  void add(
      AggregateFunction function, List<Expression> arguments, String text, OutputColumn output) {
    aggregation.addAggregates(
        AggregateCall.newBuilder().setFunction(function.wireName()).addAllArguments(arguments));
    aggregates.add(text);
    addOutput(text, output);
  }

  private void addOutput(String text, OutputColumn output) {
    outputs.add(output);
    fields.add(DataTypes.createStructField(distinctName(text), output.read(), true));
  }

  /** Spark may ask for the same twice, as in sum(a) beside try_sum(a). */
  private String distinctName(String text) {
    boolean taken = fields.stream().anyMatch(field -> field.name().equals(text));
    return taken ? distinctName(text + "'") : text;
  }

  List<Expression> groupBy() {
    return aggregation.getGroupByList();
  }

  AggregationPlan finish(boolean complete) {
    List<OutputColumn> columns = new ArrayList<>();
    List<StructField> read = new ArrayList<>();
    for (int i = 0; i < outputs.size(); i++) {
      OutputColumn output = outputs.get(i);
      // Nothing is split where Spark adds nothing up, so the node's own type is the honest one.
      boolean asSent = complete && output.role() == Role.DECIMAL_SUM;
      columns.add(asSent ? new OutputColumn(output.role(), output.sent(), output.sent()) : output);
      read.add(DataTypes.createStructField(fields.get(i).name(), columns.get(i).read(), true));
    }
    return new AggregationPlan(
        aggregation.setPartial(!complete).build(),
        columns,
        DataTypes.createStructType(read),
        complete,
        aggregates,
        keys);
  }
}
