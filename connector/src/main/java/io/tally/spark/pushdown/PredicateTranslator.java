package io.tally.spark.pushdown;

import io.tally.rpc.Features;
import io.tally.rpc.ScalarFunction;
import io.tally.rpc.v1.Call;
import io.tally.rpc.v1.DataType;
import io.tally.rpc.v1.Expression;
import io.tally.spark.pushdown.Translation.Refused;
import io.tally.spark.pushdown.Translation.Translated;
import io.tally.spark.types.TableSchema;
import io.tally.spark.types.Unreadable;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.apache.spark.sql.connector.expressions.GeneralScalarExpression;
import org.apache.spark.sql.connector.expressions.Literal;
import org.apache.spark.sql.connector.expressions.NamedReference;
import org.apache.spark.sql.connector.expressions.filter.Predicate;
import org.apache.spark.sql.types.StructField;

/**
 * Takes predicates as Spark's {@code V2ExpressionBuilder} writes them and gives, in one walk, the
 * wire expression that is TRUE for the same rows, or the reason why there is none. Immutable; safe
 * for any thread.
 */
public final class PredicateTranslator {
  /** What every node accepts, see expression.proto. */
  static final int MAX_DEPTH = 64;

  /** What every node accepts, see expression.proto. */
  public static final int MAX_NODES = 10_000;

  private static final Map<String, ScalarFunction> COMPARISONS =
      Map.of(
          "=", ScalarFunction.EQ,
          "<>", ScalarFunction.NE,
          "!=", ScalarFunction.NE,
          "<", ScalarFunction.LT,
          "<=", ScalarFunction.LE,
          ">", ScalarFunction.GT,
          ">=", ScalarFunction.GE,
          "<=>", ScalarFunction.EQ_NULL_SAFE,
          "IN", ScalarFunction.IN);
  private static final Map<String, ScalarFunction> NULL_CHECKS =
      Map.of("IS_NULL", ScalarFunction.IS_NULL, "IS_NOT_NULL", ScalarFunction.IS_NOT_NULL);
  private static final Map<String, ScalarFunction> CONNECTIVES =
      Map.of(
          "AND", ScalarFunction.AND,
          "OR", ScalarFunction.OR,
          "NOT", ScalarFunction.NOT);
  private static final Map<String, ScalarFunction> TEXT_SEARCHES =
      Map.of(
          "STARTS_WITH", ScalarFunction.STARTS_WITH,
          "ENDS_WITH", ScalarFunction.ENDS_WITH,
          "CONTAINS", ScalarFunction.CONTAINS);

  private final TableSchema schema;
  private final CommonFeatures features;

  public PredicateTranslator(TableSchema schema, CommonFeatures features) {
    this.schema = schema;
    this.features = features;
  }

  /** Translates a condition that rows must meet. */
  public Translation translate(Predicate predicate) {
    Translation result = walk(predicate);
    if (!(result instanceof Translated translated)) {
      return result;
    }
    if (!translated.type().equals(WireTypes.BOOLEAN)) {
      return new Refused("it is not a condition");
    }
    // A condition without columns is the same for all rows; Spark folds it, or has a reason not to.
    if (!translated.expression().hasLiteral() && !mentionsColumn(translated.expression())) {
      return new Refused("it depends on no column");
    }
    // One level is kept for the AND that joins all conditions of a scan.
    if (translated.depth() >= MAX_DEPTH) {
      return new Refused(
          "it is nested " + translated.depth() + " levels deep; nodes accept " + MAX_DEPTH);
    }
    if (translated.nodes() > MAX_NODES) {
      return new Refused("it has " + translated.nodes() + " parts; nodes accept " + MAX_NODES);
    }
    return translated;
  }

  /** Translates a reference to a column; used for aggregates and grouping keys, too. */
  Translation column(NamedReference reference) {
    String[] parts = reference.fieldNames();
    if (parts.length != 1) {
      return new Refused("fields of a STRUCT are not evaluated by nodes");
    }
    Optional<StructField> field = schema.column(parts[0]);
    if (field.isEmpty()) {
      return new Refused("there is no column \"" + parts[0] + "\"");
    }
    Optional<Unreadable> unreadable = schema.unreadable(parts[0]);
    if (unreadable.isPresent()) {
      return new Refused(
          "column \"" + parts[0] + "\" cannot be read (" + unreadable.get().nativeType() + ")");
    }
    if (TableSchema.isCharOrVarchar(field.get())) {
      return new Refused(
          "column \"" + parts[0] + "\" is CHAR or VARCHAR, which nodes do not pad or cut");
    }
    Optional<DataType> type = WireTypes.of(field.get().dataType());
    if (type.isEmpty()) {
      return new Refused(
          "values of type " + field.get().dataType().sql() + " are not evaluated by nodes");
    }
    return leaf(Expression.newBuilder().setColumn(parts[0]).build(), type.get());
  }

  private Translation walk(org.apache.spark.sql.connector.expressions.Expression expression) {
    // AlwaysTrue and AlwaysFalse are predicates and literals at once, so literals come first.
    if (expression instanceof Literal<?> literal) {
      return literal(literal);
    }
    if (expression instanceof NamedReference reference) {
      return column(reference);
    }
    if (expression instanceof GeneralScalarExpression call) {
      return call(call);
    }
    return new Refused("nodes do not evaluate " + Described.of(expression));
  }

