package io.tally.spark.pushdown;

import io.tally.rpc.v1.Partition;
import io.tally.spark.types.TableSchema;
import java.util.List;

/**
 * What translators have to know of a table, its nodes and the session. Immutable.
 *
 * @param features of all nodes that may have to answer
 * @param partitions what is evaluated is evaluated with their rows: their bounds prove that it
 *     cannot fail
 */
public record PushdownContext(
    TableSchema schema,
    CommonFeatures features,
    List<Partition> partitions,
    PlanningSession session) {
  public PushdownContext {
    partitions = List.copyOf(partitions);
  }
}
