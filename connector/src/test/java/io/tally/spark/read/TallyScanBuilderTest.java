package io.tally.spark.read;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.tally.rpc.BodyCodec;
import io.tally.rpc.Features;
import io.tally.rpc.TallyException;
import io.tally.rpc.client.ClusterView;
import io.tally.rpc.client.ClusterView.Node;
import io.tally.rpc.client.ClusterView.OwnedPartition;
import io.tally.rpc.client.NodeAddress;
import io.tally.rpc.client.ScanOptions;
import io.tally.rpc.v1.ColumnBounds;
import io.tally.rpc.v1.DataType;
import io.tally.rpc.v1.Literal;
import io.tally.rpc.v1.LiteralList;
import io.tally.rpc.v1.Open;
import io.tally.rpc.v1.Partition;
import io.tally.rpc.v1.Sample;
import io.tally.spark.pushdown.Partitions;
import io.tally.spark.pushdown.SampleTable;
import io.tally.spark.pushdown.V2;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.ObjectInputStream;
import java.io.ObjectOutputStream;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.stream.Collectors;
import org.apache.spark.sql.connector.expressions.Expression;
import org.apache.spark.sql.connector.expressions.Expressions;
import org.apache.spark.sql.connector.expressions.SortDirection;
import org.apache.spark.sql.connector.expressions.SortOrder;
import org.apache.spark.sql.connector.expressions.aggregate.AggregateFunc;
import org.apache.spark.sql.connector.expressions.aggregate.Aggregation;
import org.apache.spark.sql.connector.expressions.aggregate.Avg;
import org.apache.spark.sql.connector.expressions.aggregate.Count;
import org.apache.spark.sql.connector.expressions.aggregate.CountStar;
import org.apache.spark.sql.connector.expressions.aggregate.Sum;
import org.apache.spark.sql.connector.expressions.filter.Predicate;
import org.apache.spark.sql.connector.read.HasPartitionKey;
import org.apache.spark.sql.connector.read.InputPartition;
import org.apache.spark.sql.connector.read.PartitionReader;
import org.apache.spark.sql.connector.read.PartitionReaderFactory;
import org.apache.spark.sql.connector.read.SampleMethod;
import org.apache.spark.sql.connector.read.Scan;
import org.apache.spark.sql.connector.read.Statistics;
import org.apache.spark.sql.connector.read.colstats.ColumnStatistics;
import org.apache.spark.sql.connector.read.partitioning.KeyGroupedPartitioning;
import org.apache.spark.sql.connector.read.partitioning.UnknownPartitioning;
import org.apache.spark.sql.types.DataTypes;
import org.apache.spark.sql.types.StructType;
import org.apache.spark.sql.vectorized.ColumnarBatch;
import org.junit.jupiter.api.Test;

final class TallyScanBuilderTest {
  private static final Node A = node("a");
  private static final Node B = node("b");
  private static final ReadSettings SETTINGS =
      new ReadSettings(ScanOptions.defaults(), 1_000_000, true, true, BodyCodec.NONE);
  private static final Predicate LATE =
      V2.call(">", V2.column("day"), V2.literal(50, DataTypes.DateType));
  private static final Predicate UPPER =
      V2.call("=", V2.call("UPPER", V2.column("s")), V2.string("A"));

  private static Node node(String id) {
    return new Node(
        new NodeAddress(id + ".example", 7071),
        id,
        "layout-" + id,
        SampleTable.allFeatures(),
        SampleTable.MAX_EXPRESSION_NODES);
  }

  private static TallyScanBuilder builder(ReadSettings settings) {
    Partition p1 =
        Partitions.of("p1", 1000)
            .addBounds(Partitions.between("day", DataTypes.DateType, 0, 30))
            .build();
    Partition p2 =
        Partitions.of("p2", 2_500_000)
            .addBounds(Partitions.between("day", DataTypes.DateType, 31, 60))
            .build();
    ClusterView view =
        new ClusterView(
            "sample",
            SampleTable.ARROW,
            List.of(),
            List.of(A, B),
            List.of(new OwnedPartition(p1, List.of(A)), new OwnedPartition(p2, List.of(B))));
    return Builders.of(view, SampleTable.SCHEMA, settings, SampleTable.SESSION);
  }

