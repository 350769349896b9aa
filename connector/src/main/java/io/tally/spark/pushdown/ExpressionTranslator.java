package io.tally.spark.pushdown;

import io.tally.rpc.Features;
import io.tally.rpc.WireTypes;
import io.tally.rpc.v1.ColumnPath;
import io.tally.rpc.v1.DataType;
import io.tally.rpc.v1.Expression;
import io.tally.rpc.v1.PathStep;
import io.tally.spark.pushdown.Translation.Refused;
import io.tally.spark.pushdown.Translation.Translated;
import io.tally.spark.types.TableSchema;
import io.tally.spark.types.Unreadable;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Deque;
import java.util.List;
import java.util.Optional;
import org.apache.spark.sql.connector.expressions.Cast;
import org.apache.spark.sql.connector.expressions.Extract;
import org.apache.spark.sql.connector.expressions.GeneralScalarExpression;
import org.apache.spark.sql.connector.expressions.Literal;
import org.apache.spark.sql.connector.expressions.NamedReference;
import org.apache.spark.sql.connector.expressions.UserDefinedScalarFunc;
import org.apache.spark.sql.types.DataTypes;
import org.apache.spark.sql.types.StringType;
import org.apache.spark.sql.types.StructField;

/**
 * Takes expressions as Spark's {@code V2ExpressionBuilder} writes them and gives, in one walk, the
 * wire expression that has the same value in every row and cannot fail, or the reason why there is
 * none. Conditions, grouping keys, arguments of aggregates and sort keys all go through it. For one
 * thread.
 */
public final class ExpressionTranslator {
  /** What every node accepts, see expression.proto. */
  static final int MAX_DEPTH = 64;

  private final PushdownContext context;
  private final WireCalls calls;

  public ExpressionTranslator(PushdownContext context) {
    this.context = context;
    this.calls = new WireCalls(context);
  }

  /** What becomes of a column or of a part of one, by its type. */
  private interface Leaf {
    Translation of(Expression expression, org.apache.spark.sql.types.DataType type);
  }

  /** Translates an expression of any type. */
  public Translation translate(org.apache.spark.sql.connector.expressions.Expression expression) {
    return limited(walk(expression));
  }

  /**
   * Translates an expression of which nothing is used but whether it is NULL. It has no type if it
   * is a column, or lies in one, whose values nodes do not evaluate.
   */
  Translation translateNullable(org.apache.spark.sql.connector.expressions.Expression expression) {
    return limited(walkNullable(expression));
  }

  private Translation limited(Translation result) {
    if (!(result instanceof Translated translated)) {
      return result;
    }
    // One level is kept for the AND that joins all conditions of a scan.
    if (translated.depth() >= MAX_DEPTH) {
      return new Refused(
          "it is nested " + translated.depth() + " levels deep; nodes accept " + MAX_DEPTH);
    }
    return new ExpressionBudget(context.features()).take(translated)
        ? translated
        : new Refused(
            "it has "
                + translated.nodes()
                + " parts; nodes accept "
                + context.features().maxExpressionNodes());
  }

  /** The whole numbers that the values of a translated expression are inside; empty: none. */
  Optional<IntegerRange> known(Expression translated) {
    return calls.known(translated).values();
  }

  private Translation walk(org.apache.spark.sql.connector.expressions.Expression expression) {
    // AlwaysTrue and AlwaysFalse are predicates and literals at once, so literals come first.
    if (expression instanceof Literal<?> literal) {
      return literal(literal);
    }
    if (expression instanceof NamedReference reference) {
      return column(reference, this::operand);
    }
    Optional<ArrayItem> item = ArrayItem.of(expression);
    if (item.isPresent()) {
      return item(item.get(), this::operand);
    }
    if (expression instanceof GeneralScalarExpression call) {
      return call(call);
    }
    if (expression instanceof Cast cast) {
      return cast(cast);
    }
    if (expression instanceof Extract extract) {
      return extract(extract);
    }
    if (expression instanceof UserDefinedScalarFunc) {
      return SparkFunctions.translate(calls, SparkFunctions.USER_DEFINED, List.of());
    }
    return new Refused("nodes do not evaluate " + Described.of(expression));
  }

  private Translation walkNullable(
      org.apache.spark.sql.connector.expressions.Expression expression) {
    if (expression instanceof NamedReference reference) {
      return column(reference, this::nullable);
    }
    return ArrayItem.of(expression)
        .map(item -> item(item, this::nullable))
        .orElseGet(() -> walk(expression));
  }

  private Translation literal(Literal<?> literal) {
    Optional<DataType> type = SparkTypes.toWire(literal.dataType());
    if (type.isEmpty()) {
      return new Refused(
          "literals of type " + literal.dataType().sql() + " are not evaluated by nodes");
    }
    // Spark writes down what was pushed, and LiteralValue.toString asserts that there are bytes.
    if (literal.value() == null && type.get().getKind() == DataType.Kind.BINARY) {
      return new Refused("Spark cannot write down a NULL of type BINARY");
    }
    Optional<io.tally.rpc.v1.Literal> value = WireLiterals.of(literal.value(), type.get());
    if (value.isEmpty()) {
      return new Refused("the literal " + Described.of(literal) + " cannot be sent exactly");
    }
    return calls.leaf(Expression.newBuilder().setLiteral(value.get()).build(), type.get());
  }

