package io.tally.server.scan;

import io.tally.rpc.AggregateFunction;
import io.tally.rpc.BodyCodec;
import io.tally.rpc.Features;
import io.tally.rpc.ScalarFunction;
import io.tally.rpc.TallyException;
import io.tally.rpc.v1.AggregateCall;
import io.tally.rpc.v1.Call;
import io.tally.rpc.v1.DataType;
import io.tally.rpc.v1.ErrorCode;
import io.tally.rpc.v1.Expression;
import io.tally.rpc.v1.Open;
import io.tally.rpc.v1.ScanPartition;
import io.tally.rpc.v1.SortKey;
import io.tally.server.table.ServedColumn;
import io.tally.server.table.ServedTable;
import java.util.Arrays;
import java.util.Optional;
import java.util.function.Predicate;

/**
 * Takes an Open and hands on what a node with these features makes of it: fields that it does not
 * know are gone, as they are once an older release has parsed the message; names and kinds that it
 * does not know are refused.
 */
final class UnderstoodOpen {
  private final ScanFeatures features;
  private final ServedTable table;

  private UnderstoodOpen(ScanFeatures features, ServedTable table) {
    this.features = features;
    this.table = table;
  }

  /**
   * @throws TallyException UNSUPPORTED_FEATURE
   */
  static Open of(Open open, ScanFeatures features, ServedTable table) {
    return features.isComplete() ? open : new UnderstoodOpen(features, table).understood(open);
  }

  private Open understood(Open open) {
    Open.Builder known = open.toBuilder();
    if (!features.aggregates()) {
      known.clearAggregation();
    }
    if (!features.filters()) {
      known.clearPredicate();
    }
    if (!features.has(Features.LIMIT)) {
      known.clearLimit();
    }
    if (!features.has(Features.ORDER)) {
      known.clearOrderBy();
    }
    if (!features.has(Features.OFFSET)) {
      known.clearOffset();
    }
    if (!features.has(Features.SAMPLE)) {
      known.clearSample();
    }
    if (!features.has(Features.PARTITION_COLUMN)) {
      known.clearPartitionColumn();
    }
    if (!features.has(Features.NESTED_PROJECTION)) {
      known.clearProjection();
    }
    if (!features.has(Features.ROW_RANGE)) {
      known.getPartitionsBuilderList().forEach(ScanPartition.Builder::clearRange);
    }
    if (BodyCodec.ofWireName(open.getBodyCodec()).filter(this::compresses).isEmpty()) {
      known.clearBodyCodec();
    }
    check(known);
    return known.build();
  }

  private boolean compresses(BodyCodec codec) {
    return features.has(codec.feature());
  }

  private void check(Open.Builder known) {
    if (known.hasPredicate()) {
      check(known.getPredicate());
    }
    known.getAggregation().getGroupByList().forEach(this::check);
    known.getAggregation().getAggregatesList().forEach(this::check);
    for (SortKey key : known.getOrderByList()) {
      if (key.hasExpression()) {
        check(key.getExpression());
      } else if (!features.aggregates()) {
        throw unsupported("A sort key is of a kind that this node does not know, or of none.");
      }
    }
  }

  private void check(AggregateCall call) {
    Predicate<AggregateFunction> known = function -> features.has(function.feature());
    if (AggregateFunction.ofWireName(call.getFunction()).filter(known).isEmpty()) {
      throw UnknownName.of(
          "aggregate",
          call.getFunction(),
          Arrays.stream(AggregateFunction.values())
              .filter(known)
              .map(AggregateFunction::wireName)
              .toList());
    }
    call.getArgumentsList().forEach(this::check);
  }

  private void check(Expression expression) {
    switch (expression.getKindCase()) {
      case COLUMN -> checkColumn(expression.getColumn());
      case LITERAL -> checkType(expression.getLiteral().getType(), "literals");
      case CALL -> check(expression.getCall());
      case PATH -> {
        if (!features.has(Features.PATH)) {
          throw unsupported("An expression is of a kind that this node does not know, or of none.");
        }
      }
      case KIND_NOT_SET -> {} // refused later
    }
  }

  private void check(Call call) {
    Predicate<ScalarFunction> known = it -> features.has(it.feature());
    Optional<ScalarFunction> function = ScalarFunction.ofWireName(call.getFunction()).filter(known);
    if (function.isEmpty()) {
      throw UnknownName.of(
          "function",
          call.getFunction(),
          Arrays.stream(ScalarFunction.values())
              .filter(known)
              .map(ScalarFunction::wireName)
              .toList());
    }
    if (call.hasType()) {
      checkType(call.getType(), "values");
    }
    boolean anyType =
        function.get() == ScalarFunction.IS_NULL || function.get() == ScalarFunction.IS_NOT_NULL;
    for (Expression argument : call.getArgumentsList()) {
      if (!anyType || !argument.hasColumn()) {
        check(argument);
      }
    }
  }

  /** A column that does not exist, or of a type that no release compares, is refused later. */
  private void checkColumn(String name) {
    for (ServedColumn column : table.columns()) {
      if (column.name().equals(name)) {
        checkType(ValueType.of(column.field()).wire(), "operands");
      }
    }
  }

  private void checkType(DataType type, String what) {
    if (ScanFeatures.TYPES.contains(type.getKind())
        && !features.has(Features.ofType(type.getKind()))) {
      throw unsupported("This node has no " + what + " of type " + type.getKind() + ".");
    }
  }

  private static TallyException unsupported(String message) {
    return new TallyException(ErrorCode.UNSUPPORTED_FEATURE, message);
  }
}