  private static TallyScanBuilder builder() {
    return builder(SETTINGS);
  }

  private static Aggregation aggregation(List<AggregateFunc> functions, Expression... keys) {
    return new Aggregation(functions.toArray(new AggregateFunc[0]), keys);
  }

  private static Open open(InputPartition partition) throws Exception {
    return Builders.open(assertInstanceOf(NodeScan.class, partition));
  }

  @Test
  void sparkKeepsExactlyWhatWasRefused() throws Exception {
    TallyScanBuilder builder = builder();
    assertArrayEquals(
        new Predicate[] {UPPER}, builder.pushPredicates(new Predicate[] {UPPER, LATE}));
    assertArrayEquals(new Predicate[] {LATE}, builder.pushedPredicates());
    builder.pruneColumns(StructType.fromDDL("s STRING, i INT"));
    Scan scan = builder.build();
    assertEquals("struct<s:string,i:int>", scan.readSchema().catalogString());
    assertEquals(
        "tally sample PushedPredicates: [day > DATE '1970-02-20'], Partitions: 1 of 2, Streams: 3,"
            + " NotPushed: [UPPER(s) = 'A': Spark maps letters of all alphabets, one to many and"
            + " by context; the node's engine one to one]",
        scan.description());
    InputPartition[] partitions = scan.toBatch().planInputPartitions();
    assertEquals(3, partitions.length);
    Open open = open(partitions[0]);
    assertEquals("layout-b", open.getLayoutVersion());
    assertEquals(List.of("s", "i"), open.getColumnsList());
    assertEquals("gt", open.getPredicate().getCall().getFunction());
    assertEquals("", open.getScanId());
    assertArrayEquals(new String[] {"b.example"}, partitions[0].preferredLocations());
  }

  @Test
  void scansAreKeptWhereTheNodeCanKeepThem() throws Exception {
    Set<String> features = new HashSet<>(SampleTable.allFeatures());
    features.add(Features.RESUME);
    Node keeping =
        new Node(B.address(), B.nodeId(), B.layoutVersion(), features, B.maxExpressionNodes());
    ClusterView view =
        new ClusterView(
            "sample",
            SampleTable.ARROW,
            List.of(),
            List.of(A, keeping),
            List.of(
                new OwnedPartition(Partitions.of("p1", 1).build(), List.of(A)),
                new OwnedPartition(Partitions.of("p2", 1).build(), List.of(keeping))));
    TallyScanBuilder builder = Builders.of(view, SampleTable.SCHEMA, SETTINGS, SampleTable.SESSION);
    builder.pruneColumns(new StructType().add("s", DataTypes.StringType));
    for (InputPartition partition : builder.build().toBatch().planInputPartitions()) {
      Open open = open(partition);
      assertEquals(open.getLayoutVersion().equals("layout-b"), open.hasResumeAfter());
      assertEquals(0, open.getResumeAfter());
    }
  }

  @Test
  void askingForACompletePushDownChangesNothing() {
    Aggregation average = aggregation(List.of(new Avg(V2.column("i"), false)), V2.column("s"));
    Aggregation rewritten =
        aggregation(
            List.of(new Sum(V2.column("i"), false), new Count(V2.column("i"), false)),
            V2.column("s"));
    TallyScanBuilder builder = builder();
    assertFalse(builder.supportCompletePushDown(average));
    assertFalse(builder.supportCompletePushDown(rewritten));
    assertEquals(
        SampleTable.SCHEMA.sparkSchema().size() - 1, readable(builder).readSchema().size());
    assertTrue(builder.pushAggregation(rewritten));
    assertEquals(
        "tally sample PushedPredicates: [], PushedAggregates: [SUM(i), COUNT(i)], PushedGroupBy:"
            + " [s] (partial), Partitions: 2 of 2, Streams: 2",
        builder.build().description());
  }

