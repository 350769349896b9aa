package io.tally.spark.pushdown;

import io.tally.rpc.v1.Partition;
import io.tally.spark.types.TableSchema;
import java.util.List;
import java.util.Optional;

/**
 * What translators have to know of a table, its nodes and the session. Immutable.
 *
 * @param features of all nodes that may have to answer
 * @param partitions what is evaluated is evaluated with their rows: their bounds prove that it
 *     cannot fail
 * @param session empty if it is not sure which rules a query means
 */
public record PushdownContext(
    TableSchema schema,
    CommonFeatures features,
    List<Partition> partitions,
    Optional<SessionRules> session) {
  public PushdownContext {
    partitions = List.copyOf(partitions);
  }
}
