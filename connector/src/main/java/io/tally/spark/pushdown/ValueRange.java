package io.tally.spark.pushdown;

import io.tally.rpc.WireTypes;
import io.tally.rpc.v1.ColumnBounds;
import io.tally.rpc.v1.DataType;
import io.tally.rpc.v1.Literal;
import io.tally.rpc.v1.Partition;
import java.util.List;
import java.util.Optional;

/**
 * What is known of the values that an expression takes in the rows of one partition. What is not
 * known is left open; it never claims more than the node said.
 *
 * @param mayBeNull whether NULL may occur
 * @param mayBeValue whether anything but NULL may occur
 * @param values the only values besides NULL; empty: see the bounds
 * @param lower no value is less; empty: unbounded
 * @param upper no value is greater; empty: unbounded
 */
record ValueRange(
    boolean mayBeNull,
    boolean mayBeValue,
    List<Literal> values,
    Optional<Literal> lower,
    Optional<Literal> upper) {

  private static final ValueRange ANYTHING =
      new ValueRange(true, true, List.of(), Optional.empty(), Optional.empty());

  /** Only this literal. */
  static ValueRange of(Literal literal) {
    return LiteralOrder.hasValue(literal)
        ? new ValueRange(false, true, List.of(literal), Optional.of(literal), Optional.of(literal))
        : new ValueRange(true, false, List.of(), Optional.empty(), Optional.empty());
  }

  /**
   * The values of a column.
   *
   * @param type of the column; bounds of another type are not used
   */
  static ValueRange of(Partition partition, String column, DataType type) {
    return partition.getBoundsList().stream()
        .filter(bounds -> bounds.getColumn().equals(column))
        .findFirst()
        .map(bounds -> of(bounds, type))
        .orElse(ANYTHING);
  }

  /** The values of an expression, which may also be NULL. */
  static ValueRange of(RangeAnalysis.Known known) {
    return known
        .values()
        .map(
            range ->
                new ValueRange(
                    true,
                    true,
                    List.of(),
                    WireLiterals.ofInteger(known.type(), range.lower()),
                    WireLiterals.ofInteger(known.type(), range.upper())))
        .orElse(ANYTHING);
  }

  private static ValueRange of(ColumnBounds bounds, DataType type) {
    boolean mayBeNull = bounds.getMayContainNull() || bounds.getAllNull();
    if (bounds.getAllNull()) {
      return new ValueRange(mayBeNull, false, List.of(), Optional.empty(), Optional.empty());
    }
    if (bounds.hasValues()) {
      return ofValues(bounds.getValues().getItemsList(), type, mayBeNull);
    }
    return new ValueRange(
        mayBeNull,
        true,
        List.of(),
        bounds.hasLower() ? usable(bounds.getLower(), type) : Optional.empty(),
        bounds.hasUpper() ? usable(bounds.getUpper(), type) : Optional.empty());
  }

  private static ValueRange ofValues(List<Literal> values, DataType type, boolean mayBeNull) {
    if (values.isEmpty()) {
      return new ValueRange(true, false, List.of(), Optional.empty(), Optional.empty());
    }
    boolean allUsable =
        !WireTypes.isFloatingPoint(type)
            && values.stream().allMatch(value -> usable(value, type).isPresent());
    if (!allUsable) {
      return new ValueRange(mayBeNull, true, List.of(), Optional.empty(), Optional.empty());
    }
    Literal least = values.get(0);
    Literal greatest = values.get(0);
    for (Literal value : values) {
      least = LiteralOrder.compare(value, least).orElseThrow() < 0 ? value : least;
      greatest = LiteralOrder.compare(value, greatest).orElseThrow() > 0 ? value : greatest;
    }
    return new ValueRange(
        mayBeNull, true, List.copyOf(values), Optional.of(least), Optional.of(greatest));
  }

  private static Optional<Literal> usable(Literal bound, DataType type) {
    return bound.getType().equals(type) && LiteralOrder.hasValue(bound)
        ? Optional.of(bound)
        : Optional.empty();
  }

  /** Whether some value here may be less than some value there. */
  boolean mayBeLess(ValueRange other) {
    return compare(lower, other.upper).map(order -> order < 0).orElse(true);
  }

  /** Whether some value here may be less than or equal to some value there. */
  boolean mayBeLessOrEqual(ValueRange other) {
    return compare(lower, other.upper).map(order -> order <= 0).orElse(true);
  }

  /** Whether some value here may equal some value there. */
  boolean mayBeEqual(ValueRange other) {
    if (!values.isEmpty() && !other.values.isEmpty()) {
      return values.stream()
          .anyMatch(value -> other.values.stream().anyMatch(each -> same(value, each)));
    }
    return mayBeLessOrEqual(other) && other.mayBeLessOrEqual(this);
  }

  /** Whether some value here may differ from some value there. */
  boolean mayDiffer(ValueRange other) {
    return !(isSingleValue()
        && other.isSingleValue()
        && same(lower.orElseThrow(), other.lower.orElseThrow()));
  }

  /** Whether all values are the same, but for NULLs. */
  boolean isSingleValue() {
    return lower.isPresent()
        && upper.isPresent()
        && compare(lower, upper).map(order -> order == 0).orElse(false);
  }

  private static boolean same(Literal left, Literal right) {
    return LiteralOrder.compare(left, right).map(order -> order == 0).orElse(true);
  }

  private static Optional<Integer> compare(Optional<Literal> left, Optional<Literal> right) {
    return left.isPresent() && right.isPresent()
        ? LiteralOrder.compare(left.get(), right.get())
        : Optional.empty();
  }
}
