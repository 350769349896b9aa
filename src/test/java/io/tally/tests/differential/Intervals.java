package io.tally.tests.differential;

import java.util.List;

/** Makes expressions whose value is an interval. */
final class Intervals {
  private final ExpressionGenerator all;
  private final Dice dice;

  Intervals(ExpressionGenerator all) {
    this.all = all;
    this.dice = all.dice();
  }

  /**
   * An expression of this kind.
   *
   * @param depth of its operands
   */
  Expr of(Kind kind, int depth) {
    if (all.risksAllowed() && !all.onlyOffered() && dice.chance(50)) {
      return risky(kind, all.of(kind, depth), depth);
    }
    return switch (dice.below(all.onlyOffered() ? 4 : 6)) {
      case 0 -> Expr.of(kind, "CAST(", all.of(kind, depth), " AS " + anyType(kind).sql() + ")");
      case 1, 2, 3 -> all.leaf(kind);
      case 4 -> Expr.call(kind, "try_add", List.of(all.of(kind, depth), all.leaf(kind)));
      default -> kind == Kind.DAY_TIME ? distance(depth) : madeOfNumber(depth);
    };
  }

  private Expr risky(Kind kind, Expr operand, int depth) {
    return switch (dice.below(5)) {
      case 0 -> Expr.risky(kind, "(- ", operand, ")");
      case 1 -> Expr.risky(kind, "abs(", operand, ")");
      case 2 -> Expr.risky(kind, "(", operand, dice.pick(" * 2)", " * 1.5D)", " / 3)"));
      default ->
          ExpressionGenerator.riskyInfix(kind, operand, dice.pick("+", "-"), all.of(kind, depth));
    };
  }

  private Expr distance(int depth) {
    Kind kind =
        all.has(Kind.TIME)
            ? dice.pick(Kind.TIME, Kind.DATE)
            : dice.pick(Kind.DATE, Kind.TIMESTAMP, Kind.TIMESTAMP_NTZ);
    return ExpressionGenerator.infix(Kind.DAY_TIME, all.of(kind, depth), "-", all.of(kind, depth));
  }

  private Expr madeOfNumber(int depth) {
    return Expr.of(Kind.YEAR_MONTH, "make_ym_interval(0, ", all.of(Kind.INT, depth), ")");
  }

  private Type anyType(Kind kind) {
    return kind == Kind.YEAR_MONTH
        ? dice.pick(Type.of(kind), Type.interval(kind, "YEAR", 12))
        : dice.pick(
            Type.of(kind),
            Type.interval(kind, "DAY", 86_400),
            Type.interval(kind, "HOUR TO MINUTE", 60));
  }

  /** A field of an interval. */
  Expr part(int depth) {
    Kind kind = all.has(Kind.YEAR_MONTH) ? Kind.YEAR_MONTH : Kind.DAY_TIME;
    String field =
        kind == Kind.YEAR_MONTH ? dice.pick("YEAR", "MONTH") : dice.pick("DAY", "HOUR", "MINUTE");
    return Expr.of(
        Kind.INT,
        "CAST(extract(" + field + " FROM CAST(",
        all.of(kind, depth),
        " AS " + Type.of(kind).sql() + ")) AS INT)");
  }
}
