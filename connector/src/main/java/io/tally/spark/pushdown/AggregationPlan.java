package io.tally.spark.pushdown;

import io.tally.rpc.v1.Aggregation;
import java.util.List;
import org.apache.spark.sql.types.StructType;

/**
 * An aggregation that nodes compute.
 *
 * @param aggregation on the wire
 * @param outputs one for each column of the answer, keys first
 * @param readSchema what Spark is told that it gets
 * @param complete whether no group comes from two streams and every result fits its type, so that
 *     Spark adds nothing up
 * @param aggregates for people
 * @param keys for people
 */
public record AggregationPlan(
    Aggregation aggregation,
    List<OutputColumn> outputs,
    StructType readSchema,
    boolean complete,
    List<String> aggregates,
    List<String> keys) {
  public AggregationPlan {
    outputs = List.copyOf(outputs);
    aggregates = List.copyOf(aggregates);
    keys = List.copyOf(keys);
  }

  /** Whether there is one group, which exists even without rows. */
  public boolean isUngrouped() {
    return aggregation.getGroupByCount() == 0;
  }
}
