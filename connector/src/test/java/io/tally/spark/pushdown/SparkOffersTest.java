package io.tally.spark.pushdown;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import org.apache.spark.sql.catalyst.FunctionIdentifier;
import org.apache.spark.sql.catalyst.analysis.FunctionRegistry;
import org.apache.spark.sql.catalyst.analysis.SimpleFunctionRegistry;
import org.apache.spark.sql.catalyst.expressions.ApplyFunctionExpression;
import org.apache.spark.sql.catalyst.expressions.Ascending$;
import org.apache.spark.sql.catalyst.expressions.AttributeReference;
import org.apache.spark.sql.catalyst.expressions.EqualTo;
import org.apache.spark.sql.catalyst.expressions.ExprId;
import org.apache.spark.sql.catalyst.expressions.Expression;
import org.apache.spark.sql.catalyst.expressions.Literal;
import org.apache.spark.sql.catalyst.expressions.Not;
import org.apache.spark.sql.catalyst.expressions.RuntimeReplaceable;
import org.apache.spark.sql.catalyst.expressions.SortOrder;
import org.apache.spark.sql.catalyst.expressions.YearOfWeek;
import org.apache.spark.sql.catalyst.expressions.aggregate.AggregateFunction;
import org.apache.spark.sql.catalyst.expressions.aggregate.SupportsOrderingWithinGroup;
import org.apache.spark.sql.catalyst.util.V2ExpressionBuilder;
import org.apache.spark.sql.connector.expressions.Cast;
import org.apache.spark.sql.connector.expressions.Extract;
import org.apache.spark.sql.connector.expressions.FieldReference;
import org.apache.spark.sql.connector.expressions.GeneralScalarExpression;
import org.apache.spark.sql.connector.expressions.GetArrayItem;
import org.apache.spark.sql.connector.expressions.UserDefinedScalarFunc;
import org.apache.spark.sql.connector.expressions.aggregate.AggregateFunc;
import org.apache.spark.sql.types.DataType;
import org.apache.spark.sql.types.DataTypes;
import org.apache.spark.sql.types.Metadata;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import scala.collection.immutable.Seq;
import scala.jdk.javaapi.CollectionConverters;

/**
 * The registries have a line for whatever Spark offers: every function that Spark has built in goes
 * through its {@code V2ExpressionBuilder}, with columns of several types.
 */
final class SparkOffersTest {
  private static final int MOST_ARGUMENTS = 4;

  /** Made by other ways than functions; {@code !=} by none that is known. */
  private static final Set<String> NOT_FUNCTIONS = Set.of("!=", "BOOLEAN_EXPRESSION");

  /** What an offer may consist of beside functions and literals. */
  private static final Set<Class<?>> NO_FUNCTIONS =
      Set.of(FieldReference.class, Cast.class, GetArrayItem.class);

  private static final Set<Class<?>> OTHERS = new HashSet<>();
  private static final Set<String> SCALARS = new TreeSet<>();
  private static final Set<String> AGGREGATES = new TreeSet<>();

  @BeforeAll
  static void offerWhatSparkHas() {
    SimpleFunctionRegistry registry = FunctionRegistry.builtin();
    List<FunctionIdentifier> names =
        new ArrayList<>(CollectionConverters.asJava(registry.listFunction()));
    for (List<Expression> arguments : argumentLists()) {
      for (FunctionIdentifier name : names) {
        call(registry, name, arguments).ifPresent(SparkOffersTest::offer);
      }
    }
    offer(new Not(new EqualTo(column(DataTypes.StringType), column(DataTypes.StringType))));
    offer(new YearOfWeek(column(DataTypes.DateType)));
    offer(new ApplyFunctionExpression(new Twice(), seq(List.of(column(DataTypes.IntegerType)))));
  }