  private static Scan readable(TallyScanBuilder builder) {
    StructType all = SampleTable.SCHEMA.sparkSchema();
    builder.pruneColumns(
        new StructType(
            java.util.Arrays.stream(all.fields())
                .filter(field -> !field.name().equals("bits"))
                .toArray(org.apache.spark.sql.types.StructField[]::new)));
    return builder.build();
  }

  @Test
  void aKeyThatTellsTheNodesApartIsComplete() {
    Aggregation byDay = aggregation(List.of(new CountStar()), V2.column("day"));
    TallyScanBuilder builder = builder();
    assertTrue(builder.supportCompletePushDown(byDay));
    assertTrue(builder.pushAggregation(byDay));
    assertTrue(builder.build().description().contains("(complete)"));
  }

  private static SortOrder by(Expression expression, SortDirection direction) {
    return Expressions.sort(expression, direction);
  }

  private static TallyScanBuilder ofNodeB() {
    TallyScanBuilder builder = builder();
    builder.pushPredicates(new Predicate[] {LATE});
    return builder;
  }

  private static Open firstOpen(TallyScanBuilder builder) throws Exception {
    builder.pruneColumns(StructType.fromDDL("i INT"));
    return open(builder.build().toBatch().planInputPartitions()[0]);
  }

  @Test
  void aLimitGoesToEveryStreamAndSparkLimitsAgain() throws Exception {
    TallyScanBuilder builder = builder();
    assertTrue(builder.pushLimit(10));
    assertTrue(builder.isPartiallyPushed());
    assertFalse(builder.pushOffset(3));
    builder.pruneColumns(StructType.fromDDL("i INT"));
    Scan scan = builder.build();
    assertEquals(
        "tally sample PushedPredicates: [], PushedLimit: 10 (partial), Partitions: 2 of 2,"
            + " Streams: 2, NotPushed: [OFFSET 3: only one stream alone knows which rows come"
            + " before]",
        scan.description());
    for (InputPartition partition : scan.toBatch().planInputPartitions()) {
      assertEquals(10, open(partition).getLimit());
      assertEquals(0, open(partition).getOffset());
    }
    assertEquals(
        20, assertInstanceOf(TallyScan.class, scan).estimateStatistics().numRows().getAsLong());
  }

  @Test
  void oneStreamLimitsForAll() throws Exception {
    TallyScanBuilder builder = ofNodeB();
    assertTrue(builder.pushLimit(10));
    assertFalse(builder.isPartiallyPushed());
    // As Spark offers LIMIT 10 OFFSET 3: the limit counts what the offset leaves out.
    assertTrue(builder.pushOffset(3));
    Open open = firstOpen(builder);
    assertEquals(7, open.getLimit());
    assertEquals(3, open.getOffset());
    assertTrue(
        builder.build().description().contains("PushedLimit: 7 (complete), PushedOffset: 3"));
  }

  @Test
  void anOffsetAloneNeedsOneStream() {
    TallyScanBuilder large = ofNodeB();
    assertFalse(large.pushOffset(3), "2.5 million rows are read in three streams");
    TallyScanBuilder small = builder();
    small.pushPredicates(
        new Predicate[] {V2.call("<", V2.column("day"), V2.literal(9, DataTypes.DateType))});
    assertTrue(small.pushOffset(3));
  }

  @Test
  void aLimitThatLeavesOutNothingIsNobodysWork() throws Exception {
    TallyScanBuilder builder = builder();
    assertTrue(builder.pushLimit(1_000_000_000));
    assertFalse(builder.isPartiallyPushed());
    assertFalse(firstOpen(builder).hasLimit());
    assertEquals(4, builder.build().toBatch().planInputPartitions().length);
    assertFalse(builder.pushOffset(1));
  }

