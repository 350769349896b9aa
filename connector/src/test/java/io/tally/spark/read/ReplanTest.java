package io.tally.spark.read;

import static org.junit.jupiter.api.Assertions.assertEquals;
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
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.atomic.AtomicReference;
import org.apache.spark.sql.connector.expressions.Expression;
import org.apache.spark.sql.connector.expressions.aggregate.AggregateFunc;
import org.apache.spark.sql.connector.expressions.aggregate.Aggregation;
import org.apache.spark.sql.connector.expressions.aggregate.Count;
import org.apache.spark.sql.connector.expressions.aggregate.CountStar;
import org.apache.spark.sql.connector.expressions.filter.Predicate;
import org.apache.spark.sql.connector.read.InputPartition;
import org.apache.spark.sql.types.DataTypes;
import org.apache.spark.sql.types.StructType;
import org.junit.jupiter.api.Test;

/** A table that changes on the nodes between the plan of a scan and its tasks. */
final class ReplanTest {
  private static final ReadSettings SETTINGS =
      new ReadSettings(ScanOptions.defaults(), 1_000_000, true, true, BodyCodec.NONE);
  private static final Predicate LATE =
      V2.call(">", V2.column("day"), V2.literal(50, DataTypes.DateType));

  private static final Node A = node("a", "v1", SampleTable.allFeatures());
  private static final Node B = node("b", "v1", SampleTable.allFeatures());
  private static final OwnedPartition EARLY = owned("early", 0, 30, A);
  private static final OwnedPartition LATE_ON_B = owned("late", 31, 60, B);

  private final AtomicReference<TableView> now = new AtomicReference<>(table(EARLY, LATE_ON_B));

  private static Node node(String id, String layoutVersion, Set<String> features) {
    return new Node(
        new NodeAddress(id + ".example", 7071),
        id,
        layoutVersion,
        features,
        SampleTable.MAX_EXPRESSION_NODES);
  }

  private static OwnedPartition owned(String id, int firstDay, int lastDay, Node... owners) {
    Partition partition =
        Partitions.of(id, 1_000)
            .setFingerprint("content of " + id)
            .addBounds(Partitions.between("day", DataTypes.DateType, firstDay, lastDay))
            .build();
    return new OwnedPartition(partition, List.of(owners));
  }

  private static TableView table(OwnedPartition... partitions) {
    Set<Node> nodes = new HashSet<>();
    Arrays.stream(partitions).forEach(owned -> nodes.addAll(owned.owners()));
    return new TableView(
        new ClusterView(
            "sample", SampleTable.ARROW, List.of(), List.copyOf(nodes), Arrays.asList(partitions)),
        SampleTable.SCHEMA);
  }

  private TallyScanBuilder builder() {
    return new TallyScanBuilder(now.get(), now::get, SETTINGS, SampleTable.SESSION);
  }

  private static TallyScan scan(TallyScanBuilder builder) {
    return assertInstanceOf(TallyScan.class, builder.build());
  }

  private static TallyScan rows(TallyScanBuilder builder) {
    builder.pruneColumns(new StructType().add("i", DataTypes.IntegerType));
    return scan(builder);
  }

  /** What each task asks: the node, the version, the partitions. */
  private static Set<String> tasks(TallyScan scan) throws Exception {
    Set<String> texts = new TreeSet<>();
    for (InputPartition partition : scan.toBatch().planInputPartitions()) {
      NodeScan task = assertInstanceOf(NodeScan.class, partition);
      Open open = Builders.open(task);
      List<String> ids = open.getPartitionsList().stream().map(ScanPartition::getId).toList();
      List<String> others =
          task.owners().subList(1, task.owners().size()).stream()
              .map(owner -> owner.nodeId() + " " + owner.holds())
              .toList();
      texts.add(task.nodeId() + " " + open.getLayoutVersion() + " " + ids + " else " + others);
    }
    return texts;
  }

  private static Aggregation aggregation(List<AggregateFunc> functions, Expression... keys) {
    return new Aggregation(functions.toArray(new AggregateFunc[0]), keys);
  }

  private static void assertChanged(TallyScan scan) {
    TallyException e =
        assertThrows(TallyException.class, () -> scan.toBatch().planInputPartitions());
    assertEquals(ErrorCode.LAYOUT_CHANGED, e.code());
    assertTrue(e.getMessage().contains("\"sample\""), e::getMessage);
  }

  @Test
  void whatHasNotChangedStaysAsItWasPlanned() throws Exception {
    TallyScan scan = rows(builder());
    now.set(table(EARLY, LATE_ON_B));
    assertEquals(Set.of("a v1 [early] else []", "b v1 [late] else []"), tasks(scan));
  }

