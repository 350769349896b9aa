package io.tally.tests.differential;

import java.util.ArrayList;
import java.util.List;

/** Makes aggregates whose value does not depend on the order of the rows. */
final class Aggregates {
  /** Digits of a DECIMAL; three such and what is added to them have 36. */
  private static final int WIDEST_FACTOR = 10;

  private final ExpressionGenerator all;
  private final Dice dice;

  Aggregates(ExpressionGenerator all) {
    this.all = all;
    this.dice = all.dice();
  }

  Item any() {
    Item item = unfiltered();
    if (all.onlyOffered() || !dice.chance(15)) {
      return item;
    }
    Expr filtered = Expr.of(item.kind(), item.expr(), " FILTER (WHERE ", all.predicate(2), ")");
    return new Item(filtered, item.closeness(), -1);
  }

  private Item unfiltered() {
    int roll = dice.below(100);
    if (roll < 24) {
      return count();
    }
    if (roll < 50) {
      return extreme();
    }
    if (roll < 80) {
      return sum();
    }
    return roll < 90 && !(all.onlyOffered() && dice.chance(50)) ? statistic() : other();
  }

  private Item count() {
    return switch (all.onlyOffered() ? dice.pick(0, 1, 2, 4, 5) : dice.below(6)) {
      case 0, 1 -> Item.of(Expr.leaf(Kind.LONG, "count(*)"));
      case 2 -> Item.of(Expr.of(Kind.LONG, "count(DISTINCT ", orderedAtom().expr(), ")"));
      case 3 -> Item.of(Expr.of(Kind.LONG, "count_if(", all.predicate(2), ")"));
      case 4 -> Item.of(Expr.of(Kind.LONG, "count(", all.any(2), ")"));
      default -> Item.of(Expr.of(Kind.LONG, "count(", all.any(0), ")"));
    };
  }

  private Atom orderedAtom() {
    return dice.pick(all.ordered());
  }

  private Item extreme() {
    Atom atom = orderedAtom();
    Expr argument =
        dice.chance(75) || atom.kind().isNested() ? atom.expr() : all.of(atom.kind(), 2);
    Expr expr = Expr.of(argument.kind(), dice.pick("min(", "max("), argument, ")");
    return new Item(expr, extremeCloseness(argument.kind()), -1);
  }

  private static Closeness extremeCloseness(Kind kind) {
    return kind.isFloating() ? Closeness.UP_TO_SIGN_OF_ZERO : Closeness.ofValue(kind);
  }

  private Item sum() {
    boolean average = dice.chance(35);
    String name = (dice.chance(15) ? "try_" : "") + (average ? "avg(" : "sum(");
    String distinct = dice.chance(8) ? "DISTINCT " : "";
    List<Atom> intervals = all.summableIntervals();
    if (!intervals.isEmpty() && dice.chance(25)) {
      Atom interval = dice.pick(intervals);
      return Item.of(Expr.risky(interval.kind(), name + distinct, interval.expr(), ")"));
    }
    Expr argument = summable();
    Kind kind = argument.kind();
    Kind result =
        kind == Kind.DECIMAL
            ? Kind.DECIMAL
            : average || kind.isFloating() ? Kind.DOUBLE : Kind.LONG;
    Closeness closeness = result == Kind.DOUBLE ? Closeness.SUM : Closeness.EXACT;
    return new Item(Expr.risky(result, name + distinct, argument, ")"), closeness, -1);
  }

  /** Numbers whose sum is the same in any order, and cannot overflow on the way. */
  private Expr summable() {
    if (dice.chance(20)) {
      return all.of(dice.pick(Kind.BYTE, Kind.SHORT, Kind.INT), 2);
    }
    Expr column = tameColumn();
    List<Atom> factors = all.summable().filter(this::isFactor).toList();
    if (!factors.isEmpty() && dice.chance(25)) {
      return product(factors);
    }
    if (dice.chance(75)) {
      return column;
    }
    return dice.chance(50)
        ? Expr.of(column.kind(), "CASE WHEN ", all.predicate(2), " THEN ", column, " END")
        : Expr.of(column.kind(), "coalesce(", column, ", 0)");
  }

  /** Whether products of three of them fit; those of integers may not, and then fail. */
  private boolean isFactor(Atom atom) {
    return switch (atom.kind()) {
      case DECIMAL -> atom.type().width() <= WIDEST_FACTOR;
      case FLOAT, DOUBLE -> true;
      default -> all.risksAllowed();
    };
  }