  @Test
  void aLargeLimitLeavesRowsInManyStreams() throws Exception {
    TallyScanBuilder builder = builder();
    assertTrue(builder.pushLimit(2_000_000));
    assertTrue(builder.isPartiallyPushed());
    assertEquals(2_000_000, firstOpen(builder).getLimit());
    assertEquals(4, builder.build().toBatch().planInputPartitions().length);
  }

  @Test
  void theFirstRowsOfAnOrderComeFromEveryStream() throws Exception {
    TallyScanBuilder builder = builder();
    SortOrder[] orders = {
      by(V2.column("s"), SortDirection.DESCENDING), by(V2.column("i"), SortDirection.ASCENDING)
    };
    assertTrue(builder.pushTopN(orders, 5));
    assertTrue(builder.isPartiallyPushed());
    Open open = firstOpen(builder);
    assertEquals(5, open.getLimit());
    assertEquals("s", open.getOrderBy(0).getExpression().getColumn());
    assertTrue(open.getOrderBy(0).getDescending());
    assertTrue(open.getOrderBy(0).getNullsLast());
    assertFalse(open.getOrderBy(1).getDescending());
    assertFalse(open.getOrderBy(1).getNullsLast());
    assertTrue(
        builder
            .build()
            .description()
            .contains("PushedOrder: [s DESC NULLS LAST, i ASC NULLS FIRST], PushedLimit: 5 (part"),
        builder.build()::description);
  }

  @Test
  void whatNodesCannotSortBySparkSorts() throws Exception {
    TallyScanBuilder builder = builder();
    SortOrder[] orders = {by(V2.call("UPPER", V2.column("s")), SortDirection.ASCENDING)};
    assertFalse(builder.pushTopN(orders, 5));
    assertFalse(firstOpen(builder).hasLimit());
    assertTrue(
        builder
            .build()
            .description()
            .contains("NotPushed: [ORDER BY … LIMIT 5: Spark maps letters"),
        builder.build()::description);
    assertFalse(
        builder.pushTopN(new SortOrder[] {by(V2.column("i"), SortDirection.ASCENDING)}, 1_000_001));
  }

  @Test
  void groupsAreSortedAndCutOnlyWhereTheyAreComplete() throws Exception {
    Aggregation byDay =
        aggregation(List.of(new CountStar(), new Sum(V2.column("i"), false)), V2.column("day"));
    SortOrder[] orders = {
      by(new Sum(V2.column("i"), false), SortDirection.DESCENDING),
      by(V2.column("day"), SortDirection.ASCENDING)
    };
    TallyScanBuilder builder = ofNodeB();
    assertTrue(builder.pushAggregation(byDay));
    assertTrue(builder.pushTopN(orders, 3));
    assertFalse(builder.isPartiallyPushed());
    assertTrue(builder.pushOffset(1));
    Open open = open(builder.build().toBatch().planInputPartitions()[0]);
    assertEquals(2, open.getOrderBy(0).getOutput());
    assertEquals(0, open.getOrderBy(1).getOutput());
    assertEquals(2, open.getLimit());

    assertFalse(
        builder.pushTopN(
            new SortOrder[] {by(new Sum(V2.column("l"), false), SortDirection.ASCENDING)}, 3));

    TallyScanBuilder partial = builder();
    assertTrue(partial.pushAggregation(aggregation(List.of(new CountStar()), V2.column("s"))));
    assertFalse(partial.pushLimit(3));
    assertFalse(partial.pushOffset(3));
    assertTrue(
        partial.build().description().contains("LIMIT 3: Spark has yet to add up the groups"),
        partial.build()::description);
  }

