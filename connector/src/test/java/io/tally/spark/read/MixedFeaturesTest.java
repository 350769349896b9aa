package io.tally.spark.read;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.tally.rpc.BodyCodec;
import io.tally.rpc.TallyException;
import io.tally.rpc.client.ClusterView;
import io.tally.rpc.client.ClusterView.Node;
import io.tally.rpc.client.ClusterView.OwnedPartition;
import io.tally.rpc.client.NodeAddress;
import io.tally.rpc.client.ScanOptions;
import io.tally.rpc.v1.ErrorCode;
import io.tally.rpc.v1.Open;
import io.tally.rpc.v1.Partition;
import io.tally.rpc.v1.ScanPartition;
import io.tally.spark.pushdown.Partitions;
import io.tally.spark.pushdown.SampleTable;
import io.tally.spark.pushdown.V2;
import io.tally.spark.types.RowOrigin;
import io.tally.spark.types.TableSchema;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;
import org.apache.arrow.vector.types.pojo.ArrowType;
import org.apache.arrow.vector.types.pojo.Field;
import org.apache.arrow.vector.types.pojo.FieldType;
import org.apache.arrow.vector.types.pojo.Schema;
import org.apache.spark.sql.connector.expressions.Expression;
import org.apache.spark.sql.connector.expressions.Expressions;
import org.apache.spark.sql.connector.expressions.SortDirection;
import org.apache.spark.sql.connector.expressions.SortOrder;
import org.apache.spark.sql.connector.expressions.aggregate.AggregateFunc;
import org.apache.spark.sql.connector.expressions.aggregate.Aggregation;
import org.apache.spark.sql.connector.expressions.aggregate.Count;
import org.apache.spark.sql.connector.expressions.aggregate.CountStar;
import org.apache.spark.sql.connector.expressions.aggregate.Max;
import org.apache.spark.sql.connector.expressions.aggregate.Min;
import org.apache.spark.sql.connector.expressions.aggregate.Sum;
import org.apache.spark.sql.connector.expressions.filter.Predicate;
import org.apache.spark.sql.connector.read.InputPartition;
import org.apache.spark.sql.connector.read.SampleMethod;
import org.apache.spark.sql.types.DataTypes;
import org.apache.spark.sql.types.StructType;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Two nodes, one of which lacks a feature: what needs it is not pushed to either, EXPLAIN says who
 * lacks what, and where the older node has nothing to read, it is no hindrance.
 */
final class MixedFeaturesTest {
  private static final ReadSettings SETTINGS =
      new ReadSettings(ScanOptions.defaults(), 1_000_000, true, true, BodyCodec.NONE);

  private static final Schema ARROW = withPair();

  private static Schema withPair() {
    List<Field> fields = new ArrayList<>(SampleTable.ARROW.getFields());
    List<Field> parts =
        List.of(
            SampleTable.field("a", new ArrowType.Int(32, true)),
            SampleTable.field("b", new ArrowType.Int(32, true)));
    fields.add(new Field("pair", FieldType.nullable(ArrowType.Struct.INSTANCE), parts));
    return new Schema(fields);
  }

  /** Leaves the partition of the new node alone. */
  private static final Predicate LATE =
      V2.call(">", V2.column("day"), V2.literal(50, DataTypes.DateType));

  private static final String LACKS = "node \"old\" lacks the feature ";

  /** Something that Spark offers; says whether nodes take it. */
  private interface Offer {
    boolean taken(TallyScanBuilder builder);
  }

  private static Node node(String id, Set<String> features) {
    return new Node(
        new NodeAddress(id + ".example", 7071),
        id,
        "layout",
        features,
        SampleTable.MAX_EXPRESSION_NODES);
  }

  private static TallyScanBuilder builder(String lacking) {
    return builder(lacking, SETTINGS);
  }

