package io.tally.tests.differential;

import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;

/**
 * Takes the atoms of a scope and makes expressions of a wanted kind from them: columns, literals,
 * and what {@link Numbers}, {@link Texts} and {@link Times} know.
 */
final class ExpressionGenerator {
  /** Spark computes what is constant before it asks a source, so that such queries test little. */
  private static final int MOST_ATTEMPTS = 8;

  private final Dice dice;
  private final List<Atom> atoms;
  private final Style style;
  private final Values values;

  /**
   * What expressions may consist of.
   *
   * @param risks whether operations may be used that fail on some values
   * @param offered whether only such are used that Spark offers to a data source ({@code
   *     V2ExpressionBuilder}), so that much can be pushed; LIKE and a few others aside
   */
  record Style(boolean risks, boolean offered) {}

  ExpressionGenerator(Dice dice, List<Atom> atoms, Style style) {
    this.dice = dice;
    this.atoms = atoms.stream().flatMap(atom -> atom.withParts().stream()).toList();
    this.style = style;
    this.values = new Values(dice);
  }

  Dice dice() {
    return dice;
  }

  boolean risksAllowed() {
    return style.risks();
  }

  boolean onlyOffered() {
    return style.offered();
  }

  boolean has(Kind kind) {
    return atoms.stream().anyMatch(it -> it.kind() == kind);
  }

  /** The kind of one of the atoms, or any scalar kind. */
  Kind anyKind() {
    return onlyOffered() || dice.chance(85)
        ? dice.pick(atoms).kind()
        : dice.pick(
            Kind.BOOLEAN, Kind.INT, Kind.LONG, Kind.DOUBLE, Kind.DECIMAL, Kind.STRING, Kind.DATE);
  }

  /** A kind that occurs among the atoms and that {@code =} and {@code <} compare. */
  private Kind orderedKind() {
    List<Kind> kinds = atoms.stream().filter(it -> it.type().isOrdered()).map(Atom::kind).toList();
    return kinds.isEmpty() ? Kind.INT : dice.pick(kinds);
  }

  Expr any(int depth) {
    Expr expr = of(anyKind(), depth);
    for (int i = 0; i < MOST_ATTEMPTS && !expr.hasColumn(); i++) {
      expr = of(anyKind(), depth);
    }
    return expr;
  }

  Expr of(Kind kind, int depth) {
    if (depth <= 0 || kind.isNested() || (onlyOffered() && dice.chance(25))) {
      return leaf(kind);
    }
    if (dice.chance(onlyOffered() ? 12 : 22)) {
      return conditional(kind, depth - 1);
    }
    return switch (kind) {
      case BOOLEAN -> predicate(depth);
      case BYTE, SHORT, INT, LONG, FLOAT, DOUBLE, DECIMAL -> new Numbers(this).of(kind, depth - 1);
      case STRING, COLLATED, BINARY -> new Texts(this).of(kind, depth - 1);
      case DATE, TIMESTAMP, TIMESTAMP_NTZ, TIME -> new Times(this).of(kind, depth - 1);
      case YEAR_MONTH, DAY_TIME -> new Intervals(this).of(kind, depth - 1);
      case ARRAY, MAP, STRUCT, VARIANT -> leaf(kind);
    };
  }

  /** A column of the kind if there is one, else a literal. */
  Expr leaf(Kind kind) {
    List<Atom> candidates = atoms.stream().filter(atom -> atom.kind() == kind).toList();
    return candidates.isEmpty() || dice.chance(6) ? literal(kind) : dice.pick(candidates).expr();
  }

  /** A literal, most often of a value that occurs. */
  Expr literal(Kind kind) {
    List<Atom> candidates =
        atoms.stream().filter(it -> it.kind() == kind && !it.pool().isEmpty()).toList();
    if (!candidates.isEmpty() && dice.chance(75)) {
      return literalOf(dice.pick(candidates));
    }
    Type type = typeOf(kind);
    Object value = dice.chance(4) ? null : values.any(type, dice.chance(50));
    return Expr.leaf(kind, Values.literal(type, value));
  }

  private Expr literalOf(Atom atom) {
    return Expr.leaf(atom.kind(), Values.literal(atom.type(), dice.pick(atom.pool())));
  }

  private Type typeOf(Kind kind) {
    List<Atom> same = atoms.stream().filter(atom -> atom.kind() == kind).toList();
    if (!same.isEmpty()) {
      return dice.pick(same).type();
    }
    return switch (kind) {
      case DECIMAL -> Type.decimal(10, 2);
      case ARRAY -> Type.array(Type.of(Kind.INT));
      case MAP -> Type.map(Type.of(Kind.STRING), Type.of(Kind.INT));
      case STRUCT -> Type.struct(List.of(Type.of(Kind.INT)));
      default -> Type.of(kind);
    };
  }

  private Expr conditional(Kind kind, int depth) {
    return switch (dice.below(7)) {
      case 0 -> Expr.call(kind, "coalesce", List.of(of(kind, depth), of(kind, depth)));
      case 1 ->
          Expr.of(kind, "if(", predicate(depth), ", ", of(kind, depth), ", ", of(kind, depth), ")");
      case 2 -> Expr.of(kind, "(CASE WHEN ", predicate(depth), " THEN ", of(kind, depth), " END)");
      case 3 ->
          Expr.of(
              kind,
              "(CASE WHEN ",
              predicate(depth),
              " THEN ",
              of(kind, depth),
              " WHEN ",
              predicate(depth),
              " THEN ",
              of(kind, depth),
              " ELSE ",
              of(kind, depth),
              " END)");
      case 4 -> Expr.call(kind, "nullif", List.of(of(kind, depth), leaf(kind)));
      case 5 -> Expr.call(kind, "greatest", List.of(of(kind, depth), of(kind, depth)));
      default -> Expr.call(kind, "least", List.of(of(kind, depth), of(kind, depth), leaf(kind)));
    };
  }

