package io.tally.spark.read;

import io.tally.rpc.client.ClusterView;
import io.tally.rpc.client.ClusterView.Node;
import io.tally.rpc.client.ClusterView.OwnedPartition;
import io.tally.rpc.v1.Expression;
import io.tally.rpc.v1.Partition;
import io.tally.rpc.v1.Sample;
import io.tally.spark.pushdown.AggregationPlan;
import io.tally.spark.pushdown.PartitionKeys;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Collectors;
import org.apache.spark.sql.types.StructType;

/**
 * Everything that decides which rows a scan yields: two scans with equal plans read the same, which
 * is how Spark finds that an exchange can be used twice. Immutable.
 *
 * @param partitions those that remain after pruning
 * @param sample of the rows, before all else; empty: all
 * @param predicates all of them must be TRUE
 * @param aggregation empty: rows
 * @param together whether one stream, of a node that owns all partitions, has to answer everything
 * @param selection which of the rows, or groups, each stream yields
 * @param keys each stream has rows of one key alone; empty: of any
 * @param columns that Spark gets
 */
record ScanPlan(
    String table,
    List<OwnedPartition> partitions,
    Optional<Sample> sample,
    List<Expression> predicates,
    Optional<AggregationPlan> aggregation,
    boolean together,
    RowSelection selection,
    Optional<PartitionKeys> keys,
    RowColumns columns,
    ReadSettings settings) {
  ScanPlan {
    partitions = List.copyOf(partitions);
    predicates = List.copyOf(predicates);
  }

  StructType readSchema() {
    return columns.schema();
  }

  /** The same with streams by other keys. */
  ScanPlan by(Optional<PartitionKeys> keys) {
    return new ScanPlan(
        table,
        partitions,
        sample,
        predicates,
        aggregation,
        together,
        selection,
        keys,
        columns,
        settings);
  }

  /** The owners of each partition, by its id. */
  Map<String, List<Node>> owners() {
    return owners(partitions);
  }

  private static Map<String, List<Node>> owners(List<OwnedPartition> partitions) {
    return partitions.stream()
        .collect(Collectors.toMap(owned -> owned.partition().getId(), OwnedPartition::owners));
  }

  /** The streams to open, none if there is nothing to read. */
  List<PlannedStream> streams() {
    return streams(selection);
  }

  /** The streams that there would be with another selection. */
  List<PlannedStream> streams(RowSelection selection) {
    Spread spread = Spread.of(table, sample, predicates);
    Spread ofOneStream = spread.and(String.join(",", columns.schema().fieldNames()));
    Optional<PlannedStream> one = StreamPlanner.together(partitions, ofOneStream);
    boolean yieldLittle = aggregation.isPresent() || selection.isAtMost(settings.splitRows());
    if (one.isPresent() && (together || isAnyRows(selection))) {
      return List.of(one.get());
    }
    List<PlannedStream> streams =
        yieldLittle
            ? StreamPlanner.oneForEachNode(partitions, spread)
            : StreamPlanner.forRows(partitions, settings.splitRows(), this::keyOf, spread);
    // Of a scan that goes to one node anyway, all that it reads decides on the node.
    return streams.size() == 1 && one.isPresent()
        ? List.of(new PlannedStream(one.get().node(), streams.get(0).partitions()))
        : streams;
  }

  /** Whether the first few rows of any node will do: then none has to look for them. */
  private boolean isAnyRows(RowSelection selection) {
    return aggregation.isEmpty()
        && predicates.isEmpty()
        && selection.orderBy().isEmpty()
        && selection.isAtMost(settings.splitRows());
  }

  /**
   * Whether Spark can read this in place of another plan of the same offers: it gets the same
   * columns, and has the same left to do.
   */
  boolean standsInFor(ScanPlan planned) {
    return readSchema().equals(planned.readSchema())
        && isComplete() == planned.isComplete()
        && selection.equals(planned.selection)
        && keys.map(PartitionKeys::columns).equals(planned.keys.map(PartitionKeys::columns));
  }

  /** Whether Spark does nothing more to what is read. */
  boolean isComplete() {
    return aggregation.map(AggregationPlan::complete).orElse(!selection.partial());
  }

  /**
   * Whether the table still has the content that this was planned with, each partition on a node
   * that was planned to own it.
   */
  boolean isReadableIn(ClusterView before, ClusterView now) {
    Map<String, List<Node>> ownersNow = owners(now.partitions());
    return contents(before).equals(contents(now))
        && partitions.stream()
            .allMatch(
                owned ->
                    owned.owners().stream()
                        .anyMatch(
                            planned ->
                                ownersNow.get(owned.partition().getId()).stream()
                                    .anyMatch(owner -> isUnchanged(planned, owner))));
  }

  private static Map<String, String> contents(ClusterView view) {
    return view.partitions().stream()
        .map(OwnedPartition::partition)
        .collect(Collectors.toMap(Partition::getId, Partition::getFingerprint));
  }

  private static boolean isUnchanged(Node planned, Node now) {
    return planned.nodeId().equals(now.nodeId())
        && planned.address().equals(now.address())
        && planned.layoutVersion().equals(now.layoutVersion());
  }

  private Object keyOf(Partition partition) {
    return keys.map(proved -> proved.of(partition.getId())).orElse(List.of());
  }

  /** No more rows than this come from all streams together; an ungrouped aggregation aside. */
  long mostRows() {
    long fromStreams =
        selection.limit().isPresent()
            ? (long) selection.limit().getAsInt() * streams().size()
            : Long.MAX_VALUE;
    return Math.min(rows(), fromStreams);
  }

  /** Rows of the partitions, before any filter. */
  long rows() {
    return partitions.stream().mapToLong(owned -> owned.partition().getRows()).sum();
  }
}
