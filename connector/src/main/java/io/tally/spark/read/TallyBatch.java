package io.tally.spark.read;

import io.tally.rpc.ScalarFunction;
import io.tally.rpc.client.ClusterView.Node;
import io.tally.rpc.v1.Call;
import io.tally.rpc.v1.Expression;
import io.tally.rpc.v1.Open;
import io.tally.spark.pushdown.AggregationPlan;
import io.tally.spark.types.RowOrigin;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.function.Supplier;
import org.apache.spark.sql.connector.read.Batch;
import org.apache.spark.sql.connector.read.InputPartition;
import org.apache.spark.sql.connector.read.PartitionReaderFactory;

/**
 * Takes the plan of a scan, and what became known since, and hands Spark its tasks, one for each
 * stream to a node. Equal batches read the same, which Spark uses to run one of them only.
 *
 * @param planned says what was pushed, and so whether two batches are equal
 * @param filter of the current plan
 * @param current gives the plan to be read, the same each time: that of the table as it was when it
 *     was first asked for
 */
record TallyBatch(ScanPlan planned, RuntimeFilter filter, Supplier<ScanPlan> current)
    implements Batch {

  @Override
  public InputPartition[] planInputPartitions() {
    ScanPlan plan = current.get();
    List<PlannedStream> streams = plan.streams();
    boolean oneRowAtLeast = plan.aggregation().map(AggregationPlan::isUngrouped).orElse(false);
    if (streams.isEmpty() && oneRowAtLeast) {
      return new InputPartition[] {new NeutralRow()};
    }
    Map<String, List<Node>> owners = plan.owners();
    return filter.apply(streams).stream()
        .map(stream -> task(plan, stream, owners))
        .toArray(InputPartition[]::new);
  }

  private InputPartition task(ScanPlan plan, PlannedStream stream, Map<String, List<Node>> owners) {
    NodeScan scan = nodeScan(plan, stream, owners);
    String anyPartition = stream.partitions().get(0).getId();
    return plan.keys()
        .<InputPartition>map(keys -> new KeyedNodeScan(scan, keys.row(anyPartition)))
        .orElse(scan);
  }

  private NodeScan nodeScan(
      ScanPlan plan, PlannedStream stream, Map<String, List<Node>> ownersById) {
    Open.Builder open =
        Open.newBuilder().setTable(plan.table()).addAllPartitions(stream.partitions());
    if (plan.aggregation().isPresent()) {
      open.setAggregation(plan.aggregation().get().aggregation());
    } else {
      open.addAllColumns(plan.columns().stored());
      open.addAllProjection(plan.columns().projection());
      if (plan.columns().sendsPartition()) {
        open.setPartitionColumn(RowOrigin.PARTITION.column());
      }
    }
    List<Expression> predicates = new ArrayList<>(plan.predicates());
    predicates.addAll(filter.predicates());
    if (predicates.size() == 1) {
      open.setPredicate(predicates.get(0));
    } else if (!predicates.isEmpty()) {
      Call all =
          Call.newBuilder()
              .setFunction(ScalarFunction.AND.wireName())
              .addAllArguments(predicates)
              .build();
      open.setPredicate(Expression.newBuilder().setCall(all));
    }
    plan.sample().ifPresent(open::setSample);
    plan.selection().addTo(open);
    open.setBodyCodec(plan.settings().codec().wireName());
    // No scan id: every attempt of a task is a scan of its own.
    return new NodeScan(owners(stream, ownersById), open.build().toByteString());
  }

  /** The planned node, and behind it the others, which take over from it in equal parts. */
  private static List<StreamOwner> owners(
      PlannedStream stream, Map<String, List<Node>> ownersById) {
    Map<Node, BitSet> holds = new HashMap<>();
    for (int position = 0; position < stream.partitions().size(); position++) {
      for (Node owner : ownersById.get(stream.partitions().get(position).getId())) {
        holds.computeIfAbsent(owner, each -> new BitSet()).set(position);
      }
    }
    List<StreamOwner> owners = new ArrayList<>();
    owners.add(StreamOwner.of(stream.node(), holds.remove(stream.node())));
    holds.keySet().stream()
        .sorted(new Spread(0).and(stream.partitions().get(0)).order(stream.node().nodeId()))
        .forEach(node -> owners.add(StreamOwner.of(node, holds.get(node))));
    return owners;
  }

  @Override
  public PartitionReaderFactory createReaderFactory() {
    ScanPlan plan = current.get();
    ReadShape shape =
        new ReadShape(
            plan.columns(),
            plan.aggregation().map(AggregationPlan::outputs).orElse(List.of()),
            plan.isComplete());
    return new TallyReaderFactory(shape, plan.settings().limits());
  }

  @Override
  public boolean equals(Object other) {
    return other instanceof TallyBatch batch
        && planned.equals(batch.planned)
        && filter.equals(batch.filter);
  }

  @Override
  public int hashCode() {
    return Objects.hash(planned, filter);
  }
}
