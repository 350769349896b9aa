package io.tally.spark.read;

import io.tally.rpc.Features;
import io.tally.rpc.client.ClusterView.Node;
import io.tally.rpc.client.ClusterView.OwnedPartition;
import io.tally.rpc.v1.Partition;
import io.tally.rpc.v1.RowRange;
import io.tally.rpc.v1.ScanPartition;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Function;

/**
 * Takes the partitions that remain after pruning and decides which node answers for which of them,
 * in which streams. The same partitions always give the same streams, so that what was proved about
 * streams while planning holds when they are opened.
 *
 * <p>A partition with several owners goes to the one with the least work so far, counted in rows;
 * the largest partitions are placed first. Where several have the same, {@link Spread} decides, so
 * that small scans do not all go to one node.
 */
final class StreamPlanner {
  private StreamPlanner() {}

  /** For an aggregation: one stream for each node that is needed, with all its partitions. */
  static Map<Node, List<Partition>> byNode(List<OwnedPartition> partitions, Spread spread) {
    Map<Node, Long> rowsOfNode = new LinkedHashMap<>();
    Map<Node, List<Partition>> assigned = new LinkedHashMap<>();
    for (OwnedPartition owned : largestFirst(partitions)) {
      Node node = leastBusy(owned, rowsOfNode, spread);
      rowsOfNode.merge(node, owned.partition().getRows(), Long::sum);
      assigned.computeIfAbsent(node, each -> new ArrayList<>()).add(owned.partition());
    }
    return assigned;
  }

  /**
   * The streams of {@link #byNode}, for where each yields little: an aggregation, or the first few
   * rows.
   */
  static List<PlannedStream> oneForEachNode(List<OwnedPartition> partitions, Spread spread) {
    List<PlannedStream> streams = new ArrayList<>();
    byNode(partitions, spread)
        .forEach(
            (node, owned) ->
                streams.add(
                    new PlannedStream(node, owned.stream().map(StreamPlanner::whole).toList())));
    return streams;
  }

  /**
   * One stream of all partitions, for what no two nodes can answer together; empty if no node owns
   * them all.
   */
  static Optional<PlannedStream> together(List<OwnedPartition> partitions, Spread spread) {
    return ownerOfAll(partitions, spread)
        .map(
            node ->
                new PlannedStream(
                    node,
                    largestFirst(partitions).stream()
                        .map(owned -> whole(owned.partition()))
                        .toList()));
  }

  /** Of the nodes that own all of the partitions, the one that comes first. */
  static Optional<Node> ownerOfAll(List<OwnedPartition> partitions, Spread spread) {
    if (partitions.isEmpty()) {
      return Optional.empty();
    }
    Set<Node> owners = new HashSet<>(partitions.get(0).owners());
    partitions.forEach(owned -> owners.retainAll(owned.owners()));
    return owners.stream().min(spread.order(""));
  }

  /**
   * For rows: streams of about {@code splitRows} rows each. A partition with more is split into
   * ranges of equal size if it can be; partitions with less share a stream with others of the same
   * node and key.
   *
   * @param keyOf what must not differ within a stream
   */
  static List<PlannedStream> forRows(
      List<OwnedPartition> partitions,
      long splitRows,
      Function<Partition, ?> keyOf,
      Spread spread) {
    List<PlannedStream> streams = new ArrayList<>();
    Map<Node, Long> rowsOfNode = new LinkedHashMap<>();
    Map<Place, OpenStream> open = new LinkedHashMap<>();
    for (OwnedPartition owned : largestFirst(partitions)) {
      for (ScanPartition piece : split(owned, splitRows)) {
        Node node = leastBusy(owned, rowsOfNode, spread);
        long rows =
            piece.hasRange()
                ? piece.getRange().getEnd() - piece.getRange().getFirst()
                : owned.partition().getRows();
        rowsOfNode.merge(node, rows, Long::sum);
        Place place = new Place(node, keyOf.apply(owned.partition()));
        OpenStream stream = open.computeIfAbsent(place, each -> new OpenStream());
        if (stream.rows > 0 && stream.rows + rows > splitRows) {
          streams.add(new PlannedStream(node, stream.pieces));
          stream = new OpenStream();
          open.put(place, stream);
        }
        stream.pieces.add(piece);
        stream.rows += rows;
      }
    }
    open.forEach((place, stream) -> streams.add(new PlannedStream(place.node(), stream.pieces)));
    return streams;
  }

  private record Place(Node node, Object key) {}

  private static final class OpenStream {
    private final List<ScanPartition> pieces = new ArrayList<>();
    private long rows;
  }

  private static List<ScanPartition> split(OwnedPartition owned, long splitRows) {
    Partition partition = owned.partition();
    boolean splittable =
        partition.getSplittable()
            && owned.owners().stream()
                .allMatch(node -> node.features().contains(Features.ROW_RANGE));
    long rows = partition.getRows();
    long pieces = (rows + splitRows - 1) / splitRows;
    if (!splittable || pieces <= 1) {
      return List.of(whole(partition));
    }
    List<ScanPartition> ranges = new ArrayList<>();
    long first = 0;
    for (long piece = 1; piece <= pieces; piece++) {
      // Exact for any number of rows: rows * piece might not fit.
      long end = rows / pieces * piece + rows % pieces * piece / pieces;
      ranges.add(
          ScanPartition.newBuilder()
              .setId(partition.getId())
              .setRange(RowRange.newBuilder().setFirst(first).setEnd(end))
              .build());
      first = end;
    }
    return ranges;
  }

  private static ScanPartition whole(Partition partition) {
    return ScanPartition.newBuilder().setId(partition.getId()).build();
  }

  private static List<OwnedPartition> largestFirst(List<OwnedPartition> partitions) {
    return partitions.stream()
        .sorted(
            Comparator.comparingLong((OwnedPartition owned) -> owned.partition().getRows())
                .reversed()
                .thenComparing(owned -> owned.partition().getId()))
        .toList();
  }

  private static Node leastBusy(OwnedPartition owned, Map<Node, Long> rowsOfNode, Spread spread) {
    return owned.owners().stream()
        .min(
            Comparator.comparingLong((Node node) -> rowsOfNode.getOrDefault(node, 0L))
                .thenComparing(spread.order(owned.partition().getId())))
        .orElseThrow();
  }
}