  private Expr product(List<Atom> factors) {
    Atom first = dice.pick(factors);
    Kind kind = first.kind();
    List<Expr> alike =
        factors.stream().filter(it -> it.kind() == kind).map(it -> it.expr()).toList();
    Expr inner = dice.pick(alike);
    Expr product =
        switch (dice.below(5)) {
          case 0 -> arithmetic(kind, first.expr(), dice.pick(" * 2", " + 1"));
          case 1 -> arithmetic(kind, first.expr(), dice.pick(" * ", " + ", " - "), inner);
          default -> arithmetic(kind, first.expr(), " * ", arithmetic(kind, "1 - ", inner));
        };
    return dice.chance(70)
        ? product
        : arithmetic(kind, product, " * ", arithmetic(kind, "1 + ", dice.pick(alike)));
  }

  private static Expr arithmetic(Kind kind, Object... parts) {
    List<Object> all = new ArrayList<>(List.of(parts));
    all.add(0, "(");
    all.add(")");
    return kind.isInteger() ? Expr.risky(kind, all.toArray()) : Expr.of(kind, all.toArray());
  }

  private Expr tameColumn() {
    List<Expr> columns = all.summable().map(Atom::expr).toList();
    return columns.isEmpty() ? Expr.leaf(Kind.INT, "1") : dice.pick(columns);
  }

  private Item statistic() {
    Expr expr =
        dice.chance(50)
            ? Expr.of(
                Kind.DOUBLE,
                dice.pick("stddev_pop(", "stddev_samp(", "var_pop(", "var_samp(", "stddev("),
                tameColumn(),
                ")")
            : Expr.of(
                Kind.DOUBLE,
                dice.pick(
                    "covar_pop(",
                    "covar_samp(",
                    "corr(",
                    "regr_slope(",
                    "regr_intercept(",
                    "regr_r2(",
                    "regr_sxy(",
                    "regr_sxx(",
                    "regr_count("),
                tameColumn(),
                ", ",
                tameColumn(),
                ")");
    return new Item(expr, Closeness.STATISTIC, -1);
  }

  private Item other() {
    return switch (all.onlyOffered() ? dice.below(3) : dice.below(6)) {
      case 0 ->
          new Item(
              Expr.of(
                  Kind.DOUBLE,
                  "percentile_cont(" + dice.pick("0", "0.25", "0.5", "0.9", "1"),
                  ") WITHIN GROUP (ORDER BY ",
                  tameColumn(),
                  dice.pick(")", " DESC)")),
              Closeness.UP_TO_SIGN_OF_ZERO,
              -1);
      case 1 ->
          new Item(
              Expr.of(
                  Kind.DOUBLE,
                  "percentile_disc(" + dice.pick("0", "0.25", "0.5", "0.9", "1"),
                  ") WITHIN GROUP (ORDER BY ",
                  tameColumn(),
                  dice.pick(")", " DESC)")),
              Closeness.UP_TO_SIGN_OF_ZERO,
              -1);
      case 2 -> mode();
      case 3 ->
          Item.of(Expr.of(Kind.BOOLEAN, dice.pick("bool_and(", "bool_or("), all.predicate(2), ")"));
      case 4 -> {
        Kind kind = dice.pick(Kind.BYTE, Kind.SHORT, Kind.INT, Kind.LONG);
        yield Item.of(
            Expr.of(kind, dice.pick("bit_and(", "bit_or(", "bit_xor("), all.leaf(kind), ")"));
      }
      default ->
          new Item(
              Expr.of(Kind.DOUBLE, "median(", tameColumn(), ")"), Closeness.UP_TO_SIGN_OF_ZERO, -1);
    };
  }

  private Item mode() {
    List<Atom> candidates =
        new ArrayList<>(all.ordered().stream().filter(it -> !it.kind().isNested()).toList());
    if (candidates.isEmpty()) {
      return count();
    }
    Atom atom = dice.pick(candidates);
    Expr expr =
        Expr.of(
            atom.kind(), "mode() WITHIN GROUP (ORDER BY ", atom.expr(), dice.pick(")", " DESC)"));
    return new Item(expr, extremeCloseness(atom.kind()), -1);
  }
}
