package io.tally.tests.differential;

/** Makes expressions whose value is a date or a time. */
final class Times {
  private final ExpressionGenerator all;
  private final Dice dice;

  Times(ExpressionGenerator all) {
    this.all = all;
    this.dice = all.dice();
  }

  /**
   * An expression of this kind.
   *
   * @param depth of its operands
   */
  Expr of(Kind kind, int depth) {
    return switch (kind) {
      case DATE -> date(depth);
      case TIMESTAMP -> timestamp(kind, depth);
      case TIME -> time(depth);
      default -> timestamp(Kind.TIMESTAMP_NTZ, depth);
    };
  }

  private Expr date(int depth) {
    Expr operand = all.of(Kind.DATE, depth);
    return switch (all.onlyOffered() ? dice.pick(0, 1, 4) : dice.below(6)) {
      case 0 ->
          Expr.of(
              Kind.DATE,
              dice.pick("date_add(", all.onlyOffered() ? "date_add(" : "date_sub("),
              operand,
              ", " + dice.between(-400, 400) + ")");
      case 1 ->
          Expr.of(
              Kind.DATE,
              "trunc(",
              operand,
              ", '" + dice.pick("YEAR", "QUARTER", "MONTH", "WEEK", "mon", "yyyy", "DAY") + "')");
      case 2 -> Expr.of(Kind.DATE, "last_day(", operand, ")");
      case 3 -> Expr.of(Kind.DATE, "add_months(", operand, ", " + dice.between(-14, 14) + ")");
      case 4 ->
          Expr.of(
              Kind.DATE,
              "CAST(",
              all.of(dice.pick(Kind.TIMESTAMP, Kind.TIMESTAMP_NTZ), depth),
              " AS DATE)");
      default -> Expr.of(Kind.DATE, "next_day(", operand, ", 'MON')");
    };
  }

  private Expr time(int depth) {
    Expr operand = all.of(Kind.TIME, depth);
    return switch (all.onlyOffered() ? 0 : dice.below(all.risksAllowed() ? 3 : 2)) {
      case 0 ->
          // Spark compares no times of different precision.
          Expr.of(Kind.TIME, "CAST(CAST(", operand, " AS TIME(" + dice.below(7) + ")) AS TIME(6))");
      case 1 ->
          Expr.of(
              Kind.TIME,
              "time_trunc('" + dice.pick("HOUR", "MINUTE", "SECOND", "MILLISECOND") + "', ",
              operand,
              ")");
      default ->
          Expr.risky(
              Kind.TIME,
              "(",
              operand,
              dice.pick(" + ", " - ")
                  + dice.pick("INTERVAL '5' MINUTE", "INTERVAL '10' HOUR")
                  + ")");
    };
  }

  private Expr timestamp(Kind kind, int depth) {
    return switch (all.onlyOffered() ? 0 : dice.below(3)) {
      case 0 -> Expr.of(kind, "CAST(", all.of(Kind.DATE, depth), " AS " + kind + ")");
      case 1 ->
          Expr.of(
              kind,
              "CAST(date_trunc('"
                  + dice.pick("YEAR", "MONTH", "DAY", "HOUR", "SECOND", "WEEK")
                  + "', ",
              all.of(kind, depth),
              ") AS " + kind + ")");
      default ->
          Expr.of(
              kind,
              "(",
              all.of(kind, depth),
              dice.pick(" + ", " - ")
                  + dice.pick(
                      "INTERVAL '1' MONTH",
                      "INTERVAL '25' HOUR",
                      "INTERVAL '-3' DAY",
                      "INTERVAL '1' YEAR",
                      "INTERVAL '0.000001' SECOND")
                  + ")");
    };
  }
}