  @Test
  void streamsFollowAPartitionThatHasMoved() throws Exception {
    TallyScanBuilder builder = builder();
    TallyScan scan = rows(builder);
    Node aNow = node("a", "v2", SampleTable.allFeatures());
    now.set(table(owned("early", 0, 30, aNow), owned("late", 31, 60, aNow)));
    assertEquals(Set.of("a v2 [early, late] else []"), tasks(scan));
    assertTrue(scan.description().contains("Streams: 1"), scan::description);
    assertEquals(scan, rows(builder), "what was pushed is the same");
  }

  @Test
  void partitionsArePrunedAgain() throws Exception {
    TallyScanBuilder builder = builder();
    assertEquals(0, builder.pushPredicates(new Predicate[] {LATE}).length);
    TallyScan scan = rows(builder);
    Node bNow = node("b", "v2", SampleTable.allFeatures());
    now.set(
        table(
            EARLY,
            owned("june", 31, 45, bNow),
            owned("july", 46, 60, bNow),
            owned("august", 61, 90, A)));
    assertEquals(Set.of("a v1 [august] else []", "b v2 [july] else []"), tasks(scan));
    Predicate[] august = {V2.call("IN", V2.column("day"), V2.literal(70, DataTypes.DateType))};
    scan.filter(august);
    assertEquals(
        Set.of("a v1 [august] else []"), tasks(scan), "what joins find is asked of the new plan");
  }

  @Test
  void aScanIsPlannedAnewOnce() throws Exception {
    TallyScan scan = rows(builder());
    Set<String> first = tasks(scan);
    now.set(table(owned("all", 0, 60, B)));
    assertEquals(first, tasks(scan), "something may have been read by now");
  }

  @Test
  void groupsThatWereCompleteAndAreNoMoreFailByName() {
    now.set(table(LATE_ON_B));
    TallyScanBuilder builder = builder();
    Aggregation distinct = aggregation(List.of(new Count(V2.column("i"), true)), V2.column("s"));
    assertTrue(builder.supportCompletePushDown(distinct));
    assertTrue(builder.pushAggregation(distinct));
    TallyScan scan = scan(builder);
    now.set(table(EARLY, LATE_ON_B));
    assertChanged(scan);
  }

  @Test
  void partialGroupsArePlannedAnew() throws Exception {
    TallyScanBuilder builder = builder();
    Aggregation counts = aggregation(List.of(new CountStar()), V2.column("s"));
    assertEquals(false, builder.supportCompletePushDown(counts));
    assertTrue(builder.pushAggregation(counts));
    TallyScan scan = scan(builder);
    now.set(table(EARLY, LATE_ON_B, owned("latest", 61, 90, A)));
    assertEquals(Set.of("a v1 [early, latest] else []", "b v1 [late] else []"), tasks(scan));
  }

  @Test
  void aLimitThatLeftOutNothingAndNowWouldFailsByName() {
    TallyScanBuilder builder = builder();
    assertTrue(builder.pushLimit(2_000));
    TallyScan scan = rows(builder);
    now.set(table(EARLY, LATE_ON_B, owned("latest", 61, 90, A)));
    assertChanged(scan);
  }

  @Test
  void aReplicaThatCannotDoWhatWasPushedIsNoHindrance() throws Exception {
    TallyScanBuilder builder = builder();
    assertEquals(0, builder.pushPredicates(new Predicate[] {LATE}).length);
    TallyScan scan = rows(builder);
    Set<String> lacking = new HashSet<>(SampleTable.allFeatures());
    assertTrue(lacking.remove("fn.gt"));
    now.set(table(EARLY, owned("late", 31, 60, B, node("old", "v1", lacking))));
    assertEquals(Set.of("b v1 [late] else []"), tasks(scan), "it is not asked");
    TallyScan other = rows(builder);
    now.set(table(EARLY, owned("late", 31, 60, node("old", "v1", lacking))));
    assertChanged(other);
  }

  @Test
  void everyOwnerIsNamedToTheTask() throws Exception {
    List<OwnedPartition> partitions = new ArrayList<>();
    partitions.add(owned("p1", 0, 10, A, B));
    partitions.add(owned("p2", 0, 10, A));
    now.set(table(partitions.toArray(new OwnedPartition[0])));
    TallyScanBuilder builder = builder();
    Aggregation distinct = aggregation(List.of(new Count(V2.column("i"), true)));
    assertTrue(builder.supportCompletePushDown(distinct));
    assertTrue(builder.pushAggregation(distinct));
    TallyScan scan = scan(builder);
    assertEquals(Set.of("a v1 [p1, p2] else [b {0}]"), tasks(scan));
    assertTrue(scan.description().contains("(complete)"), scan::description);
  }
}
