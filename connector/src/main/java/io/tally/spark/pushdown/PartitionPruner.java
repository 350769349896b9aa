package io.tally.spark.pushdown;

import io.tally.rpc.ScalarFunction;
import io.tally.rpc.WireTypes;
import io.tally.rpc.v1.Call;
import io.tally.rpc.v1.DataType;
import io.tally.rpc.v1.Expression;
import io.tally.rpc.v1.Literal;
import io.tally.rpc.v1.Partition;
import io.tally.spark.types.TableSchema;
import java.util.List;
import java.util.Optional;

/**
 * Takes a wire predicate and the bounds of a partition and says whether any row of it may qualify.
 * It computes which of TRUE, FALSE and NULL the predicate may yield, always a superset of what it
 * does yield; a partition is left out only if TRUE is not among them. Immutable; safe for any
 * thread.
 */
public final class PartitionPruner {
  private static final int TRUE = 1;
  private static final int FALSE = 2;
  private static final int NULL = 4;

  private final TableSchema schema;

  public PartitionPruner(TableSchema schema) {
    this.schema = schema;
  }

  /** Whether a row may make all of {@code predicates} TRUE. */
  public boolean mayMatch(Partition partition, List<Expression> predicates) {
    return partition.getRows() > 0
        && predicates.stream().allMatch(predicate -> (outcomes(partition, predicate) & TRUE) != 0);
  }

  /** Whether every row makes {@code predicate} TRUE. */
  boolean mustMatch(Partition partition, Expression predicate) {
    return outcomes(partition, predicate) == TRUE;
  }

  /** The truth values that an expression of type BOOLEAN may take in rows of the partition. */
  private int outcomes(Partition partition, Expression expression) {
    return switch (expression.getKindCase()) {
      case LITERAL -> outcomesOf(expression.getLiteral());
      case COLUMN -> outcomesOf(range(partition, expression));
      case CALL -> outcomes(partition, expression.getCall());
      case PATH, KIND_NOT_SET -> TRUE | FALSE | NULL;
    };
  }

  private static int outcomesOf(Literal literal) {
    if (!literal.hasBoolean()) {
      return NULL;
    }
    return literal.getBoolean() ? TRUE : FALSE;
  }

  private static int outcomesOf(ValueRange range) {
    Literal.Builder literal = Literal.newBuilder().setType(WireTypes.BOOLEAN);
    int outcomes = range.mayBeNull() ? NULL : 0;
    if (range.mayBeValue()) {
      outcomes |= range.mayBeEqual(ValueRange.of(literal.setBoolean(true).build())) ? TRUE : 0;
      outcomes |= range.mayBeEqual(ValueRange.of(literal.setBoolean(false).build())) ? FALSE : 0;
    }
    return outcomes;
  }

  private int outcomes(Partition partition, Call call) {
    List<Expression> arguments = call.getArgumentsList();
    ScalarFunction function = ScalarFunction.ofWireName(call.getFunction()).orElse(null);
    if (function == null) {
      return TRUE | FALSE | NULL;
    }
    return switch (function) {
      case AND -> {
        int all = TRUE;
        for (Expression argument : arguments) {
          all = and(all, outcomes(partition, argument));
        }
        yield all;
      }
      case OR -> {
        int none = TRUE;
        for (Expression argument : arguments) {
          none = and(none, not(outcomes(partition, argument)));
        }
        yield not(none);
      }
      case NOT -> not(outcomes(partition, arguments.get(0)));
      case IS_NULL -> isNull(partition, arguments.get(0));
      case IS_NOT_NULL -> not(isNull(partition, arguments.get(0)));
      case IN -> {
        ValueRange value = range(partition, arguments.get(0));
        int none = TRUE;
        for (Expression candidate : arguments.subList(1, arguments.size())) {
          int equal = compare(ScalarFunction.EQ, value, range(partition, candidate));
          none = and(none, not(equal));
        }
        yield not(none);
      }
      case EQ, NE, LT, LE, GT, GE ->
          compare(function, range(partition, arguments.get(0)), range(partition, arguments.get(1)));
      case EQ_NULL_SAFE ->
          equalNullSafe(range(partition, arguments.get(0)), range(partition, arguments.get(1)));
      case STARTS_WITH, ENDS_WITH, CONTAINS -> {
        ValueRange text = range(partition, arguments.get(0));
        ValueRange part = range(partition, arguments.get(1));
        yield (text.mayBeNull() || part.mayBeNull() ? NULL : 0)
            | (text.mayBeValue() && part.mayBeValue() ? outcomesOf(function, text, part) : 0);
      }
      default -> TRUE | FALSE | NULL;
    };
  }

  private static int outcomesOf(ScalarFunction function, ValueRange text, ValueRange part) {
    if (!text.isSingleValue() || !part.isSingleValue()) {
      return TRUE | FALSE;
    }
    String whole = text.lower().orElseThrow().getString();
    String piece = part.lower().orElseThrow().getString();
    boolean found =
        switch (function) {
          case STARTS_WITH -> whole.startsWith(piece);
          case ENDS_WITH -> whole.endsWith(piece);
          default -> whole.contains(piece);
        };
    return found ? TRUE : FALSE;
  }

