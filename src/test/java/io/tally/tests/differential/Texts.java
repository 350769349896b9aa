package io.tally.tests.differential;

/** Makes expressions whose value is text or bytes, and predicates over text. */
final class Texts {
  private final ExpressionGenerator all;
  private final Dice dice;

  Texts(ExpressionGenerator all) {
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
      case BINARY -> bytes(depth);
      case COLLATED -> collated(depth);
      default -> text(depth);
    };
  }

  private Expr collated(int depth) {
    return all.onlyOffered() || dice.chance(50)
        ? all.leaf(Kind.COLLATED)
        : Expr.of(Kind.COLLATED, "(", all.of(Kind.STRING, depth), " COLLATE UTF8_LCASE)");
  }

  private Expr bytes(int depth) {
    return switch (dice.below(3)) {
      case 0 -> Expr.of(Kind.BINARY, "CAST(", all.of(Kind.STRING, depth), " AS BINARY)");
      case 1 ->
          Expr.of(
              Kind.BINARY,
              "concat(",
              all.of(Kind.BINARY, depth),
              ", ",
              all.of(Kind.BINARY, depth),
              ")");
      default ->
          Expr.of(
              Kind.BINARY,
              "substring(",
              all.of(Kind.BINARY, depth),
              ", " + dice.between(-3, 3) + ", " + dice.between(-1, 4) + ")");
    };
  }

  private Expr text(int depth) {
    Expr operand = all.of(Kind.STRING, depth);
    return switch (dice.below(all.onlyOffered() ? 12 : 14)) {
      case 0 ->
          Expr.of(
              Kind.STRING,
              dice.pick("upper(", "lower(", all.onlyOffered() ? "upper(" : "initcap("),
              operand,
              ")");
      case 1, 2 -> Expr.of(Kind.STRING, dice.pick("trim(", "ltrim(", "rtrim("), operand, ")");
      case 3 ->
          Expr.of(
              Kind.STRING,
              "trim(" + dice.pick("BOTH ", "LEADING ", "TRAILING "),
              all.literal(Kind.STRING),
              " FROM ",
              operand,
              ")");
      case 4, 5 ->
          Expr.of(
              Kind.STRING,
              "substring(",
              operand,
              ", "
                  + dice.between(-4, 4)
                  + (dice.chance(70) ? ", " + dice.between(-1, 5) : "")
                  + ")");
      case 6, 7 ->
          dice.chance(50)
              ? Expr.of(Kind.STRING, "concat(", operand, ", ", all.leaf(Kind.STRING), ")")
              : ExpressionGenerator.infix(Kind.STRING, operand, "||", all.leaf(Kind.STRING));
      case 8 ->
          Expr.of(
              Kind.STRING,
              dice.pick("lpad(", "rpad("),
              operand,
              ", " + dice.between(-1, 6) + ", ",
              all.leaf(Kind.STRING),
              ")");
      case 9 ->
          Expr.of(
              Kind.STRING,
              dice.pick("translate(", all.onlyOffered() ? "translate(" : "replace("),
              operand,
              ", ",
              all.literal(Kind.STRING),
              ", ",
              all.literal(Kind.STRING),
              ")");
      case 10 ->
          Expr.of(
              Kind.STRING,
              "overlay(",
              operand,
              " PLACING ",
              all.leaf(Kind.STRING),
              " FROM "
                  + dice.between(1, 4)
                  + (dice.chance(50) ? " FOR " + dice.between(0, 3) : "")
                  + ")");
      case 11 ->
          switch (dice.below(4)) {
            case 0 -> Expr.of(Kind.STRING, "md5(", operand, ")");
            case 1 -> Expr.of(Kind.STRING, "sha1(", operand, ")");
            case 2 -> Expr.of(Kind.STRING, "sha2(", operand, ", 256)");
            default -> Expr.of(Kind.STRING, "sha2(", operand, ", 0)");
          };
      case 12 ->
          dice.chance(40)
              ? Expr.of(Kind.STRING, "reverse(", operand, ")")
              : Expr.of(
                  Kind.STRING,
                  dice.pick("left(", "right("),
                  operand,
                  ", " + dice.between(-1, 4) + ")");
      default -> Expr.of(Kind.STRING, "CAST(", all.of(castable(), depth), " AS STRING)");
    };
  }

  /** Kinds whose text does not depend on settings. */
  private Kind castable() {
    Kind rare = dice.pick(Kind.TIME, Kind.YEAR_MONTH, Kind.DAY_TIME);
    if (all.has(rare)) {
      return rare;
    }
    return dice.pick(
        Kind.BOOLEAN,
        Kind.INT,
        Kind.LONG,
        Kind.DECIMAL,
        Kind.DOUBLE,
        Kind.DATE,
        Kind.TIMESTAMP,
        Kind.TIMESTAMP_NTZ);
  }

  /** A length or a position. */
  Expr measure(int depth) {
    Expr operand = all.of(Kind.STRING, depth);
    return switch (dice.below(all.onlyOffered() ? 2 : 5)) {
      case 0 -> Expr.of(Kind.INT, "bit_length(", operand, ")");
      case 1 -> Expr.of(Kind.INT, "length(", operand, ")");
      case 2 -> Expr.of(Kind.INT, dice.pick("bit_length(", "octet_length("), operand, ")");
      case 3 -> Expr.of(Kind.INT, "instr(", operand, ", ", all.literal(Kind.STRING), ")");
      default -> Expr.of(Kind.INT, "ascii(", operand, ")");
    };
  }

  Expr predicate(int depth) {
    Kind kind = all.has(Kind.COLLATED) && dice.chance(40) ? Kind.COLLATED : Kind.STRING;
    Expr operand = all.of(kind, depth);
    if (dice.chance(all.onlyOffered() ? 75 : 45)) {
      return Expr.of(
          Kind.BOOLEAN,
          dice.pick("startswith(", "endswith(", "contains("),
          operand,
          ", ",
          dice.chance(80) ? all.literal(kind) : all.of(kind, depth),
          ")");
    }
    return Expr.of(
        Kind.BOOLEAN, "(", operand, (dice.chance(20) ? " NOT LIKE " : " LIKE ") + pattern() + ")");
  }

  private String pattern() {
    return dice.pick(
        "'a%'",
        "'%b'",
        "'%b%'",
        "'a_b'",
        "'_'",
        "'%'",
        "''",
        "'a%c'",
        "'%a%b%'",
        "'a\\\\_b'",
        "'a\\\\%b'",
        "'%\\\\\\\\%'",
        "'a/_b' ESCAPE '/'",
        "'%/%%' ESCAPE '/'",
        "'日%'",
        "'__'",
        "'%\\n%'");
  }
}
