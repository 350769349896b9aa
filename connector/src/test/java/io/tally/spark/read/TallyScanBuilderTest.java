package io.tally.spark.read;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.tally.rpc.TallyException;
import io.tally.rpc.client.ClusterView;
import io.tally.rpc.client.ClusterView.Node;
import io.tally.rpc.client.ClusterView.OwnedPartition;
import io.tally.rpc.client.NodeAddress;
import io.tally.rpc.client.ScanOptions;
import io.tally.rpc.v1.Open;
import io.tally.rpc.v1.Partition;
import io.tally.spark.pushdown.Partitions;
import io.tally.spark.pushdown.SampleTable;
import io.tally.spark.pushdown.V2;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.ObjectInputStream;
import java.io.ObjectOutputStream;
import java.util.List;
import java.util.Optional;
import org.apache.spark.sql.connector.expressions.Expression;
import org.apache.spark.sql.connector.expressions.aggregate.AggregateFunc;
import org.apache.spark.sql.connector.expressions.aggregate.Aggregation;
import org.apache.spark.sql.connector.expressions.aggregate.Avg;
import org.apache.spark.sql.connector.expressions.aggregate.Count;
import org.apache.spark.sql.connector.expressions.aggregate.CountStar;
import org.apache.spark.sql.connector.expressions.aggregate.Sum;
import org.apache.spark.sql.connector.expressions.filter.Predicate;
import org.apache.spark.sql.connector.read.InputPartition;
import org.apache.spark.sql.connector.read.PartitionReader;
import org.apache.spark.sql.connector.read.PartitionReaderFactory;
import org.apache.spark.sql.connector.read.Scan;
import org.apache.spark.sql.types.DataTypes;
import org.apache.spark.sql.types.StructType;
import org.apache.spark.sql.vectorized.ColumnarBatch;
import org.junit.jupiter.api.Test;

final class TallyScanBuilderTest {
  private static final Node A = node("a");
  private static final Node B = node("b");
  private static final ReadSettings SETTINGS =
      new ReadSettings(ScanOptions.defaults(), 1_000_000, true);
  private static final Predicate LATE =
      V2.call(">", V2.column("day"), V2.literal(50, DataTypes.DateType));
  private static final Predicate UPPER =
      V2.call("=", V2.call("UPPER", V2.column("s")), V2.string("A"));

  private static Node node(String id) {
    return new Node(
        new NodeAddress(id + ".example", 7071), id, "layout-" + id, SampleTable.allFeatures());
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
    return new TallyScanBuilder(view, SampleTable.SCHEMA, settings, Optional.of(SampleTable.RULES));
  }

  private static TallyScanBuilder builder() {
    return builder(SETTINGS);
  }

  private static Aggregation aggregation(List<AggregateFunc> functions, Expression... keys) {
    return new Aggregation(functions.toArray(new AggregateFunc[0]), keys);
  }

  private static Open open(InputPartition partition) throws Exception {
    return Open.parseFrom(assertInstanceOf(NodeScan.class, partition).open());
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
            + " NotPushed: [UPPER(s) = 'A': Java maps letters of all alphabets, one to many and"
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
    TallyScanBuilder builder = builder(new ReadSettings(ScanOptions.defaults(), 1_000_000, false));
    assertArrayEquals(new Predicate[] {LATE}, builder.pushPredicates(new Predicate[] {LATE}));
    assertFalse(builder.pushAggregation(aggregation(List.of(new CountStar()))));
    builder.pruneColumns(new StructType());
    String description = builder.build().description();
    assertTrue(description.contains("PushedPredicates: [], Partitions: 1 of 2"), description);
    assertTrue(description.contains("the option push-down is false"), description);
  }

  @Test
  void aColumnThatCannotBeReadFailsWhilePlanning() {
    TallyScanBuilder builder = builder();
    builder.pruneColumns(StructType.fromDDL("bits STRING"));
    assertTrue(
        assertThrows(TallyException.class, builder::build).getMessage().contains("\"bits\""));
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
