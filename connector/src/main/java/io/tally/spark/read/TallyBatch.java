package io.tally.spark.read;

import io.tally.rpc.Features;
import io.tally.rpc.ScalarFunction;
import io.tally.rpc.v1.Call;
import io.tally.rpc.v1.Expression;
import io.tally.rpc.v1.Open;
import io.tally.spark.pushdown.AggregationPlan;
import io.tally.spark.types.RowOrigin;
import java.util.ArrayList;
import java.util.List;
import org.apache.spark.sql.connector.read.Batch;
import org.apache.spark.sql.connector.read.InputPartition;
import org.apache.spark.sql.connector.read.PartitionReaderFactory;

/**
 * Takes the plan of a scan, and what became known since, and hands Spark its tasks, one for each
 * stream to a node. Equal batches read the same, which Spark uses to run one of them only.
 */
record TallyBatch(ScanPlan plan, RuntimeFilter filter) implements Batch {

  @Override
  public InputPartition[] planInputPartitions() {
    List<PlannedStream> streams = plan.streams();
    boolean oneRowAtLeast = plan.aggregation().map(AggregationPlan::isUngrouped).orElse(false);
    if (streams.isEmpty() && oneRowAtLeast) {
      return new InputPartition[] {new NeutralRow()};
    }
    return filter.apply(streams).stream().map(this::task).toArray(InputPartition[]::new);
  }

  private InputPartition task(PlannedStream stream) {
    NodeScan scan = nodeScan(stream);
    String anyPartition = stream.partitions().get(0).getId();
    return plan.keys()
        .<InputPartition>map(keys -> new KeyedNodeScan(scan, keys.row(anyPartition)))
        .orElse(scan);
  }

  private NodeScan nodeScan(PlannedStream stream) {
    Open.Builder open =
        Open.newBuilder()
            .setTable(plan.table())
            .setLayoutVersion(stream.node().layoutVersion())
            .addAllPartitions(stream.partitions());
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
    if (stream.node().features().contains(Features.RESUME)) {
      open.setResumeAfter(0);
    }
    // No scan id: every attempt of a task is a scan of its own.
    return new NodeScan(
        stream.node().address(), stream.node().nodeId(), open.build().toByteString());
  }

  @Override
  public PartitionReaderFactory createReaderFactory() {
    ReadShape shape =
        new ReadShape(
            plan.columns(),
            plan.aggregation().map(AggregationPlan::outputs).orElse(List.of()),
            plan.aggregation().map(AggregationPlan::complete).orElse(!plan.selection().partial()));
    return new TallyReaderFactory(shape, plan.settings().limits());
  }
}