  private static TallyScanBuilder builder(String lacking, ReadSettings settings) {
    Set<String> features = new HashSet<>(SampleTable.allFeatures());
    assertTrue(features.remove(lacking), lacking);
    Partition early =
        Partitions.of("early", 1_000_001)
            .addBounds(Partitions.between("day", DataTypes.DateType, 0, 30))
            .build();
    Partition late =
        Partitions.of("late", 10)
            .addBounds(Partitions.between("day", DataTypes.DateType, 31, 60))
            .build();
    Node old = node("old", features);
    Node newer = node("new", SampleTable.allFeatures());
    ClusterView view =
        new ClusterView(
            "sample",
            ARROW,
            List.of(),
            List.of(old, newer),
            List.of(
                new OwnedPartition(early, List.of(old)), new OwnedPartition(late, List.of(newer))));
    return Builders.of(
        view, TableSchema.of("sample", ARROW, List.of()), settings, SampleTable.SESSION);
  }

  static Stream<Arguments> offers() {
    Predicate equal = V2.call("=", V2.column("i"), V2.integer(1));
    return Stream.of(
        offer("fn.eq", builder -> builder.pushPredicates(new Predicate[] {equal}).length == 0),
        offer(
            "fn.abs",
            builder ->
                builder.pushPredicates(
                            new Predicate[] {
                              V2.call("=", V2.call("ABS", V2.column("d")), V2.column("d"))
                            })
                        .length
                    == 0),
        offer(
            "type.integer", builder -> builder.pushPredicates(new Predicate[] {equal}).length == 0),
        offer(
            "expression.path",
            builder ->
                builder.pushPredicates(
                            new Predicate[] {
                              V2.call("=", Expressions.column("st.inner"), V2.integer(1))
                            })
                        .length
                    == 0),
        aggregate("agg.count_all", new CountStar()),
        offer("agg.count_all", builder -> builder.pushAggregation(distinct())),
        aggregate("agg.count", new Count(V2.column("i"), false)),
        aggregate("agg.sum", new Sum(V2.column("i"), false)),
        aggregate("agg.min", new Min(V2.column("s"))),
        aggregate("agg.max", new Max(V2.column("s"))),
        offer("scan.limit", builder -> builder.pushLimit(3)),
        offer("scan.limit", MixedFeaturesTest::firstThree),
        offer("scan.order", MixedFeaturesTest::firstThree),
        offer(
            "scan.sample",
            builder -> builder.pushTableSample(0, 0.5, false, 1, SampleMethod.BERNOULLI)));
  }

  private static boolean firstThree(TallyScanBuilder builder) {
    return builder.pushTopN(
        new SortOrder[] {Expressions.sort(V2.column("i"), SortDirection.ASCENDING)}, 3);
  }

  private static Arguments aggregate(String lacking, AggregateFunc function) {
    return offer(
        lacking,
        builder ->
            builder.pushAggregation(
                new Aggregation(
                    new AggregateFunc[] {function}, new Expression[] {V2.column("b")})));
  }

  private static Aggregation distinct() {
    return new Aggregation(new AggregateFunc[0], new Expression[] {V2.column("b")});
  }

  private static Arguments offer(String lacking, Offer offer) {
    return Arguments.of(lacking, offer);
  }

  @ParameterizedTest(name = "{0}")
  @MethodSource("offers")
  void whatOneOwnerLacksIsNotPushed(String lacking, Offer offer) {
    TallyScanBuilder builder = builder(lacking);
    assertFalse(offer.taken(builder));
    String plan = readable(builder);
    assertTrue(plan.contains(LACKS + lacking), plan);
    assertTrue(offer.taken(builder("type.time")), "with the feature it is");
  }

  @ParameterizedTest(name = "{0}")
  @MethodSource("offers")
  void whoHasNothingToReadIsNotAsked(String lacking, Offer offer) {
    TallyScanBuilder builder = builder(lacking);
    // Even a predicate that the older node does not evaluate leaves out its partition.
    assertEquals(0, builder.pushPredicates(new Predicate[] {LATE}).length);
    assertTrue(offer.taken(builder));
    String plan = readable(builder);
    assertTrue(plan.contains("Partitions: 1 of 2"), plan);
    assertFalse(plan.contains("lacks"), plan);
  }

  private static String readable(TallyScanBuilder builder) {
    builder.pruneColumns(StructType.fromDDL("i INT"));
    return builder.build().description();
  }