  private Translation literal(Literal<?> literal) {
    Optional<DataType> type = WireTypes.of(literal.dataType());
    if (type.isEmpty()) {
      return new Refused(
          "literals of type " + literal.dataType().sql() + " are not evaluated by nodes");
    }
    Optional<io.tally.rpc.v1.Literal> value = WireLiterals.of(literal.value(), type.get());
    if (value.isEmpty()) {
      return new Refused("the literal " + Described.of(literal) + " cannot be sent exactly");
    }
    return leaf(Expression.newBuilder().setLiteral(value.get()).build(), type.get());
  }

  private Translation leaf(Expression expression, DataType type) {
    String feature = Features.ofType(type.getKind());
    return features.has(feature)
        ? new Translated(expression, type, 1, 1)
        : new Refused(missing(feature));
  }

  private Translation call(GeneralScalarExpression call) {
    String name = call.name();
    List<org.apache.spark.sql.connector.expressions.Expression> arguments =
        Arrays.asList(call.children());
    if (name.equals("BOOLEAN_EXPRESSION") && arguments.size() == 1) {
      return walk(arguments.get(0));
    }
    if (COMPARISONS.containsKey(name) && arguments.size() >= 2) {
      return comparison(COMPARISONS.get(name), arguments);
    }
    if (NULL_CHECKS.containsKey(name) && arguments.size() == 1) {
      return call(NULL_CHECKS.get(name), arguments, Optional.empty());
    }
    if (name.equals("AND") || name.equals("OR")) {
      return call(CONNECTIVES.get(name), flatten(call), Optional.of(DataType.Kind.BOOLEAN));
    }
    if (name.equals("NOT") && arguments.size() == 1) {
      return call(ScalarFunction.NOT, arguments, Optional.of(DataType.Kind.BOOLEAN));
    }
    if (TEXT_SEARCHES.containsKey(name) && arguments.size() == 2) {
      return call(TEXT_SEARCHES.get(name), arguments, Optional.of(DataType.Kind.STRING));
    }
    return new Refused("nodes do not evaluate the function " + name);
  }

  private Translation comparison(
      ScalarFunction function,
      List<org.apache.spark.sql.connector.expressions.Expression> arguments) {
    if (function != ScalarFunction.IN && arguments.size() != 2) {
      return new Refused("it has " + arguments.size() + " operands");
    }
    return call(function, arguments, Optional.empty());
  }

  /** Long chains of AND or OR come nested to one side; on the wire they are one call. */
  private static List<org.apache.spark.sql.connector.expressions.Expression> flatten(
      GeneralScalarExpression chain) {
    List<org.apache.spark.sql.connector.expressions.Expression> operands = new ArrayList<>();
    Deque<org.apache.spark.sql.connector.expressions.Expression> open = new ArrayDeque<>();
    open.push(chain);
    while (!open.isEmpty()) {
      org.apache.spark.sql.connector.expressions.Expression next = open.pop();
      if (next instanceof GeneralScalarExpression call && call.name().equals(chain.name())) {
        for (int i = call.children().length - 1; i >= 0; i--) {
          open.push(call.children()[i]);
        }
      } else {
        operands.add(next);
      }
    }
    return operands;
  }

  /**
   * A call whose operands all have one type.
   *
   * @param required the type they must have; empty: any
   */
  private Translation call(
      ScalarFunction function,
      List<org.apache.spark.sql.connector.expressions.Expression> arguments,
      Optional<DataType.Kind> required) {
    if (!features.has(function.feature())) {
      return new Refused(missing(function.feature()));
    }
    Call.Builder call = Call.newBuilder().setFunction(function.wireName());
    DataType type = null;
    int nodes = 1;
    int depth = 0;
    for (org.apache.spark.sql.connector.expressions.Expression argument : arguments) {
      Translation operand = walk(argument);
      if (!(operand instanceof Translated translated)) {
        return operand;
      }
      if (required.isPresent() && translated.type().getKind() != required.get()) {
        return new Refused(
            "an operand of "
                + function
                + " is "
                + name(translated.type())
                + ", not "
                + required.get());
      }
      if (type != null && !type.equals(translated.type())) {
        return new Refused(
            "its operands have different types, " + name(type) + " and " + name(translated.type()));
      }
      type = translated.type();
      call.addArguments(translated.expression());
      nodes += translated.nodes();
      depth = Math.max(depth, translated.depth());
    }
    return new Translated(
        Expression.newBuilder().setCall(call).build(), WireTypes.BOOLEAN, nodes, depth + 1);
  }

  private static boolean mentionsColumn(Expression expression) {
    return expression.hasColumn()
        || expression.getCall().getArgumentsList().stream()
            .anyMatch(PredicateTranslator::mentionsColumn);
  }

  private static String missing(String feature) {
    return "not every node has the feature " + feature;
  }

  private static String name(DataType type) {
    return type.getKind() == DataType.Kind.DECIMAL
        ? "DECIMAL(" + type.getPrecision() + "," + type.getScale() + ")"
        : type.getKind().toString();
  }
}