  private Translation column(NamedReference reference, Leaf leaf) {
    String[] parts = reference.fieldNames();
    Optional<StructField> field = context.schema().column(parts[0]);
    if (field.isEmpty()) {
      return new Refused("there is no column \"" + parts[0] + "\"");
    }
    Optional<Unreadable> unreadable = context.schema().unreadable(parts[0]);
    if (unreadable.isPresent()) {
      return new Refused(
          "column \"" + parts[0] + "\" cannot be read (" + unreadable.get().nativeType() + ")");
    }
    if (parts.length == 1) {
      // Padding a CHAR is Spark's work: what it offers is meant for the values as they are stored.
      return leaf.of(
          Expression.newBuilder().setColumn(parts[0]).build(),
          TableSchema.isCharOrVarchar(field.get()) ? DataTypes.StringType : field.get().dataType());
    }
    return path(path(parts), leaf);
  }

  /** Behind the end of an array there is NULL, or an error of Spark's. */
  private Translation item(ArrayItem item, Leaf leaf) {
    if (!(item.array() instanceof NamedReference array)) {
      return new Refused("nodes take items of arrays in columns only");
    }
    boolean literal =
        item.ordinal() instanceof Literal<?> ordinal
            && ordinal.value() instanceof Number number
            && number.longValue() >= 0;
    if (!literal) {
      return new Refused("the place of an item is not a literal, or negative");
    }
    if (item.failsBehindEnd()) {
      return new Refused("Spark fails where an array has no such item");
    }
    long index = ((Number) ((Literal<?>) item.ordinal()).value()).longValue();
    return path(path(array.fieldNames()).addSteps(PathStep.newBuilder().setIndex(index)), leaf);
  }

  private static ColumnPath.Builder path(String[] names) {
    ColumnPath.Builder path = ColumnPath.newBuilder().setColumn(names[0]);
    for (String name : Arrays.asList(names).subList(1, names.length)) {
      path.addSteps(PathStep.newBuilder().setField(name));
    }
    return path;
  }

  private Translation path(ColumnPath.Builder builder, Leaf leaf) {
    ColumnPath path = builder.build();
    Optional<org.apache.spark.sql.types.DataType> type = ColumnPaths.type(context.schema(), path);
    if (type.isEmpty()) {
      return new Refused("there is no " + WireText.of(path));
    }
    if (!context.features().has(Features.PATH)) {
      return new Refused(context.features().lacking(Features.PATH));
    }
    return leaf.of(Expression.newBuilder().setPath(path).build(), type.get());
  }

  private Translation operand(Expression expression, org.apache.spark.sql.types.DataType type) {
    return SparkTypes.toWire(type)
        .map(wire -> calls.leaf(expression, wire))
        .orElseGet(
            () -> new Refused("values of type " + type.sql() + " are not evaluated by nodes"));
  }

  /** Every node can say of values of any type whether they are NULL. */
  private Translation nullable(Expression expression, org.apache.spark.sql.types.DataType type) {
    if (SparkTypes.toWire(type).isPresent()) {
      return operand(expression, type);
    }
    // A collation may be declared over what is a plain STRING to nodes.
    String text = Features.ofType(DataType.Kind.STRING);
    return type instanceof StringType && !context.features().has(text)
        ? new Refused(context.features().lacking(text))
        : new Translated(expression, DataType.getDefaultInstance(), 1, 1);
  }

  private Translation call(GeneralScalarExpression call) {
    if (Described.fails(call)) {
      return new Refused("Spark fails where it writes " + call.name() + " of a short name down");
    }
    boolean nullTest = call.name().equals("IS_NULL") || call.name().equals("IS_NOT_NULL");
    boolean chain = call.name().equals("AND") || call.name().equals("OR");
    List<Translated> arguments = new ArrayList<>();
    for (org.apache.spark.sql.connector.expressions.Expression argument :
        chain ? flatten(call) : Arrays.asList(call.children())) {
      Translation translation = nullTest ? walkNullable(argument) : walk(argument);
      if (!(translation instanceof Translated translated)) {
        return translation;
      }
      arguments.add(translated);
    }
    return SparkFunctions.translate(calls, call.name(), arguments);
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

  private Translation cast(Cast cast) {
    Optional<DataType> target = SparkTypes.toWire(cast.dataType());
    if (target.isEmpty()) {
      return new Refused("nodes do not cast to " + cast.dataType().sql());
    }
    if (SparkTypes.isCutInterval(cast.dataType())) {
      return new Refused("nodes do not cut intervals to " + cast.dataType().sql());
    }
    Translation operand = walk(cast.expression());
    if (!(operand instanceof Translated translated)) {
      return operand;
    }
    boolean toClock =
        translated.type().equals(WireTypes.TIMESTAMP)
            && (target.get().equals(WireTypes.DATE)
                || target.get().equals(WireTypes.TIMESTAMP_NTZ));
    Translation source =
        toClock ? LocalTime.of(calls, translated, context.session().rules()) : translated;
    return source instanceof Translated local ? calls.cast(local, target.get()) : source;
  }

  private Translation extract(Extract extract) {
    Translation source = walk(extract.source());
    if (source instanceof Translated translated && translated.type().equals(WireTypes.TIMESTAMP)) {
      source = LocalTime.of(calls, translated, context.session().rules());
    }
    return source instanceof Translated translated
        ? SparkFunctions.translate(calls, "EXTRACT " + extract.field(), List.of(translated))
        : source;
  }
}
