package io.tally.tests.differential;

import java.util.List;

/** Makes expressions whose value is a number. */
final class Numbers {
  private final ExpressionGenerator all;
  private final Dice dice;

  Numbers(ExpressionGenerator all) {
    this.all = all;
    this.dice = all.dice();
  }

  /**
   * An expression of about this kind: Spark widens some.
   *
   * @param depth of its operands
   */
  Expr of(Kind kind, int depth) {
    return switch (kind) {
      case FLOAT, DOUBLE -> floating(kind, depth);
      case DECIMAL -> decimal(depth);
      default -> integer(kind, depth);
    };
  }

  private Expr integer(Kind kind, int depth) {
    // Only some arithmetic is offered, and only with ANSI; bits and parts of dates always are.
    int roll = all.onlyOffered() && !all.risksAllowed() ? dice.pick(3, 4, 7, 8) : dice.below(12);
    return switch (roll) {
      case 0, 1, 2 -> arithmetic(kind, depth);
      case 3 ->
          ExpressionGenerator.infix(
              kind, all.of(kind, depth), dice.pick("&", "|", "^"), all.of(kind, depth));
      case 4 -> Expr.of(kind, "(~", all.of(kind, depth), ")");
      case 5 -> signed(kind, depth);
      case 6 -> cast(kind, depth);
      case 7, 8, 9 -> ofOtherKind(kind, depth);
      case 10 -> shift(kind, depth);
      default -> division(kind, depth);
    };
  }

  private Expr arithmetic(Kind kind, int depth) {
    String operator = dice.pick("+", "-", "*");
    Expr left = all.of(kind, depth);
    Expr right = dice.chance(50) ? all.literal(kind) : all.of(kind, depth);
    if (all.risksAllowed()) {
      return ExpressionGenerator.riskyInfix(kind, left, operator, right);
    }
    String name =
        switch (operator) {
          case "+" -> "try_add";
          case "-" -> "try_subtract";
          default -> "try_multiply";
        };
    return Expr.call(kind, name, List.of(left, right));
  }

  private Expr division(Kind kind, int depth) {
    Expr divisor =
        dice.chance(60)
            ? Expr.of(kind, "nullif(", all.of(kind, depth), ", CAST(0 AS " + sql(kind) + "))")
            : all.literal(kind);
    if (!all.risksAllowed()) {
      return Expr.of(kind, "try_mod(", all.of(kind, depth), ", ", divisor, ")");
    }
    return dice.chance(50)
        ? ExpressionGenerator.riskyInfix(kind, all.of(kind, depth), "%", divisor)
        : Expr.risky(
            kind, "CAST((", all.of(kind, depth), " div ", divisor, ") AS " + sql(kind) + ")");
  }

  /** Negation and the like overflow for the smallest value. */
  private Expr signed(Kind kind, int depth) {
    Expr operand = all.of(kind, depth);
    if (!all.risksAllowed()) {
      return Expr.of(kind, "CAST(sign(", operand, ") AS " + sql(kind) + ")");
    }
    return switch (dice.below(3)) {
      case 0 -> Expr.risky(kind, "(- ", operand, ")");
      case 1 -> Expr.risky(kind, "abs(", operand, ")");
      default ->
          Expr.risky(kind, "CAST(floor(", all.of(Kind.DOUBLE, depth), ") AS " + sql(kind) + ")");
    };
  }

  private Expr shift(Kind kind, int depth) {
    if (kind == Kind.BYTE || kind == Kind.SHORT) {
      return all.leaf(kind);
    }
    return Expr.of(
        kind,
        dice.pick("shiftleft(", "shiftright(", "shiftrightunsigned("),
        all.of(kind, depth),
        ", " + dice.below(70) + ")");
  }

  private Expr cast(Kind kind, int depth) {
    Kind from =
        dice.pick(
            Kind.BYTE,
            Kind.SHORT,
            Kind.INT,
            Kind.LONG,
            Kind.DECIMAL,
            Kind.DOUBLE,
            Kind.STRING,
            Kind.BOOLEAN);
    Expr operand = all.of(from, depth);
    return all.risksAllowed() && from != Kind.STRING
        ? Expr.risky(kind, "CAST(", operand, " AS " + sql(kind) + ")")
        : Expr.of(kind, "try_cast(", operand, " AS " + sql(kind) + ")");
  }