  @Test
  void aSampleGoesToEveryStream() throws Exception {
    TallyScanBuilder builder = builder();
    assertTrue(builder.pushTableSample(0, 0.1, false, 42, SampleMethod.BERNOULLI));
    builder.pruneColumns(StructType.fromDDL("i INT"));
    Scan scan = builder.build();
    assertTrue(
        scan.description().startsWith("tally sample PushedSample: [0.0, 0.1) seed 42, Pushed"),
        scan::description);
    for (InputPartition partition : scan.toBatch().planInputPartitions()) {
      assertEquals(
          Sample.newBuilder().setUpper(0.1).setSeed(42).build(), open(partition).getSample());
    }
    TallyScanBuilder other = builder();
    other.pushTableSample(0, 0.1, false, 43, SampleMethod.BERNOULLI);
    other.pruneColumns(StructType.fromDDL("i INT"));
    assertNotEquals(scan, other.build());
  }

  @Test
  void otherSamplesAreSparks() throws Exception {
    TallyScanBuilder builder = builder();
    assertFalse(builder.pushTableSample(0, 0.1, true, 42, SampleMethod.BERNOULLI));
    assertFalse(builder.pushTableSample(0, 0.1, false, 42, SampleMethod.SYSTEM));
    assertFalse(firstOpen(builder).hasSample());
    assertTrue(builder.build().description().contains("TABLESAMPLE: nodes do not sample with"));
  }

  private static Predicate in(String column, Expression... candidates) {
    Expression[] operands = new Expression[candidates.length + 1];
    operands[0] = V2.column(column);
    System.arraycopy(candidates, 0, operands, 1, candidates.length);
    return V2.call("IN", operands);
  }

  private static Set<String> attributes(Scan scan) {
    return Arrays.stream(assertInstanceOf(TallyScan.class, scan).filterAttributes())
        .map(reference -> reference.fieldNames()[0])
        .collect(Collectors.toSet());
  }

  @Test
  void runtimeFiltersHoldForTheNextBatchAlone() throws Exception {
    TallyScanBuilder builder = builder();
    builder.pruneColumns(StructType.fromDDL("i INT, day DATE, list ARRAY<INT>"));
    TallyScan scan = assertInstanceOf(TallyScan.class, builder.build());
    assertEquals(Set.of("i", "day"), attributes(scan));
    InputPartition[] all = scan.toBatch().planInputPartitions();

    scan.filter(new Predicate[] {in("day", V2.literal(7, DataTypes.DateType))});
    InputPartition[] left = scan.toBatch().planInputPartitions();
    assertEquals(1, left.length);
    assertEquals("in", open(left[0]).getPredicate().getCall().getFunction());
    assertEquals("p1", open(left[0]).getPartitions(0).getId());
    assertArrayEquals(all, scan.toBatch().planInputPartitions());

    scan.filter(new Predicate[] {in("day")});
    assertEquals(0, scan.toBatch().planInputPartitions().length);

    // What nodes do not evaluate is not used.
    scan.filter(new Predicate[] {UPPER});
    assertArrayEquals(all, scan.toBatch().planInputPartitions());
  }

  @Test
  void groupsAreFilteredByTheirKeysAlone() throws Exception {
    TallyScanBuilder builder = builder();
    builder.pushAggregation(
        aggregation(List.of(new CountStar(), new Sum(V2.column("i"), false)), V2.column("s")));
    TallyScan scan = assertInstanceOf(TallyScan.class, builder.build());
    assertEquals(Set.of("s"), attributes(scan));
    scan.filter(new Predicate[] {in("s", V2.string("x"), V2.string("y"))});
    for (InputPartition partition : scan.toBatch().planInputPartitions()) {
      assertEquals(3, open(partition).getPredicate().getCall().getArgumentsCount());
    }
    assertEquals(Set.of(), attributes(counted(LATE)));
  }

  @Test
  void rowsThatWereSelectedAreNotFilteredAfterwards() {
    TallyScanBuilder limited = builder();
    limited.pushLimit(5);
    limited.pruneColumns(StructType.fromDDL("i INT"));
    assertEquals(Set.of(), attributes(limited.build()));
    TallyScanBuilder sampled = builder();
    sampled.pushTableSample(0, 0.5, false, 1, SampleMethod.BERNOULLI);
    sampled.pruneColumns(StructType.fromDDL("i INT"));
    assertEquals(Set.of("i"), attributes(sampled.build()));
  }

