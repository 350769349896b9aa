package io.tally.spark.pushdown;

import io.tally.rpc.BodyCodec;
import io.tally.rpc.Features;
import io.tally.rpc.ScalarFunction;
import io.tally.rpc.v1.DataType;
import io.tally.rpc.v1.Partition;
import io.tally.rpc.v1.UnreadableColumn;
import io.tally.spark.types.TableSchema;
import java.time.ZoneOffset;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Stream;
import org.apache.arrow.vector.types.DateUnit;
import org.apache.arrow.vector.types.FloatingPointPrecision;
import org.apache.arrow.vector.types.TimeUnit;
import org.apache.arrow.vector.types.pojo.ArrowType;
import org.apache.arrow.vector.types.pojo.Field;
import org.apache.arrow.vector.types.pojo.FieldType;
import org.apache.arrow.vector.types.pojo.Schema;

/** A table with a column of each kind that matters to push-down. */
public final class SampleTable {
  public static final Schema ARROW =
      new Schema(
          List.of(
              field("i", new ArrowType.Int(32, true)),
              field("j", new ArrowType.Int(32, true)),
              field("l", new ArrowType.Int(64, true)),
              field("t", new ArrowType.Int(8, true)),
              field("d", new ArrowType.FloatingPoint(FloatingPointPrecision.DOUBLE)),
              field("f", new ArrowType.FloatingPoint(FloatingPointPrecision.SINGLE)),
              field("m", new ArrowType.Decimal(5, 2, 128)),
              field("w", new ArrowType.Decimal(38, 0, 128)),
              field("s", ArrowType.Utf8.INSTANCE),
              field("x", ArrowType.Binary.INSTANCE),
              field("b", ArrowType.Bool.INSTANCE),
              field("day", new ArrowType.Date(DateUnit.DAY)),
              field("at", new ArrowType.Timestamp(TimeUnit.MICROSECOND, "UTC")),
              field("local", new ArrowType.Timestamp(TimeUnit.MICROSECOND, null)),
              field("a.b", new ArrowType.Int(32, true)),
              new Field(
                  "list",
                  FieldType.nullable(ArrowType.List.INSTANCE),
                  List.of(field("element", new ArrowType.Int(32, true)))),
              new Field(
                  "st",
                  FieldType.nullable(ArrowType.Struct.INSTANCE),
                  List.of(field("inner", new ArrowType.Int(32, true))))));

  public static final TableSchema SCHEMA =
      TableSchema.of(
          "sample",
          ARROW,
          List.of(
              UnreadableColumn.newBuilder()
                  .setName("bits")
                  .setNativeType("BIT")
                  .setReason("Arrow has no such type.")
                  .build()));

  public static final PlanningSession SESSION =
      new PlanningSession(Optional.of(new SessionRules(ZoneOffset.UTC, false, false)), true);

  /** What a node accepts at least. */
  public static final int MAX_EXPRESSION_NODES = 10_000;

  private SampleTable() {}

  public static Field field(String name, ArrowType type) {
    return Field.nullable(name, type);
  }

  /** Everything that version 1 of the protocol knows. */
  public static Set<String> allFeatures() {
    Set<String> features =
        new HashSet<>(
            Set.of(
                Features.ROW_RANGE,
                Features.LIMIT,
                Features.ORDER,
                Features.OFFSET,
                Features.SAMPLE,
                Features.PARTITION_COLUMN,
                Features.NESTED_PROJECTION,
                Features.PATH));
    BodyCodec.compressing().forEach(codec -> features.add(codec.feature()));
    Stream.of(ScalarFunction.values()).map(ScalarFunction::feature).forEach(features::add);
    Stream.of(io.tally.rpc.AggregateFunction.values())
        .map(io.tally.rpc.AggregateFunction::feature)
        .forEach(features::add);
    Arrays.stream(DataType.Kind.values()).map(Features::ofType).forEach(features::add);
    return features;
  }

  /** Of nodes that know everything and tell nothing of the values of columns. */
  static PushdownContext context() {
    return context(everything());
  }

  static PushdownContext context(CommonFeatures features) {
    return context(SCHEMA, features);
  }

  static PushdownContext context(TableSchema schema, CommonFeatures features) {
    Partition partition = Partition.newBuilder().setId("p").setRows(1).build();
    return new PushdownContext(schema, features, List.of(partition), SESSION);
  }

  static PredicateTranslator predicates() {
    return new PredicateTranslator(new ExpressionTranslator(context()));
  }

  static CommonFeatures everything() {
    return CommonFeatures.of(Map.of("a", allFeatures()), MAX_EXPRESSION_NODES);
  }
}
