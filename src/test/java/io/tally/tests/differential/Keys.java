package io.tally.tests.differential;

import java.util.List;
import java.util.Optional;

/** Makes the keys of groups that reports have: parts of dates, prefixes, classes of a value. */
final class Keys {
  private final ExpressionGenerator all;
  private final Dice dice;

  Keys(ExpressionGenerator all) {
    this.all = all;
    this.dice = all.dice();
  }

  /** A key, or empty for a literal, which would be taken as the number of an item. */
  Optional<Expr> any(Atom atom) {
    if (atom.kind().isNested() || dice.chance(60)) {
      return Optional.of(atom.expr());
    }
    Expr key = dice.chance(50) ? all.of(atom.kind(), 2) : derived(atom);
    return Optional.of(key).filter(Expr::hasColumn);
  }

  private Expr derived(Atom atom) {
    Expr column = atom.expr();
    if (dice.chance(50)) {
      return classes();
    }
    return switch (atom.kind()) {
      case DATE ->
          dice.chance(60)
              ? Expr.of(Kind.INT, dice.pick("year(", "month(", "quarter("), column, ")")
              : Expr.of(Kind.DATE, "trunc(", column, dice.pick(", 'MONTH')", ", 'YEAR')"));
      case TIMESTAMP, TIMESTAMP_NTZ ->
          dice.chance(50)
              ? Expr.of(Kind.INT, dice.pick("year(", "month(", "hour("), column, ")")
              : Expr.of(Kind.DATE, "CAST(", column, " AS DATE)");
      case TIME -> Expr.of(Kind.INT, "hour(", column, ")");
      case STRING -> Expr.of(Kind.STRING, "substring(", column, ", 1, " + dice.below(3) + ")");
      case BYTE, SHORT, INT, LONG ->
          Expr.of(Kind.LONG, "pmod(CAST(", column, " AS BIGINT), " + dice.between(2, 7) + "L)");
      default -> Expr.of(Kind.BOOLEAN, "(", column, " IS NULL)");
    };
  }

  private Expr classes() {
    boolean text = dice.chance(60);
    List<String> names = text ? List.of("'low'", "'mid'", "'high'") : List.of("1", "2", "3");
    return Expr.of(
        text ? Kind.STRING : Kind.INT,
        "(CASE WHEN ",
        all.predicate(1),
        " THEN " + names.get(0),
        dice.chance(60) ? " WHEN " : " WHEN NOT ",
        all.predicate(dice.between(1, 2)),
        " THEN " + names.get(1),
        (dice.chance(70) ? " ELSE " + names.get(2) : "") + " END)");
  }
}