  private static OwnedPartition keyed(String id, Node owner, int... values) {
    LiteralList.Builder items = LiteralList.newBuilder();
    for (int value : values) {
      items.addItems(
          Literal.newBuilder()
              .setType(DataType.newBuilder().setKind(DataType.Kind.INTEGER))
              .setInteger(value));
    }
    Partition partition =
        Partitions.of(id, 100)
            .addBounds(ColumnBounds.newBuilder().setColumn("i").setValues(items))
            .addPartitioningColumns("i")
            .build();
    return new OwnedPartition(partition, List.of(owner));
  }

  private static TallyScan keyedScan(String columns, OwnedPartition... partitions) {
    ClusterView view =
        new ClusterView("sample", SampleTable.ARROW, List.of(), List.of(A, B), List.of(partitions));
    TallyScanBuilder builder = Builders.of(view, SampleTable.SCHEMA, SETTINGS, SampleTable.SESSION);
    builder.pruneColumns(StructType.fromDDL(columns));
    return assertInstanceOf(TallyScan.class, builder.build());
  }

  @Test
  void streamsOfOneKeyAreReportedAsSuch() throws Exception {
    TallyScan scan =
        keyedScan("i INT, s STRING", keyed("p1", A, 1), keyed("p2", A, 2), keyed("p3", B, 1));
    KeyGroupedPartitioning partitioning =
        assertInstanceOf(KeyGroupedPartitioning.class, scan.outputPartitioning());
    assertEquals("i", partitioning.keys()[0].describe());
    InputPartition[] tasks = copy(scan.toBatch().planInputPartitions());
    assertEquals(3, partitioning.numPartitions());
    assertEquals(
        List.of(1, 1, 2),
        Arrays.stream(tasks)
            .map(task -> ((HasPartitionKey) task).partitionKey().getInt(0))
            .sorted()
            .toList());
    // What is left of them stays keyed.
    scan.filter(new Predicate[] {in("i", V2.integer(2))});
    InputPartition[] left = scan.toBatch().planInputPartitions();
    assertEquals(1, left.length);
    assertInstanceOf(HasPartitionKey.class, left[0]);
  }

  @Test
  void nothingIsPromisedThatIsNotProved() {
    for (TallyScan scan :
        List.of(
            keyedScan("i INT", keyed("p1", A, 1), keyed("p2", A, 2, 3)),
            keyedScan("s STRING", keyed("p1", A, 1), keyed("p2", A, 2)))) {
      assertInstanceOf(UnknownPartitioning.class, scan.outputPartitioning());
      assertEquals(1, scan.toBatch().planInputPartitions().length);
    }
  }

  @Test
  void whereRowsCameFromIsAColumnLikeOthers() throws Exception {
    TallyScanBuilder builder = builder();
    builder.pruneColumns(StructType.fromDDL("_node STRING, s STRING, _partition STRING, i INT"));
    TallyScan scan = assertInstanceOf(TallyScan.class, builder.build());
    assertEquals(
        "struct<_node:string,s:string,_partition:string,i:int>", scan.readSchema().catalogString());
    Open open = open(scan.toBatch().planInputPartitions()[0]);
    assertEquals(List.of("s", "i"), open.getColumnsList());
    assertEquals("_partition", open.getPartitionColumn());
    assertArrayEquals(
        new int[] {RowColumns.NOT_SENT, 0, 2, 1},
        RowColumns.of(
                SampleTable.SCHEMA,
                StructType.fromDDL("_node STRING, s STRING, _partition STRING, i INT"),
                true)
            .positions());
  }

