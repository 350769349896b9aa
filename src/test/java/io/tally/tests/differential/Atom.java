package io.tally.tests.differential;

import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;

/**
 * Something that expressions are made of: a column of a table or of a subquery, a key of a group,
 * an aggregate.
 *
 * @param pool values that it may have; empty if they are not known
 * @param tame whether sums of it are the same in any order
 */
record Atom(Expr expr, Type type, List<Object> pool, boolean tame) {
  Atom {
    pool = List.copyOf(pool);
  }

  static Atom of(String qualifier, Column column) {
    return new Atom(
        Expr.leaf(column.type().kind(), qualifier + column.name()),
        column.type(),
        column.pool(),
        column.tame());
  }

  Kind kind() {
    return type.kind();
  }

  /** The atom and, if it is nested, what can be taken out of it without a chance to fail. */
  List<Atom> withParts() {
    List<Atom> all = new ArrayList<>(List.of(this));
    switch (kind()) {
      case STRUCT ->
          IntStream.range(0, type.parts().size())
              .mapToObj(i -> part(i, expr, "." + Type.fieldName(i)))
              .map(Atom::withParts)
              .forEach(all::addAll);
      case ARRAY -> {
        all.add(part(0, "get(", expr, ", 0)"));
        all.add(part(0, "try_element_at(", expr, ", 2)"));
      }
      case MAP ->
          pool.stream()
              .flatMap(map -> ((java.util.Map<?, ?>) map).keySet().stream())
              .findFirst()
              .ifPresent(
                  key ->
                      all.add(part(1, expr, "[", Values.literal(type.parts().get(0), key), "]")));
      case VARIANT -> {
        all.add(part(Kind.INT, "try_variant_get(", expr, ", '$.a', 'int')"));
        all.add(part(Kind.STRING, "try_variant_get(", expr, ", '$', 'string')"));
      }
      case COLLATED -> {
        // Where rows are grouped by it, which spelling stands for them is Spark's choice.
        if (!pool.isEmpty()) {
          all.add(part(Kind.STRING, "(", expr, " COLLATE UTF8_BINARY)"));
        }
      }
      default -> {}
    }
    return all;
  }

  private static Atom part(Kind kind, Object... sql) {
    return new Atom(Expr.of(kind, sql), Type.of(kind), List.of(), false);
  }

  private Atom part(int index, Object... sql) {
    Type part = type.parts().get(index);
    return new Atom(Expr.of(part.kind(), sql), part, List.of(), false);
  }
}