  /** SQL's AND of every outcome on the left with every outcome on the right. */
  private static int and(int left, int right) {
    int outcomes = 0;
    outcomes |= (left & right) & TRUE;
    outcomes |= (left | right) & FALSE;
    boolean nullWithoutFalse =
        ((left & NULL) != 0 && (right & (TRUE | NULL)) != 0)
            || ((right & NULL) != 0 && (left & (TRUE | NULL)) != 0);
    return nullWithoutFalse ? outcomes | NULL : outcomes;
  }

  private static int not(int outcomes) {
    return ((outcomes & TRUE) != 0 ? FALSE : 0)
        | ((outcomes & FALSE) != 0 ? TRUE : 0)
        | (outcomes & NULL);
  }

  private int isNull(Partition partition, Expression expression) {
    ValueRange range = range(partition, expression);
    return (range.mayBeNull() ? TRUE : 0) | (range.mayBeValue() ? FALSE : 0);
  }

  private static int compare(ScalarFunction function, ValueRange left, ValueRange right) {
    int outcomes = left.mayBeNull() || right.mayBeNull() ? NULL : 0;
    if (!left.mayBeValue() || !right.mayBeValue()) {
      return outcomes;
    }
    boolean mayBeTrue;
    boolean mayBeFalse;
    switch (function) {
      case EQ -> {
        mayBeTrue = left.mayBeEqual(right);
        mayBeFalse = left.mayDiffer(right);
      }
      case NE -> {
        mayBeTrue = left.mayDiffer(right);
        mayBeFalse = left.mayBeEqual(right);
      }
      case LT -> {
        mayBeTrue = left.mayBeLess(right);
        mayBeFalse = right.mayBeLessOrEqual(left);
      }
      case LE -> {
        mayBeTrue = left.mayBeLessOrEqual(right);
        mayBeFalse = right.mayBeLess(left);
      }
      case GT -> {
        mayBeTrue = right.mayBeLess(left);
        mayBeFalse = left.mayBeLessOrEqual(right);
      }
      case GE -> {
        mayBeTrue = right.mayBeLessOrEqual(left);
        mayBeFalse = left.mayBeLess(right);
      }
      default -> {
        mayBeTrue = true;
        mayBeFalse = true;
      }
    }
    return outcomes | (mayBeTrue ? TRUE : 0) | (mayBeFalse ? FALSE : 0);
  }

  private static int equalNullSafe(ValueRange left, ValueRange right) {
    int outcomes = 0;
    if (left.mayBeNull() && right.mayBeNull()) {
      outcomes |= TRUE;
    }
    if ((left.mayBeNull() && right.mayBeValue()) || (left.mayBeValue() && right.mayBeNull())) {
      outcomes |= FALSE;
    }
    if (left.mayBeValue() && right.mayBeValue()) {
      outcomes |= compare(ScalarFunction.EQ, left, right) & (TRUE | FALSE);
    }
    return outcomes;
  }

  private ValueRange range(Partition partition, Expression expression) {
    return switch (expression.getKindCase()) {
      case LITERAL -> ValueRange.of(expression.getLiteral());
      case COLUMN -> columnRange(partition, expression.getColumn());
      case PATH ->
          ValueRange.of(
              new RangeAnalysis(new ColumnRanges(schema, List.of(partition))).of(expression));
      case CALL -> callRange(partition, expression);
      case KIND_NOT_SET -> ofOutcomes(TRUE | FALSE | NULL);
    };
  }

  /** A condition as an operand, as in (a = b) IS NULL, or a value, as in year(d) = 2001. */
  private ValueRange callRange(Partition partition, Expression call) {
    RangeAnalysis.Known known =
        new RangeAnalysis(new ColumnRanges(schema, List.of(partition))).of(call);
    return known.type().equals(WireTypes.BOOLEAN)
        ? ofOutcomes(outcomes(partition, call.getCall()))
        : ValueRange.of(known);
  }

  private ValueRange columnRange(Partition partition, String column) {
    DataType type =
        schema
            .column(column)
            .flatMap(field -> SparkTypes.toWire(field.dataType()))
            .orElse(DataType.getDefaultInstance());
    return ValueRange.of(partition, column, type);
  }

  private static ValueRange ofOutcomes(int outcomes) {
    Literal.Builder literal = Literal.newBuilder().setType(WireTypes.BOOLEAN);
    Literal no = literal.setBoolean(false).build();
    Literal yes = literal.setBoolean(true).build();
    boolean mayBeTrue = (outcomes & TRUE) != 0;
    boolean mayBeFalse = (outcomes & FALSE) != 0;
    return new ValueRange(
        (outcomes & NULL) != 0,
        mayBeTrue || mayBeFalse,
        List.of(),
        Optional.of(mayBeFalse ? no : yes),
        Optional.of(mayBeTrue ? yes : no));
  }
}
