package io.tally.spark.pushdown;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.params.provider.Arguments.arguments;

import com.google.protobuf.TextFormat;
import io.tally.rpc.v1.Expression;
import io.tally.spark.types.TableSchema;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.apache.spark.sql.connector.expressions.Cast;
import org.apache.spark.sql.connector.expressions.GeneralScalarExpression;
import org.apache.spark.sql.connector.expressions.UserDefinedScalarFunc;
import org.apache.spark.sql.connector.expressions.filter.AlwaysFalse;
import org.apache.spark.sql.connector.expressions.filter.AlwaysTrue;
import org.apache.spark.sql.connector.expressions.filter.And;
import org.apache.spark.sql.connector.expressions.filter.Not;
import org.apache.spark.sql.connector.expressions.filter.Or;
import org.apache.spark.sql.connector.expressions.filter.Predicate;
import org.apache.spark.sql.types.DataTypes;
import org.apache.spark.sql.types.Decimal;
import org.apache.spark.sql.types.MetadataBuilder;
import org.apache.spark.sql.types.StringType;
import org.apache.spark.unsafe.types.UTF8String;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

final class PredicateTranslatorTest {
  private final PredicateTranslator translator = SampleTable.predicates();

  static Stream<Arguments> translated() {
    return Stream.of(
        arguments(V2.call("=", V2.column("i"), V2.integer(7)), "eq(i, INTEGER 7)"),
        arguments(V2.call("<>", V2.column("i"), V2.integer(7)), "ne(i, INTEGER 7)"),
        arguments(V2.call("!=", V2.column("i"), V2.integer(7)), "ne(i, INTEGER 7)"),
        arguments(V2.call("<", V2.column("i"), V2.column("j")), "lt(i, j)"),
        arguments(V2.call("<=", V2.integer(-1), V2.column("i")), "le(INTEGER -1, i)"),
        arguments(V2.call(">", V2.column("s"), V2.string("ü'\\%_")), "gt(s, STRING ü'\\%_)"),
        arguments(
            V2.call(">=", V2.column("m"), V2.decimal("2.00", 5, 2)), "ge(m, DECIMAL(5,2) 200)"),
        arguments(
            V2.call("=", V2.column("m"), V2.decimal("-123.45", 5, 2)),
            "eq(m, DECIMAL(5,2) -12345)"),
        arguments(
            V2.call("<=>", V2.column("i"), V2.literal(null, DataTypes.IntegerType)),
            "eq_null_safe(i, INTEGER NULL)"),
        arguments(
            V2.call("<=>", V2.column("b"), new AlwaysTrue()), "eq_null_safe(b, BOOLEAN true)"),
        arguments(
            V2.call("IN", V2.column("i"), V2.integer(1), V2.literal(null, DataTypes.IntegerType)),
            "in(i, INTEGER 1, INTEGER NULL)"),
        arguments(V2.call("IS_NULL", V2.column("x")), "is_null(x)"),
        arguments(V2.call("IS_NULL", V2.column("st")), "is_null(st)"),
        arguments(V2.call("IS_NOT_NULL", V2.column("list")), "is_not_null(list)"),
        arguments(new Not(is("list")), "not(is_null(list))"),
        arguments(
            V2.call(
                ">",
                new Cast(is("list"), DataTypes.BooleanType, DataTypes.IntegerType),
                V2.integer(0)),
            "gt(cast(is_null(list)), INTEGER 0)"),
        arguments(V2.call("CASE_WHEN", is("i"), is("j")), "case_when(is_null(i), is_null(j))"),
        arguments(
            V2.call(
                "=",
                new Cast(V2.column("i"), DataTypes.IntegerType, DataTypes.LongType),
                V2.literal(7L, DataTypes.LongType)),
            "eq(cast(i), BIGINT 7)"),
        arguments(V2.call("IS_NOT_NULL", V2.column("at")), "is_not_null(at)"),
        arguments(
            V2.call("IS_NULL", V2.call("=", V2.column("i"), V2.column("j"))), "is_null(eq(i, j))"),
        arguments(
            V2.call("STARTS_WITH", V2.column("s"), V2.string("a_")), "starts_with(s, STRING a_)"),
        arguments(V2.call("ENDS_WITH", V2.column("s"), V2.string("")), "ends_with(s, STRING )"),
        arguments(
            V2.call("CONTAINS", V2.column("s"), V2.call("CONCAT", V2.column("s"))),
            "contains(s, concat(s))"),
        arguments(
            new And(new And(is("i"), is("j")), new Or(is("s"), new Or(is("d"), new Not(is("x"))))),
            "and(is_null(i), is_null(j), or(is_null(s), is_null(d), not(is_null(x))))"),
        arguments(V2.call("BOOLEAN_EXPRESSION", V2.column("b")), "b"),
        arguments(new Not(V2.call("BOOLEAN_EXPRESSION", V2.column("b"))), "not(b)"),
        arguments(new AlwaysTrue(), "BOOLEAN true"),
        arguments(new AlwaysFalse(), "BOOLEAN false"),
        arguments(V2.call("=", V2.column("a.b"), V2.integer(1)), "eq(a.b, INTEGER 1)"),
        arguments(
            V2.call("=", V2.nested("st.inner"), V2.integer(1)), "eq(path st.inner, INTEGER 1)"),
        arguments(
            V2.call("=", V2.column("day"), V2.literal(-1, DataTypes.DateType)), "eq(day, DATE -1)"),
        arguments(
            V2.call("=", V2.column("at"), V2.literal(-1L, DataTypes.TimestampType)),
            "eq(at, TIMESTAMP -1)"),
        arguments(
            V2.call("=", V2.column("local"), V2.literal(5L, DataTypes.TimestampNTZType)),
            "eq(local, TIMESTAMP_NTZ 5)"),
        arguments(
            V2.call("=", V2.column("l"), V2.literal(Long.MIN_VALUE, DataTypes.LongType)),
            "eq(l, BIGINT -9223372036854775808)"),
        arguments(
            V2.call("=", V2.column("t"), V2.literal((byte) -3, DataTypes.ByteType)),
            "eq(t, TINYINT -3)"),
        arguments(
            V2.call("=", V2.column("d"), V2.literal(Double.NaN, DataTypes.DoubleType)),
            "eq(d, DOUBLE NaN)"),
        arguments(
            V2.call("=", V2.column("f"), V2.literal(1e-7f, DataTypes.FloatType)),
            "eq(f, FLOAT 1.0E-7)"),
        arguments(
            V2.call("=", V2.column("x"), V2.literal(new byte[] {0, -1}, DataTypes.BinaryType)),
            "eq(x, BINARY \\000\\377)"));
  }

