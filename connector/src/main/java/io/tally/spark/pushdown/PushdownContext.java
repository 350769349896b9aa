package io.tally.spark.pushdown;

import io.tally.rpc.v1.Partition;
import io.tally.spark.types.TableSchema;
import java.time.ZoneId;
import java.util.List;
import java.util.Optional;

/**
 * What translators have to know of a table, its nodes and the session. Immutable.
 *
 * @param features of all nodes that may have to answer
 * @param partitions what is evaluated is evaluated with their rows: their bounds prove that it
 *     cannot fail
 * @param sessionZone the session's time zone; empty if it is not sure which one a query means
 */
public record PushdownContext(
    TableSchema schema,
    CommonFeatures features,
    List<Partition> partitions,
    Optional<ZoneId> sessionZone) {
  public PushdownContext {
    partitions = List.copyOf(partitions);
  }
}
