package io.tally.tests.differential;

import java.util.List;
import java.util.Optional;

/** Takes the columns of a query and of a second table, and makes predicates that ask the second. */
final class Subqueries {
  private final ExpressionGenerator inside;
  private final Dice dice;

  /** Inside of the subquery expressions come from {@code inside}. */
  Subqueries(ExpressionGenerator inside) {
    this.inside = inside;
    this.dice = inside.dice();
  }

  /**
   * A predicate over one of the outer columns, or empty if no inner one can be compared with it.
   */
  Optional<Expr> predicate(List<Atom> outer, String innerTable, List<Atom> inner) {
    List<Atom> scalar =
        outer.stream().filter(it -> it.type().isOrdered() && !it.kind().isNested()).toList();
    if (scalar.isEmpty()) {
      return Optional.empty();
    }
    Atom atom = dice.pick(scalar);
    List<Atom> alike = inner.stream().filter(it -> it.kind() == atom.kind()).toList();
    return alike.isEmpty()
        ? Optional.empty()
        : Optional.of(predicate(atom.expr(), dice.pick(alike).expr(), innerTable));
  }

  private Expr predicate(Expr column, Expr match, String innerTable) {
    Expr filter = inside.predicate(2);
    String table = " FROM " + innerTable + " u WHERE ";
    return switch (dice.below(4)) {
      case 0, 1 ->
          Expr.of(
              Kind.BOOLEAN,
              "(",
              column,
              (dice.chance(25) ? " NOT IN (SELECT " : " IN (SELECT ") + match.sql() + table,
              filter,
              "))");
      case 2 ->
          Expr.of(
              Kind.BOOLEAN,
              (dice.chance(30) ? "(NOT EXISTS" : "(EXISTS") + " (SELECT 1" + table,
              column,
              " = " + match.sql() + " AND ",
              filter,
              "))");
      default ->
          Expr.of(
              Kind.BOOLEAN,
              "(",
              column,
              dice.pick(" = ", " <= ", " > ")
                  + "(SELECT "
                  + dice.pick("max(", "min(")
                  + match.sql()
                  + ")"
                  + table,
              filter,
              "))");
    };
  }
}
