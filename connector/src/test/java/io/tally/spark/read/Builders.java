package io.tally.spark.read;

import com.google.protobuf.InvalidProtocolBufferException;
import io.tally.rpc.client.ClusterView;
import io.tally.rpc.v1.Open;
import io.tally.spark.pushdown.PlanningSession;
import io.tally.spark.types.TableSchema;

/** Scan builders over nodes that do not change, and what comes of them. */
final class Builders {
  private Builders() {}

  static TallyScanBuilder of(
      ClusterView view, TableSchema schema, ReadSettings settings, PlanningSession session) {
    TableView table = new TableView(view, schema);
    return new TallyScanBuilder(table, () -> table, settings, session);
  }

  /** What the planned node of a task is asked. */
  static Open open(NodeScan task) throws InvalidProtocolBufferException {
    StreamOwner planned = task.owners().get(0);
    return planned.ask(Open.parseFrom(task.open()), planned.holds());
  }
}