  @Test
  void selectionsTellScansApart() {
    TallyScanBuilder ten = ofNodeB();
    TallyScanBuilder eleven = ofNodeB();
    TallyScanBuilder behind = ofNodeB();
    TallyScanBuilder sorted = ofNodeB();
    for (TallyScanBuilder builder : List.of(ten, eleven, behind, sorted)) {
      builder.pruneColumns(StructType.fromDDL("i INT"));
    }
    ten.pushLimit(10);
    eleven.pushLimit(11);
    behind.pushLimit(11);
    behind.pushOffset(1);
    sorted.pushTopN(new SortOrder[] {by(V2.column("i"), SortDirection.ASCENDING)}, 10);
    assertEquals(4, Set.of(ten.build(), eleven.build(), behind.build(), sorted.build()).size());
  }

  @Test
  void theReasonOfARefusedAggregationIsShown() {
    TallyScanBuilder builder = builder();
    Aggregation distinct = aggregation(List.of(new Count(V2.column("i"), true)));
    assertFalse(builder.supportCompletePushDown(distinct));
    builder.pruneColumns(StructType.fromDDL("i INT"));
    assertTrue(
        builder.build().description().contains("NotPushed: [COUNT(DISTINCT i): DISTINCT values"),
        builder.build()::description);
  }

  @Test
  void withoutPushDownPartitionsAreStillChosen() {
    TallyScanBuilder builder =
        builder(new ReadSettings(ScanOptions.defaults(), 1_000_000, true, false, BodyCodec.NONE));
    assertArrayEquals(new Predicate[] {LATE}, builder.pushPredicates(new Predicate[] {LATE}));
    assertFalse(builder.pushAggregation(aggregation(List.of(new CountStar()))));
    builder.pruneColumns(new StructType());
    String description = builder.build().description();
    assertTrue(description.contains("PushedPredicates: [], Partitions: 1 of 2"), description);
    assertTrue(description.contains("the option push-down is false"), description);
  }

  @Test
  void nodesAreAskedToCompressWhatTheySend() throws Exception {
    TallyScanBuilder builder =
        builder(new ReadSettings(ScanOptions.defaults(), 1_000_000, true, true, BodyCodec.ZSTD));
    builder.pruneColumns(StructType.fromDDL("i INT"));
    Scan scan = builder.build();
    assertTrue(scan.description().endsWith("Compression: zstd"), scan::description);
    TallyScanBuilder plain = builder();
    plain.pruneColumns(StructType.fromDDL("i INT"));
    assertNotEquals(scan, plain.build());
    for (InputPartition partition : scan.toBatch().planInputPartitions()) {
      assertEquals("zstd", open(partition).getBodyCodec());
    }
    for (InputPartition partition : plain.build().toBatch().planInputPartitions()) {
      assertEquals("", open(partition).getBodyCodec());
    }
  }

  @Test
  void aColumnThatCannotBeReadFailsWhilePlanning() {
    TallyScanBuilder builder = builder();
    builder.pruneColumns(StructType.fromDDL("bits STRING"));
    TallyException error = assertThrows(TallyException.class, builder::build);
    assertTrue(error.getMessage().contains("\"bits\""), error::getMessage);
    assertTrue(error.getMessage().contains("its type is BIT"), error::getMessage);
  }

  @Test
  void equalScansReadTheSame() {
    assertEquals(counted(LATE), counted(LATE));
    assertEquals(counted(LATE).hashCode(), counted(LATE).hashCode());
    assertEquals(counted(LATE).toBatch(), counted(LATE).toBatch());
    assertNotEquals(
        counted(LATE), counted(V2.call(">", V2.column("day"), V2.literal(51, DataTypes.DateType))));
    TallyScanBuilder rows = builder();
    rows.pushPredicates(new Predicate[] {LATE});
    rows.pruneColumns(new StructType());
    assertNotEquals(counted(LATE), rows.build());
    // Why something else was not pushed does not change what is read.
    assertEquals(counted(LATE), counted(LATE, UPPER));
  }

  private static Scan counted(Predicate... predicates) {
    TallyScanBuilder builder = builder();
    builder.pushPredicates(predicates);
    builder.pushAggregation(aggregation(List.of(new CountStar())));
    return builder.build();
  }

