package io.tally.spark.read;

import io.tally.rpc.ScalarFunction;
import io.tally.rpc.v1.Call;
import io.tally.rpc.v1.Expression;
import io.tally.rpc.v1.Open;
import io.tally.spark.pushdown.AggregationPlan;
import java.util.Arrays;
import java.util.List;
import org.apache.spark.sql.connector.read.Batch;
import org.apache.spark.sql.connector.read.InputPartition;
import org.apache.spark.sql.connector.read.PartitionReaderFactory;

/**
 * Takes the plan of a scan and hands Spark its tasks, one for each stream to a node. Equal batches
 * read the same, which Spark uses to run one of them only.
 */
record TallyBatch(ScanPlan plan) implements Batch {

  @Override
  public InputPartition[] planInputPartitions() {
    List<PlannedStream> streams = plan.streams();
    boolean oneRowAtLeast = plan.aggregation().map(AggregationPlan::isUngrouped).orElse(false);
    if (streams.isEmpty() && oneRowAtLeast) {
      return new InputPartition[] {new NeutralRow()};
    }
    return streams.stream().map(this::nodeScan).toArray(InputPartition[]::new);
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
      open.addAllColumns(Arrays.asList(plan.readSchema().fieldNames()));
    }
    List<Expression> predicates = plan.predicates();
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
    // No scan id: every attempt of a task is a scan of its own.
    return new NodeScan(
        stream.node().address(), stream.node().nodeId(), open.build().toByteString());
  }

  @Override
  public PartitionReaderFactory createReaderFactory() {
    ReadShape shape =
        new ReadShape(
            plan.readSchema(),
            plan.aggregation().map(AggregationPlan::outputs).orElse(List.of()),
            plan.aggregation().map(AggregationPlan::complete).orElse(false));
    return new TallyReaderFactory(shape, plan.settings().limits());
  }
}
