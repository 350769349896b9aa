package io.tally.spark.read;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.tally.rpc.client.ClusterView.Node;
import io.tally.rpc.client.ClusterView.OwnedPartition;
import io.tally.rpc.client.NodeAddress;
import io.tally.rpc.v1.Partition;
import io.tally.rpc.v1.ScanPartition;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import net.jqwik.api.Example;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;

final class StreamPlannerTest {
  private static final Node A = node("a", Set.of("scan.row_range"));
  private static final Node B = node("b", Set.of("scan.row_range"));
  private static final Node OLD = node("old", Set.of());

  private static final Spread SPREAD = new Spread(1);

  private static Node node(String id, Set<String> features) {
    return new Node(new NodeAddress(id, 1), id, "v1", features, 10_000);
  }

  private static OwnedPartition owned(String id, long rows, boolean splittable, Node... owners) {
    return new OwnedPartition(
        Partition.newBuilder().setId(id).setRows(rows).setSplittable(splittable).build(),
        List.of(owners));
  }

  @Example
  void anAggregationHasOneStreamForEachNode() {
    List<PlannedStream> streams =
        StreamPlanner.oneForEachNode(
            List.of(
                owned("p1", 5, true, A),
                owned("p2", 9, true, A, B),
                owned("p3", 5_000_000, true, B)),
            SPREAD);
    assertEquals(
        List.of("b [p3]", "a [p2, p1]"), streams.stream().map(StreamPlannerTest::text).toList());
  }

  @Example
  void aHeavyPartitionIsSplitAndItsReplicasShareIt() {
    List<PlannedStream> streams = forRows(List.of(owned("p", 10, true, A, B)), 3);
    assertEquals(
        List.of("b [p 0-2]", "a [p 2-5]", "b [p 5-7]", "a [p 7-10]"),
        streams.stream()
            .sorted(
                Comparator.comparingLong(each -> each.partitions().get(0).getRange().getFirst()))
            .map(StreamPlannerTest::text)
            .toList());
  }

  @Example
  void smallPartitionsOfANodeShareAStream() {
    List<PlannedStream> streams =
        forRows(
            List.of(owned("p1", 4, true, A), owned("p2", 3, true, A), owned("p3", 3, true, A)), 7);
    assertEquals(
        List.of("a [p1, p2]", "a [p3]"), streams.stream().map(StreamPlannerTest::text).toList());
  }

  /** Of scans that one node alone answers, and of those that all share. */
  @Example
  void replicasShareTheRowsOfDifferentScans() {
    Node c = node("c", Set.of());
    for (List<OwnedPartition> partitions :
        List.of(
            List.of(owned("all", 1_000, true, A, B, c)),
            List.of(
                owned("x", 400, true, A, B, c),
                owned("y", 300, true, A, B, c),
                owned("z", 300, true, A, B, c)))) {
      Map<Node, Long> rows = new HashMap<>();
      for (int table = 0; table < 300; table++) {
        Spread spread = Spread.of("table" + table, Optional.empty(), List.of());
        assertEquals(
            StreamPlanner.byNode(partitions, spread), StreamPlanner.byNode(partitions, spread));
        StreamPlanner.byNode(partitions, spread)
            .forEach(
                (node, owned) ->
                    owned.forEach(partition -> rows.merge(node, partition.getRows(), Long::sum)));
      }
      assertEquals(300_000, rows.values().stream().mapToLong(Long::longValue).sum());
      assertTrue(rows.values().stream().allMatch(of -> of > 80_000), rows::toString);
    }
  }

  @Example
  void whatNobodyElseMayAnswerGoesToANodeThatOwnsAll() {
    List<OwnedPartition> partitions =
        List.of(owned("p1", 1, true, A, B), owned("p2", 9, true, B), owned("p3", 5, true, OLD, B));
    assertEquals(
        List.of("b [p2, p3, p1]"),
        StreamPlanner.together(partitions, SPREAD).stream().map(StreamPlannerTest::text).toList());
    assertEquals(
        Optional.empty(),
        StreamPlanner.together(
            List.of(owned("p1", 1, true, A, B), owned("p2", 9, true, OLD)), SPREAD));
    assertEquals(Optional.empty(), StreamPlanner.together(List.of(), SPREAD));
  }

  @Example
  void whatCannotBeSplitIsNot() {
    assertEquals(
        List.of("a [p]"),
        forRows(List.of(owned("p", 100, false, A)), 3).stream()
            .map(StreamPlannerTest::text)
            .toList());
    assertEquals(1, forRows(List.of(owned("p", 100, true, A, OLD)), 3).size());
  }

  @Example
  void partitionsOfOneKeyShareAStreamAndNoOthers() {
    List<PlannedStream> streams =
        StreamPlanner.forRows(
            List.of(
                owned("x1", 4, true, A),
                owned("x2", 3, true, A),
                owned("x3", 2, true, B),
                owned("y1", 9, true, A)),
            8,
            partition -> partition.getId().charAt(0),
            SPREAD);
    assertEquals(
        List.of("a [x1, x2]", "a [y1 0-4]", "a [y1 4-9]", "b [x3]"),
        streams.stream().map(StreamPlannerTest::text).sorted().toList());
  }

  private static List<PlannedStream> forRows(List<OwnedPartition> partitions, long splitRows) {
    return StreamPlanner.forRows(partitions, splitRows, any -> "one key for all", SPREAD);
  }

  private static String text(PlannedStream stream) {
    return stream.node().nodeId()
        + " "
        + stream.partitions().stream()
            .map(
                each ->
                    each.hasRange()
                        ? each.getId()
                            + " "
                            + each.getRange().getFirst()
                            + "-"
                            + each.getRange().getEnd()
                        : each.getId())
            .toList();
  }

  @Property
  void everyRowIsReadOnceByAnOwner(@ForAll long seed) {
    Random random = new Random(seed);
    List<OwnedPartition> partitions = new ArrayList<>();
    for (int i = random.nextInt(6); i >= 0; i--) {
      Node[][] owners = {{A}, {B}, {A, B}, {A, OLD}};
      partitions.add(
          owned("p" + i, 1 + random.nextInt(50), random.nextBoolean(), owners[random.nextInt(4)]));
    }
    long splitRows = 1L + random.nextInt(20);
    List<PlannedStream> streams = forRows(partitions, splitRows);
    assertEquals(streams, forRows(partitions, splitRows));
    for (OwnedPartition owned : partitions) {
      List<long[]> ranges = new ArrayList<>();
      for (PlannedStream stream : streams) {
        assertTrue(!stream.partitions().isEmpty());
        for (ScanPartition piece : stream.partitions()) {
          if (piece.getId().equals(owned.partition().getId())) {
            assertTrue(owned.owners().contains(stream.node()));
            ranges.add(
                piece.hasRange()
                    ? new long[] {piece.getRange().getFirst(), piece.getRange().getEnd()}
                    : new long[] {0, owned.partition().getRows()});
          }
        }
      }
      ranges.sort(Comparator.comparingLong(range -> range[0]));
      long end = 0;
      for (long[] range : ranges) {
        assertEquals(end, range[0]);
        assertTrue(range[1] > range[0]);
        end = range[1];
      }
      assertEquals(owned.partition().getRows(), end);
    }
  }
}