  @Test
  void aPredicateThatTheOlderNodeLacksStillLeavesOutItsPartition() {
    for (String lacking : List.of("fn.gt", "type.date")) {
      TallyScanBuilder builder = builder(lacking);
      assertEquals(0, builder.pushPredicates(new Predicate[] {LATE}).length);
      assertEquals(
          "tally sample PushedPredicates: [day > DATE '1970-02-20'], Partitions: 1 of 2, Streams: 1",
          readable(builder));
    }
  }

  @Test
  void whatPrunesButStaysWithSparkIsStillSaid() {
    Predicate all = V2.call(">", V2.column("day"), V2.literal(-1, DataTypes.DateType));
    TallyScanBuilder builder = builder("fn.gt");
    assertEquals(1, builder.pushPredicates(new Predicate[] {all}).length);
    assertTrue(readable(builder).contains("Partitions: 2 of 2"), readable(builder));
    assertTrue(readable(builder).contains(LACKS + "fn.gt"), readable(builder));
  }

  @Test
  void anOffsetNeedsItsFeature() {
    TallyScanBuilder builder = builder("scan.offset");
    assertFalse(builder.pushOffset(1));
    assertTrue(readable(builder).contains("OFFSET 1: " + LACKS + "scan.offset"));
    TallyScanBuilder late = builder("scan.offset");
    late.pushPredicates(new Predicate[] {LATE});
    assertTrue(late.pushOffset(1));
  }

  @Test
  void partitionsOfANodeWithoutRangesAreNotSplit() throws Exception {
    TallyScanBuilder builder = builder("scan.row_range");
    builder.pruneColumns(StructType.fromDDL("i INT"));
    for (InputPartition partition : builder.build().toBatch().planInputPartitions()) {
      Open open = Builders.open(assertInstanceOf(NodeScan.class, partition));
      assertFalse(open.getPartitionsList().stream().anyMatch(ScanPartition::hasRange));
    }
  }

  /** It is a hint: the other node does, and whichever it is, the rows are the same. */
  @Test
  void compressionIsAskedOfAllThoughOneCannot() throws Exception {
    ReadSettings settings =
        new ReadSettings(ScanOptions.defaults(), 1_000_000, true, true, BodyCodec.LZ4);
    TallyScanBuilder builder = builder("body.lz4", settings);
    String plan = readable(builder);
    assertTrue(plan.contains("Compression: lz4"), plan);
    assertTrue(plan.contains("NotPushed: [compression: " + LACKS + "body.lz4]"), plan);
    for (InputPartition partition : builder.build().toBatch().planInputPartitions()) {
      Open open = Builders.open(assertInstanceOf(NodeScan.class, partition));
      assertEquals("lz4", open.getBodyCodec());
    }
    assertFalse(readable(builder("body.zstd", settings)).contains("lacks"));
  }

  private static Open firstOpen(TallyScanBuilder builder) throws Exception {
    InputPartition first = builder.build().toBatch().planInputPartitions()[0];
    return Builders.open(assertInstanceOf(NodeScan.class, first));
  }

  @Test
  void nestedColumnsAreSentWholeAndPartitionIdsNotAtAll() throws Exception {
    StructType wanted = StructType.fromDDL("pair STRUCT<a: INT>");
    TallyScanBuilder inParts = builder("type.time");
    inParts.pruneColumns(wanted);
    assertEquals(1, firstOpen(inParts).getProjectionCount());
    assertFalse(inParts.build().description().contains("lacks"));
    TallyScanBuilder whole = builder("scan.nested_projection");
    whole.pruneColumns(wanted);
    assertEquals(0, firstOpen(whole).getProjectionCount());
    String plan = whole.build().description();
    assertTrue(plan.contains("fields of columns: " + LACKS + "scan.nested_projection"), plan);

    TallyScanBuilder ids = builder("scan.partition_column");
    ids.pruneColumns(new StructType().add(RowOrigin.PARTITION.field()));
    TallyException error = assertThrows(TallyException.class, ids::build);
    assertEquals(ErrorCode.UNSUPPORTED_FEATURE, error.code());
    assertTrue(error.getMessage().contains(LACKS + "scan.partition_column"), error::getMessage);
  }
}
