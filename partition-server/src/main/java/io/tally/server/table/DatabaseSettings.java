package io.tally.server.table;

import java.util.Objects;
import java.util.Optional;

/**
 * What the node's database may use of the machine.
 *
 * @param threads threads that run queries, for all scans together; 0: one for each core
 * @param memoryLimit most memory that queries may take before they spill to disk, in DuckDB's words
 *     ({@code 4GiB}); empty: DuckDB's default, 80 % of the machine
 */
public record DatabaseSettings(int threads, Optional<String> memoryLimit) {
  public DatabaseSettings {
    if (threads < 0) {
      throw new IllegalArgumentException("threads must not be negative: " + threads);
    }
    Objects.requireNonNull(memoryLimit);
  }

  /** DuckDB's own defaults. */
  public static DatabaseSettings defaults() {
    return new DatabaseSettings(0, Optional.empty());
  }
}
