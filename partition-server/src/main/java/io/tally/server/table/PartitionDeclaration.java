package io.tally.server.table;

import java.util.List;
import java.util.Objects;
import java.util.Optional;

/**
 * What an operator declares of the partitioning column's values in one partition. Values are
 * written as text: integers and decimals in digits, dates and timestamps in ISO 8601 ({@code
 * 2001-01-31}, {@code 2001-01-31T12:30:00}; an instant without an offset is in UTC).
 */
public sealed interface PartitionDeclaration {
  /**
   * Every row has a value in the range, none is NULL. Integers, dates and timestamps only.
   *
   * @param from inclusive; empty: unbounded
   * @param to exclusive; empty: unbounded
   */
  record Range(Optional<String> from, Optional<String> to) implements PartitionDeclaration {
    public Range {
      Objects.requireNonNull(from);
      Objects.requireNonNull(to);
    }
  }

  /**
   * Every row has one of the values.
   *
   * @param nullAllowed whether NULL is one of them
   */
  record Values(List<String> values, boolean nullAllowed) implements PartitionDeclaration {
    public Values {
      values = List.copyOf(values);
    }
  }
}