  private static Predicate is(String column) {
    return V2.call("IS_NULL", V2.column(column));
  }

  @ParameterizedTest
  @MethodSource
  void translated(Predicate predicate, String expected) {
    Translation translation = translator.translate(predicate);
    assertEquals(
        expected,
        translation instanceof Translation.Translated done
            ? text(done.expression())
            : translation.toString());
  }

  static Stream<Arguments> refused() {
    StringType collated = StringType.apply("UNICODE_CI");
    return Stream.of(
        arguments(
            V2.call("=", V2.column("i"), V2.literal(7L, DataTypes.LongType)),
            "eq with INTEGER and BIGINT"),
        arguments(
            V2.call("=", V2.column("m"), V2.decimal("2.0", 4, 1)),
            "eq with DECIMAL(5,2) and DECIMAL(4,1)"),
        arguments(
            V2.call("IN", V2.column("i"), V2.integer(1), V2.string("1")),
            "in with INTEGER and STRING"),
        arguments(
            V2.call("=", V2.literal(UTF8String.fromString("a"), collated), V2.column("s")),
            "literals of type STRING COLLATE UNICODE_CI"),
        arguments(
            V2.call("IS_NULL", V2.literal(null, DataTypes.NullType)), "literals of type VOID"),
        arguments(
            V2.call("IN", V2.column("x"), V2.literal(null, DataTypes.BinaryType)),
            "cannot write down a NULL of type BINARY"),
        arguments(
            V2.call(
                "=",
                V2.column("s"),
                V2.literal(UTF8String.fromBytes(new byte[] {(byte) 0xff}), DataTypes.StringType)),
            "cannot be sent exactly"),
        arguments(
            V2.call(
                "=",
                V2.column("m"),
                V2.literal(Decimal.apply("1.005"), DataTypes.createDecimalType(5, 2))),
            "cannot be sent exactly"),
        arguments(V2.call("=", V2.nested("st.iner"), V2.integer(1)), "there is no st.iner"),
        arguments(
            V2.call("=", V2.column("st"), V2.column("st")), "values of type STRUCT<inner: INT>"),
        arguments(
            V2.call("IS_NULL", V2.call("COALESCE", V2.column("list"), V2.column("list"))),
            "values of type ARRAY<INT>"),
        arguments(V2.call("IS_NULL", V2.column("bits")), "\"bits\" cannot be read (BIT)"),
        arguments(V2.call("IS_NULL", V2.column("I")), "there is no column \"I\""),
        arguments(V2.call("=", V2.integer(1), V2.integer(2)), "depends on no column"),
        arguments(V2.call("RAND"), "another number each time"),
        arguments(
            V2.call(
                "<",
                new GeneralScalarExpression(
                    "RAND", new org.apache.spark.sql.connector.expressions.Expression[0]),
                V2.literal(0d, DataTypes.DoubleType)),
            "another number each time"),
        arguments(
            V2.call(
                "=",
                new Cast(V2.column("s"), DataTypes.StringType, DataTypes.LongType),
                V2.literal(7L, DataTypes.LongType)),
            "nodes do not cast STRING to BIGINT; programs read texts differently"),
        arguments(
            V2.call(
                "=",
                new UserDefinedScalarFunc(
                    "twice",
                    "cat.twice",
                    new org.apache.spark.sql.connector.expressions.Expression[] {V2.column("i")}),
                V2.integer(2)),
            "nodes do not know it"),
        arguments(
            V2.call("=", V2.call("NO_SUCH", V2.column("s")), V2.string("A")),
            "the function NO_SUCH"),
        arguments(
            V2.call(">", V2.call("+", V2.column("i"), V2.integer(1)), V2.integer(0)),
            "statistics do not prove that the result of add fits INTEGER"),
        arguments(
            V2.call("=", V2.call("UPPER", V2.column("s")), V2.string("A")), "Spark maps letters"),
        arguments(V2.call("STARTS_WITH", V2.column("x"), V2.column("x")), "of a short name"),
        arguments(new Or(is("i"), V2.call("UPPER", V2.column("s"))), "Spark maps letters"),
        arguments(V2.call("BOOLEAN_EXPRESSION", V2.column("i")), "not a condition"),
        arguments(V2.call("NOT", V2.column("i")), "not with INTEGER"));
  }