  /** A predicate, simple at depth 1 and deeper by chance; a constant one only rarely. */
  Expr predicate(int depth) {
    Expr predicate = anyPredicate(depth);
    for (int i = 0; i < MOST_ATTEMPTS && !predicate.hasColumn(); i++) {
      predicate = anyPredicate(depth);
    }
    return predicate;
  }

  private Expr anyPredicate(int depth) {
    if (depth > 1 && dice.chance(45)) {
      return switch (dice.below(5)) {
        case 0, 1 -> infix(Kind.BOOLEAN, predicate(depth - 1), "AND", predicate(depth - 1));
        case 2, 3 -> infix(Kind.BOOLEAN, predicate(depth - 1), "OR", predicate(depth - 1));
        default -> Expr.of(Kind.BOOLEAN, "(NOT ", predicate(depth - 1), ")");
      };
    }
    return switch (dice.below(onlyOffered() ? 12 : 14)) {
      case 0, 1, 2, 3, 4 -> comparison(depth - 1);
      case 5, 6 -> inList(depth - 1);
      case 7 ->
          Expr.of(
              Kind.BOOLEAN, "(", any(depth - 1), dice.chance(50) ? " IS NULL)" : " IS NOT NULL)");
      case 8 -> between(depth - 1);
      case 9, 10 -> new Texts(this).predicate(depth - 1);
      case 11 -> leaf(Kind.BOOLEAN);
      case 12 -> Expr.of(Kind.BOOLEAN, "isnan(", leaf(dice.pick(Kind.FLOAT, Kind.DOUBLE)), ")");
      default ->
          Expr.of(
              Kind.BOOLEAN,
              "(",
              predicate(depth - 1 > 0 ? depth - 1 : 0),
              dice.pick(" IS TRUE)", " IS NOT TRUE)", " IS FALSE)", " IS UNKNOWN)"));
    };
  }

  private Expr comparison(int depth) {
    Kind kind = orderedKind();
    String operator = dice.pick("=", "=", "<>", "<", "<=", ">", ">=", "<=>");
    if (kind.isNested()) {
      return nestedComparison(kind, operator);
    }
    Expr left = of(kind, depth);
    Expr right =
        dice.chance(60)
            ? literal(kind)
            : dice.chance(20) && kind.isNumber() ? of(numberKind(), depth) : of(kind, depth);
    // Spark knows what comes of comparing a column with itself, and often need not read it then.
    boolean same = left.sql().equals(right.sql()) && dice.chance(90);
    return infix(Kind.BOOLEAN, left, operator, same ? literal(kind) : right);
  }

  /** Both sides have one type. */
  private Expr nestedComparison(Kind kind, String operator) {
    Atom atom =
        dice.pick(atoms.stream().filter(it -> it.kind() == kind && it.type().isOrdered()).toList());
    Expr right =
        atom.pool().isEmpty() || dice.chance(10)
            ? atom.expr()
            : Expr.leaf(kind, Values.literal(atom.type(), dice.pick(atom.pool())));
    return infix(Kind.BOOLEAN, atom.expr(), operator, right);
  }

  private Expr between(int depth) {
    Kind kind = orderedKind();
    if (kind.isNested() || kind == Kind.BOOLEAN) {
      return comparison(depth);
    }
    return Expr.of(
        Kind.BOOLEAN,
        "(",
        of(kind, depth),
        dice.chance(20) ? " NOT BETWEEN " : " BETWEEN ",
        literal(kind),
        " AND ",
        literal(kind),
        ")");
  }

  private Expr inList(int depth) {
    Kind kind = orderedKind();
    if (kind.isNested()) {
      return comparison(depth);
    }
    int size = dice.chance(75) ? dice.between(1, 5) : dice.between(11, 60);
    List<Object> parts = new ArrayList<>(List.of("(", of(kind, depth)));
    parts.add(dice.chance(25) ? " NOT IN (" : " IN (");
    for (int i = 0; i < size; i++) {
      parts.add(i == 0 ? "" : ", ");
      parts.add(literal(kind).sql());
    }
    if (dice.chance(10)) {
      parts.add(", NULL");
    }
    parts.add("))");
    return Expr.of(Kind.BOOLEAN, parts.toArray());
  }

  Kind numberKind() {
    List<Kind> kinds = atoms.stream().map(Atom::kind).filter(Kind::isNumber).toList();
    return kinds.isEmpty() ? Kind.INT : dice.pick(kinds);
  }

  /** Atoms that can be summed, averaged and correlated with an answer that is the only one. */
  Stream<Atom> summable() {
    return atoms.stream().filter(atom -> atom.kind().isNumber() && atom.tame());
  }

  /** As {@link #summable}, of intervals. */
  List<Atom> summableIntervals() {
    return atoms.stream().filter(atom -> atom.kind().isInterval() && atom.tame()).toList();
  }

  List<Atom> ordered() {
    return atoms.stream().filter(atom -> atom.type().isOrdered()).toList();
  }

  static Expr infix(Kind kind, Expr left, String operator, Expr right) {
    return Expr.of(kind, "(", left, " " + operator + " ", right, ")");
  }

  static Expr riskyInfix(Kind kind, Expr left, String operator, Expr right) {
    return Expr.risky(kind, "(", left, " " + operator + " ", right, ")");
  }
}
