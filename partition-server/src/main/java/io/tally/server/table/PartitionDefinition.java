package io.tally.server.table;

import java.util.Objects;
import java.util.Optional;

/**
 * A partition as its operator describes it.
 *
 * @param id unique within the table, in the whole cluster
 * @param source where its rows are stored
 * @param declaration which values the table's partitioning column has in it
 */
public record PartitionDefinition(
    String id, PartitionSource source, Optional<PartitionDeclaration> declaration) {
  public PartitionDefinition {
    Objects.requireNonNull(id);
    Objects.requireNonNull(source);
    Objects.requireNonNull(declaration);
  }
}
