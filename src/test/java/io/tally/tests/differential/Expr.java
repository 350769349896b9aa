package io.tally.tests.differential;

import java.util.ArrayList;
import java.util.List;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * An expression as a tree: pieces of SQL between smaller expressions, so that it can be shrunk. Its
 * kind is what Spark makes of it; the exact type is left to Spark.
 *
 * @param pieces one more than {@code children}; they alternate
 * @param risky whether this operation, its children aside, may fail on some value
 */
record Expr(Kind kind, List<String> pieces, List<Expr> children, boolean risky) {
  /** As {@link QueryGenerator} names them. */
  private static final Pattern COLUMN = Pattern.compile("\\b[stu]\\.[cr]\\d");

  Expr {
    pieces = List.copyOf(pieces);
    children = List.copyOf(children);
  }

  /** A column, a literal, or anything else that is not looked into. */
  static Expr leaf(Kind kind, String sql) {
    return new Expr(kind, List.of(sql), List.of(), false);
  }

  /** From text and expressions in the order in which they stand. */
  static Expr of(Kind kind, Object... parts) {
    return of(kind, false, parts);
  }

  /** As {@link #of}, for an operation that fails on some values. */
  static Expr risky(Kind kind, Object... parts) {
    return of(kind, true, parts);
  }

  private static Expr of(Kind kind, boolean risky, Object... parts) {
    List<String> pieces = new ArrayList<>();
    List<Expr> children = new ArrayList<>();
    StringBuilder piece = new StringBuilder();
    for (Object part : parts) {
      if (part instanceof Expr child) {
        pieces.add(piece.toString());
        piece.setLength(0);
        children.add(child);
      } else {
        piece.append(part);
      }
    }
    pieces.add(piece.toString());
    return new Expr(kind, pieces, children, risky);
  }

  /** A function, or an aggregate, of these arguments. */
  static Expr call(Kind kind, String name, List<Expr> arguments) {
    List<Object> parts = new ArrayList<>();
    for (Expr argument : arguments) {
      parts.add(parts.isEmpty() ? name + "(" : ", ");
      parts.add(argument);
    }
    parts.add(arguments.isEmpty() ? name + "()" : ")");
    return of(kind, parts.toArray());
  }

  String sql() {
    StringBuilder sql = new StringBuilder(pieces.get(0));
    for (int i = 0; i < children.size(); i++) {
      sql.append(children.get(i).sql()).append(pieces.get(i + 1));
    }
    return sql.toString();
  }

  /** Whether a column of a table or of a subquery occurs in it. */
  boolean hasColumn() {
    return children.isEmpty()
        ? COLUMN.matcher(pieces.get(0)).find()
        : children.stream().anyMatch(Expr::hasColumn);
  }

  /** How many operations in it may fail. */
  int risks() {
    return (risky ? 1 : 0) + children.stream().mapToInt(Expr::risks).sum();
  }

  /** Simpler expressions of the same kind, the simplest first. */
  Stream<Expr> simpler() {
    if (children.isEmpty()) {
      return Stream.empty();
    }
    Stream<Expr> parts = children.stream().filter(child -> child.kind == kind);
    return Stream.concat(parts, withSimplerChild());
  }

  private Stream<Expr> withSimplerChild() {
    return Stream.iterate(0, i -> i < children.size(), i -> i + 1)
        .flatMap(i -> children.get(i).simpler().map(child -> withChild(i, child)));
  }

  private Expr withChild(int index, Expr child) {
    List<Expr> changed = new ArrayList<>(children);
    changed.set(index, child);
    return new Expr(kind, pieces, changed, risky);
  }
}