  private static List<List<Expression>> argumentLists() {
    List<List<Expression>> lists = new ArrayList<>();
    for (DataType type :
        List.of(DataTypes.StringType, DataTypes.DoubleType, DataTypes.BooleanType)) {
      for (int count = 0; count <= MOST_ARGUMENTS; count++) {
        List<Expression> columns = new ArrayList<>();
        for (int i = 0; i < count; i++) {
          columns.add(column(type));
        }
        lists.add(columns);
      }
    }
    lists.add(List.of(column(DataTypes.DoubleType), Literal.create(0.5, DataTypes.DoubleType)));
    lists.add(List.of(Literal.create(0.5, DataTypes.DoubleType)));
    return lists;
  }

  private static Expression column(DataType type) {
    return new AttributeReference(
        "c", type, true, Metadata.empty(), ExprId.apply(1), seq(List.of()));
  }

  private static <T> Seq<T> seq(List<T> list) {
    return CollectionConverters.asScala(list).toSeq();
  }

  private static Optional<Expression> call(
      SimpleFunctionRegistry registry, FunctionIdentifier name, List<Expression> arguments) {
    try {
      return Optional.of((Expression) registry.lookupFunction(name, seq(arguments)));
    } catch (Exception e) {
      // Another number or type of arguments is right.
      return Optional.empty();
    }
  }

  private static void offer(Expression call) {
    Expression expression = call;
    try {
      if (expression instanceof SupportsOrderingWithinGroup ordered && !ordered.orderingFilled()) {
        SortOrder order =
            new SortOrder(
                column(DataTypes.DoubleType),
                Ascending$.MODULE$,
                Ascending$.MODULE$.defaultNullOrdering(),
                seq(List.of()));
        expression = (Expression) ordered.withOrderingWithinGroup(seq(List.of(order)));
      }
      build(expression);
      while (expression instanceof RuntimeReplaceable replaceable) {
        expression = replaceable.replacement();
        build(expression);
      }
    } catch (Exception | AssertionError e) {
      // Spark's analysis would have refused these types before.
    }
  }

  private static void build(Expression call) {
    Expression expression =
        call instanceof AggregateFunction function ? function.toAggregateExpression() : call;
    scala.Option<org.apache.spark.sql.connector.expressions.Expression> offered =
        new V2ExpressionBuilder(expression, false).build();
    if (offered.isDefined()) {
      collect(offered.get());
    }
  }

  private static void collect(org.apache.spark.sql.connector.expressions.Expression offered) {
    if (offered instanceof org.apache.spark.sql.connector.expressions.Literal<?>) {
      return;
    }
    if (offered instanceof AggregateFunc function) {
      AGGREGATES.add(SparkAggregates.nameOf(function));
    } else if (offered instanceof GeneralScalarExpression scalar) {
      SCALARS.add(scalar.name());
    } else if (offered instanceof Extract extract) {
      SCALARS.add("EXTRACT " + extract.field());
    } else if (offered instanceof UserDefinedScalarFunc) {
      SCALARS.add(SparkFunctions.USER_DEFINED);
    } else {
      OTHERS.add(offered.getClass());
    }
    Arrays.stream(offered.children()).forEach(SparkOffersTest::collect);
  }

  /** A function of a catalog. */
  private static final class Twice
      implements org.apache.spark.sql.connector.catalog.functions.ScalarFunction<Integer> {
    @Override
    public DataType[] inputTypes() {
      return new DataType[] {DataTypes.IntegerType};
    }

    @Override
    public DataType resultType() {
      return DataTypes.IntegerType;
    }

    @Override
    public String name() {
      return "twice";
    }
  }

  @Test
  void whatIsNoFunctionIsKnown() {
    assertEquals(NO_FUNCTIONS, OTHERS);
  }

  @Test
  void everyFunctionThatSparkOffersHasItsLine() {
    Set<String> lines = new TreeSet<>();
    SparkFunctions.entries().forEach(entry -> lines.add(entry.name()));
    lines.removeAll(NOT_FUNCTIONS);
    assertEquals(lines, SCALARS);
  }

  @Test
  void everyAggregateThatSparkOffersHasItsLine() {
    Set<String> lines = new TreeSet<>();
    SparkAggregates.entries().forEach(entry -> lines.add(entry.name()));
    lines.remove(SparkAggregates.USER_DEFINED);
    assertEquals(lines, AGGREGATES);
  }
}