  @ParameterizedTest
  @MethodSource
  void refused(Predicate predicate, String reason) {
    Translation translation = translator.translate(predicate);
    assertTrue(
        assertInstanceOf(Translation.Refused.class, translation).reason().contains(reason),
        translation::toString);
  }

  @Test
  void charAndVarcharAreStrings() {
    TableSchema declared =
        SampleTable.SCHEMA.declaredAs(
            DataTypes.createStructType(
                List.of(
                    DataTypes.createStructField(
                        "s",
                        DataTypes.StringType,
                        true,
                        new MetadataBuilder()
                            .putString("__CHAR_VARCHAR_TYPE_STRING", "char(5)")
                            .build()))));
    Translation translation =
        new PredicateTranslator(
                new ExpressionTranslator(SampleTable.context(declared, SampleTable.everything())))
            .translate(V2.call("=", V2.column("s"), V2.string("ab   ")));
    assertInstanceOf(Translation.Translated.class, translation);
  }

  @Test
  void aFeatureThatOneNodeLacksIsRefused() {
    CommonFeatures features =
        CommonFeatures.of(
            Map.of(
                "new",
                SampleTable.allFeatures(),
                "old",
                Set.of("fn.eq", "type.integer", "fn.or"),
                "older",
                Set.of("fn.eq", "type.integer", "fn.lt")),
            SampleTable.MAX_EXPRESSION_NODES);
    PredicateTranslator limited =
        new PredicateTranslator(new ExpressionTranslator(SampleTable.context(features)));
    assertInstanceOf(
        Translation.Translated.class,
        limited.translate(V2.call("=", V2.column("i"), V2.integer(1))));
    assertEquals(
        new Translation.Refused("node \"old\" lacks the feature fn.lt"),
        limited.translate(V2.call("<", V2.column("i"), V2.integer(1))));
    assertEquals(
        new Translation.Refused("node \"old\" and 1 more lack the feature type.string"),
        limited.translate(V2.call("=", V2.column("s"), V2.string("a"))));
  }

  @Test
  void longChainsAreFlatAndLimitsAreKept() {
    Predicate chain = is("i");
    for (int i = 0; i < 3000; i++) {
      chain = new Or(chain, is("j"));
    }
    Translation.Translated flat =
        assertInstanceOf(Translation.Translated.class, translator.translate(chain));
    assertEquals(3, flat.depth());
    assertEquals(3001, flat.expression().getCall().getArgumentsCount());

    Predicate nested = is("i");
    for (int i = 0; i < ExpressionTranslator.MAX_DEPTH; i++) {
      nested = new Not(nested);
    }
    assertTrue(translator.translate(nested).toString().contains("levels deep"));

    org.apache.spark.sql.connector.expressions.Expression[] list =
        Stream.concat(
                Stream.of(V2.column("i")),
                IntStream.range(0, SampleTable.MAX_EXPRESSION_NODES).mapToObj(V2::integer))
            .toArray(org.apache.spark.sql.connector.expressions.Expression[]::new);
    assertTrue(translator.translate(new Predicate("IN", list)).toString().contains("parts"));
  }

  private static String text(Expression expression) {
    if (expression.hasPath()) {
      return "path " + WireText.of(expression.getPath());
    }
    if (expression.hasColumn()) {
      return expression.getColumn();
    }
    if (expression.hasCall()) {
      return expression.getCall().getFunction()
          + "("
          + String.join(
              ", ",
              expression.getCall().getArgumentsList().stream()
                  .map(PredicateTranslatorTest::text)
                  .toList())
          + ")";
    }
    io.tally.rpc.v1.Literal literal = expression.getLiteral();
    String type =
        literal.getType().getKind()
            + (literal.getType().getPrecision() > 0
                ? "(" + literal.getType().getPrecision() + "," + literal.getType().getScale() + ")"
                : "");
    return type
        + " "
        + switch (literal.getValueCase()) {
          case BOOLEAN -> literal.getBoolean();
          case INTEGER -> literal.getInteger();
          case FLOAT32 -> literal.getFloat32();
          case FLOAT64 -> literal.getFloat64();
          case UNSCALED -> new java.math.BigInteger(literal.getUnscaled().toByteArray());
          case STRING -> literal.getString();
          case BINARY -> TextFormat.escapeBytes(literal.getBinary());
          case VALUE_NOT_SET -> "NULL";
        };
  }
}