  @Test
  void anUngroupedAggregationOverNothingIsOneNeutralRow() throws Exception {
    Predicate never = V2.call(">", V2.column("day"), V2.literal(99, DataTypes.DateType));
    TallyScanBuilder builder = builder();
    builder.pushPredicates(new Predicate[] {never});
    Aggregation both = aggregation(List.of(new CountStar(), new Sum(V2.column("i"), false)));
    assertTrue(builder.supportCompletePushDown(both));
    assertTrue(builder.pushAggregation(both));
    Scan scan = builder.build();
    InputPartition[] partitions = scan.toBatch().planInputPartitions();
    assertEquals(1, partitions.length);
    PartitionReaderFactory factory = copy(scan.toBatch().createReaderFactory());
    try (PartitionReader<ColumnarBatch> reader =
        factory.createColumnarReader(copy(partitions[0]))) {
      assertTrue(reader.next());
      assertEquals(1, reader.get().numRows());
      assertEquals(0, reader.get().column(0).getLong(0));
      assertTrue(reader.get().column(1).isNullAt(0));
      assertFalse(reader.next());
    }
    TallyScanBuilder grouped = builder();
    grouped.pushPredicates(new Predicate[] {never});
    grouped.pushAggregation(aggregation(List.of(new CountStar()), V2.column("s")));
    assertEquals(0, grouped.build().toBatch().planInputPartitions().length);
  }

  @Test
  void tasksTravel() throws Exception {
    Scan scan = counted(LATE);
    InputPartition partition = scan.toBatch().planInputPartitions()[0];
    assertEquals(partition, copy(partition));
    PartitionReaderFactory factory = scan.toBatch().createReaderFactory();
    assertEquals(factory, copy(factory));
  }

  @SuppressWarnings("unchecked") // What comes back is what went in.
  private static <T> T copy(T value) throws Exception {
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    try (ObjectOutputStream out = new ObjectOutputStream(bytes)) {
      out.writeObject(value);
    }
    try (ObjectInputStream in =
        new ObjectInputStream(new ByteArrayInputStream(bytes.toByteArray()))) {
      return (T) in.readObject();
    }
  }

  @Test
  void columnsHaveTheBoundsOfTheirPartitions() {
    TallyScanBuilder builder = builder();
    builder.pruneColumns(StructType.fromDDL("i INT, day DATE"));
    Statistics statistics = assertInstanceOf(TallyScan.class, builder.build()).estimateStatistics();
    ColumnStatistics day = statistics.columnStats().get(V2.column("day"));
    assertEquals(Optional.of(0), day.min());
    assertEquals(Optional.of(60), day.max());
    assertEquals(OptionalLong.empty(), day.distinctCount());
    assertEquals(Set.of(V2.column("day")), statistics.columnStats().keySet());
    ColumnStatistics key =
        keyedScan("i INT", keyed("p1", A, 1), keyed("p2", A, 2, 7), keyed("p3", B, 1))
            .estimateStatistics()
            .columnStats()
            .get(V2.column("i"));
    assertEquals(Optional.of(1), key.min());
    assertEquals(Optional.of(7), key.max());
    assertEquals(OptionalLong.of(3), key.distinctCount());
    assertEquals(OptionalLong.of(0), key.nullCount());
  }

  @Test
  void statisticsAreUpperBounds() {
    TallyScanBuilder rows = builder();
    rows.pruneColumns(StructType.fromDDL("i INT"));
    TallyScan scan = assertInstanceOf(TallyScan.class, rows.build());
    assertEquals(2_501_000, scan.estimateStatistics().numRows().getAsLong());
    assertEquals(2_501_000L * 12, scan.estimateStatistics().sizeInBytes().getAsLong());
    TallyScan count = assertInstanceOf(TallyScan.class, counted(LATE));
    assertEquals(1, count.estimateStatistics().numRows().getAsLong());
  }
}