  private Expr ofOtherKind(Kind kind, int depth) {
    Expr number =
        switch (dice.below(12)) {
          case 0, 1 -> part("year", "quarter", "month", "day", "dayofyear", "weekofyear", depth);
          case 2 -> part("dayofweek", "weekday", "day", "month", "year", "quarter", depth);
          case 3 ->
              Expr.of(
                  Kind.INT,
                  dice.pick("hour(", "minute(", "second("),
                  all.of(timeOfDay(), depth),
                  ")");
          case 4 ->
              Expr.of(
                  Kind.INT,
                  "datediff(",
                  all.of(Kind.DATE, depth),
                  ", ",
                  all.of(Kind.DATE, depth),
                  ")");
          case 5 ->
              Expr.of(
                  Kind.INT,
                  "extract("
                      + dice.pick("YEAROFWEEK", "DOW", "DOY", "WEEK", "DAYOFWEEK_ISO")
                      + " FROM ",
                  all.of(Kind.DATE, depth),
                  ")");
          case 6, 7 ->
              (all.has(Kind.YEAR_MONTH) || all.has(Kind.DAY_TIME)) && dice.chance(40)
                  ? new Intervals(all).part(depth)
                  : new Texts(all).measure(depth);
          case 8 ->
              Expr.of(Kind.INT, "crc32(", all.of(dice.pick(Kind.STRING, Kind.BINARY), depth), ")");
          case 9 ->
              Expr.of(
                  Kind.LONG,
                  "width_bucket(",
                  all.of(Kind.DOUBLE, depth),
                  ", -2.5D, 7.0D, " + dice.between(1, 9) + ")");
          case 10 ->
              all.onlyOffered()
                  ? Expr.of(Kind.INT, "length(", all.of(Kind.STRING, depth), ")")
                  : Expr.of(Kind.INT, "size(", all.leaf(dice.pick(Kind.ARRAY, Kind.MAP)), ")");
          default -> Expr.of(Kind.INT, "if(", all.predicate(depth), ", 1, 0)");
        };
    return kind == Kind.INT || kind == Kind.LONG || all.onlyOffered()
        ? number
        : Expr.of(kind, "try_cast(", number, " AS " + sql(kind) + ")");
  }

  private Kind timeOfDay() {
    return all.has(Kind.TIME) && dice.chance(50)
        ? Kind.TIME
        : dice.pick(Kind.TIMESTAMP, Kind.TIMESTAMP_NTZ);
  }

  private Expr part(String a, String b, String c, String d, String e, String f, int depth) {
    Kind from = dice.pick(Kind.DATE, Kind.DATE, Kind.TIMESTAMP, Kind.TIMESTAMP_NTZ);
    return Expr.of(Kind.INT, dice.pick(a, b, c, d, e, f) + "(", all.of(from, depth), ")");
  }

  private Expr floating(Kind kind, int depth) {
    Expr operand = all.of(dice.chance(70) ? kind : all.numberKind(), depth);
    int roll = all.onlyOffered() && !all.risksAllowed() ? dice.between(5, 9) : dice.below(10);
    Expr number =
        switch (roll) {
          case 0, 1, 2 ->
              ExpressionGenerator.infix(
                  kind, all.of(kind, depth), dice.pick("+", "-", "*"), all.of(kind, depth));
          case 3 ->
              all.risksAllowed()
                  ? ExpressionGenerator.riskyInfix(
                      kind, all.of(kind, depth), dice.pick("/", "%"), all.of(kind, depth))
                  : Expr.of(
                      kind, "try_divide(", all.of(kind, depth), ", ", all.of(kind, depth), ")");
          case 4 -> Expr.of(kind, dice.pick("abs(", "(- ", "(+ ", "sign("), operand, ")");
          case 5 ->
              Expr.of(
                  kind, dice.pick("round(", "bround("), operand, ", " + dice.between(-2, 4) + ")");
          case 6 ->
              Expr.of(
                  kind,
                  dice.pick("sqrt(", "exp(", "ln(", "log10(", "log2(", "cbrt("),
                  operand,
                  ")");
          case 7 ->
              Expr.of(
                  kind,
                  dice.pick(
                      "sin(",
                      "cos(",
                      "tan(",
                      "asin(",
                      "acos(",
                      "atan(",
                      "sinh(",
                      "cosh(",
                      "tanh(",
                      "degrees(",
                      "radians(",
                      "asinh(",
                      "acosh(",
                      "atanh(",
                      "cot("),
                  operand,
                  ")");
          case 8 ->
              Expr.of(
                  kind, dice.pick("pow(", "atan2(", "log("), operand, ", ", all.leaf(kind), ")");
          default -> Expr.of(kind, "CAST(", all.of(all.numberKind(), depth), " AS DOUBLE)");
        };
    return kind == Kind.FLOAT ? Expr.of(kind, "CAST(", number, " AS FLOAT)") : number;
  }

  private Expr decimal(int depth) {
    Expr operand = all.of(Kind.DECIMAL, depth);
    if (!all.risksAllowed() && all.onlyOffered()) {
      return all.leaf(Kind.DECIMAL);
    }
    if (!all.risksAllowed()) {
      return Expr.of(Kind.DECIMAL, "try_cast(", operand, " AS " + anyDecimal() + ")");
    }
    return switch (dice.below(7)) {
      case 0, 1 ->
          ExpressionGenerator.riskyInfix(
              Kind.DECIMAL, operand, dice.pick("+", "-", "*"), all.of(Kind.DECIMAL, depth));
      case 2 ->
          ExpressionGenerator.riskyInfix(
              Kind.DECIMAL, operand, dice.pick("/", "%"), all.of(Kind.DECIMAL, depth));
      case 3 -> Expr.risky(Kind.DECIMAL, "round(", operand, ", " + dice.between(-2, 3) + ")");
      case 4 -> Expr.risky(Kind.DECIMAL, dice.pick("floor(", "ceil("), operand, ")");
      case 5 -> Expr.risky(Kind.DECIMAL, "CAST(", operand, " AS " + anyDecimal() + ")");
      default ->
          Expr.risky(
              Kind.DECIMAL, "CAST(", all.of(all.numberKind(), depth), " AS " + anyDecimal() + ")");
    };
  }

  private String anyDecimal() {
    int precision = dice.between(1, 38);
    return "DECIMAL(" + precision + "," + dice.between(0, Math.min(precision, 18)) + ")";
  }

  private static String sql(Kind kind) {
    return Type.of(kind).sql();
  }
}
