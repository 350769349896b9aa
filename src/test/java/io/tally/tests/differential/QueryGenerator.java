package io.tally.tests.differential;

import io.tally.tests.differential.ExpressionGenerator.Style;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.stream.IntStream;

/** Takes tables and makes a query over them whose answer is the only right one. */
final class QueryGenerator {
  /** Joins of larger tables could have millions of rows. */
  private static final int MOST_ROWS_IN_JOIN = 100;

  private final Dice dice;
  private final List<TableData> tables;
  private final List<TableData> smallTables;

  QueryGenerator(Dice dice, List<TableData> tables) {
    this.dice = dice;
    this.tables = tables;
    this.smallTables = tables.stream().filter(it -> it.rowCount() <= MOST_ROWS_IN_JOIN).toList();
  }

  Query any() {
    int roll = dice.below(100);
    if (roll < 12 && !smallTables.isEmpty()) {
      return dice.chance(15) ? joinOfCommonTable() : join();
    }
    if (roll < 20) {
      return overSubquery();
    }
    if (roll < 26) {
      return union();
    }
    if (roll < 34) {
      return withSubqueryInPredicate();
    }
    return roll < 38 ? sample() : overTable();
  }

  private Query overTable() {
    TableData table = dice.pick(tables);
    Source from = new Source.Table(table.name(), "t", dice.chance(40) ? "" : sameSample());
    Style style = new Style(dice.chance(60), dice.chance(65));
    Query query = over(from, atoms(table, "t."), style);
    // Whether a risky operation meets its value before LIMIT has enough is up to Spark.
    return style.risks() && query.risks() > 0 ? ordered(query) : limited(ordered(query));
  }

  private Query sample() {
    TableData table = dice.pick(tables);
    String sample =
        dice.pick(
            "TABLESAMPLE (5 ROWS)",
            "TABLESAMPLE (30 PERCENT) REPEATABLE (7)",
            Source.Table.NONE,
            Source.Table.ALL);
    Source from = new Source.Table(table.name(), "t", sample);
    ExpressionGenerator all = safe(atoms(table, "t."));
    return Query.of(items(all), from).withWhere(dice.chance(30) ? where(all) : List.of());
  }

  private Query over(Source from, List<Atom> atoms, Style style) {
    ExpressionGenerator all = new ExpressionGenerator(dice, atoms, style);
    return dice.chance(60) ? grouped(from, all) : plain(from, all);
  }

  private Query plain(Source from, ExpressionGenerator all) {
    Query query = Query.of(items(all), from).withWhere(where(all));
    boolean distinct = dice.chance(15) && query.items().stream().allMatch(Item::isOrdered);
    return query.withDistinct(distinct);
  }

  private List<Item> items(ExpressionGenerator all) {
    List<Item> items = new ArrayList<>();
    int count = dice.between(1, 4);
    for (int i = 0; i < count; i++) {
      items.add(Item.of(all.any(dice.chance(70) ? 0 : 2)));
    }
    return items;
  }

  private List<Expr> where(ExpressionGenerator all) {
    List<Expr> conjuncts = new ArrayList<>();
    int count = dice.pick(0, 0, 1, 1, 1, 2, 3);
    for (int i = 0; i < count; i++) {
      conjuncts.add(all.predicate(dice.between(1, 3)));
    }
    return conjuncts;
  }

  private Query grouped(Source from, ExpressionGenerator all) {
    List<Expr> keys = new ArrayList<>();
    int keyCount = dice.pick(0, 0, 1, 1, 1, 2, 3);
    List<Atom> candidates = all.ordered();
    for (int i = 0; i < keyCount && !candidates.isEmpty(); i++) {
      new Keys(all).any(dice.pick(candidates)).ifPresent(keys::add);
    }
    List<Item> items = new ArrayList<>();
    for (int i = 0; i < keys.size(); i++) {
      if (dice.chance(90)) {
        items.add(new Item(keys.get(i), Closeness.ofValue(keys.get(i).kind()), i));
      }
    }
    Aggregates aggregates = new Aggregates(all);
    int count = dice.between(keys.isEmpty() || items.isEmpty() ? 1 : 0, 4);
    List<Item> made = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      made.add(aggregates.any());
    }
    items.addAll(made);
    Query query = Query.of(items, from).withWhere(where(all)).withItems(items, keys);
    return dice.chance(20) ? withHaving(query, keys, made) : query;
  }

  private Query withHaving(Query query, List<Expr> keys, List<Item> aggregates) {
    List<Atom> atoms = new ArrayList<>();
    keys.forEach(key -> atoms.add(new Atom(key, Type.of(key.kind()), List.of(), false)));
    aggregates.stream()
        .filter(it -> it.isOrdered() && it.closeness() == Closeness.EXACT)
        .forEach(it -> atoms.add(new Atom(it.expr(), Type.of(it.kind()), List.of(), false)));
    List<Atom> scalar = atoms.stream().filter(it -> !it.kind().isNested()).toList();
    return scalar.isEmpty() ? query : query.withHaving(Optional.of(safe(scalar).predicate(2)));
  }

  private Query join() {
    TableData left = dice.pick(smallTables);
    TableData right = dice.chance(25) ? left : dice.pick(smallTables);
    List<Atom> leftAtoms = atoms(left, "t.");
    List<Atom> rightAtoms = atoms(right, "u.");
    List<Atom> both = new ArrayList<>(leftAtoms);
    String kind = dice.pick("INNER", "INNER", "LEFT", "RIGHT", "FULL", "LEFT SEMI", "LEFT ANTI");
    if (!kind.startsWith("LEFT ")) {
      both.addAll(rightAtoms);
    }
    Source from =
        new Source.Join(
            new Source.Table(left.name(), "t", sameSample()),
            kind,
            new Source.Table(right.name(), "u", sameSample()),
            Optional.of(joinCondition(leftAtoms, rightAtoms)));
    return limited(ordered(over(from, both, safeStyle())));
  }

  /** Mostly none, else one that leaves no choice. */
  private String sameSample() {
    return dice.chance(95) ? "" : dice.chance(80) ? Source.Table.ALL : Source.Table.NONE;
  }

  private Expr joinCondition(List<Atom> left, List<Atom> right) {
    List<Expr> equal = new ArrayList<>();
    for (Atom a : left) {
      for (Atom b : right) {
        boolean alike = a.kind() == b.kind() || (a.kind().isNumber() && b.kind().isNumber());
        if (alike && !a.kind().isNested() && a.type().isOrdered()) {
          equal.add(
              ExpressionGenerator.infix(
                  Kind.BOOLEAN, a.expr(), dice.chance(85) ? "=" : "<=>", b.expr()));
        }
      }
    }
    if (equal.isEmpty()) {
      return Expr.leaf(Kind.BOOLEAN, "true");
    }
    Expr key = dice.pick(equal);
    if (dice.chance(70)) {
      return key;
    }
    List<Atom> both = new ArrayList<>(left);
    both.addAll(right);
    return ExpressionGenerator.infix(Kind.BOOLEAN, key, "AND", safe(both).predicate(1));
  }

  private Query overSubquery() {
    Query inner = subquery(dice.pick(tables));
    List<Atom> atoms = atoms(inner, "s.");
    Source from = new Source.Sub(inner, "s", dice.chance(40) ? "common_s" : "");
    return atoms.isEmpty() ? inner : limited(ordered(over(from, atoms, safeStyle())));
  }

  private Query joinOfCommonTable() {
    Query inner = subquery(dice.pick(smallTables));
    List<Atom> left = atoms(inner, "s.");
    List<Atom> right = atoms(inner, "u.");
    if (left.isEmpty()) {
      return inner;
    }
    List<Atom> both = new ArrayList<>(left);
    both.addAll(right);
    Source from =
        new Source.Join(
            new Source.Sub(inner, "s", "common"),
            dice.pick("INNER", "LEFT", "FULL"),
            new Source.Sub(inner, "u", "common"),
            Optional.of(joinCondition(left, right)));
    return limited(ordered(over(from, both, safeStyle())));
  }

  /** A query whose rows are the same each time, where it has columns at all that are. */
  private Query subquery(TableData table) {
    Source base = new Source.Table(table.name(), "t", "");
    Query inner = over(base, atoms(table, "t."), safeStyle());
    List<Item> exact = exactItems(inner);
    if (exact.isEmpty()) {
      return inner;
    }
    inner = inner.withItems(exact, inner.keys());
    Query totally = totallyOrdered(inner);
    return dice.chance(30) && totally.isTotallyOrdered() && noFloating(exact)
        ? limited(totally)
        : inner;
  }

  private static List<Item> exactItems(Query query) {
    return query.items().stream().filter(it -> it.closeness() == Closeness.EXACT).toList();
  }

  /** What a query shows, under an alias. */
  private static List<Atom> atoms(Query query, String qualifier) {
    List<Item> items = query.items();
    List<Atom> atoms = new ArrayList<>();
    for (int i = 0; i < items.size() && exactItems(query).size() == items.size(); i++) {
      Kind kind = items.get(i).kind();
      if (!kind.isNested()) {
        boolean tame = kind == Kind.BYTE || kind == Kind.SHORT;
        atoms.add(new Atom(Expr.leaf(kind, qualifier + "r" + i), Type.of(kind), List.of(), tame));
      }
    }
    return atoms;
  }

  private static boolean noFloating(List<Item> items) {
    return items.stream().noneMatch(it -> it.kind().isFloating());
  }

  private Query union() {
    TableData table = dice.pick(tables);
    ExpressionGenerator all = safe(atoms(table, "t."));
    Source from = new Source.Table(table.name(), "t", "");
    if (dice.chance(30)) {
      Query left = grouped(from, all);
      Query right = left.withWhere(where(all)).withHaving(Optional.empty());
      Query.Union union = new Query.Union("UNION ALL", right);
      return limited(ordered(left.withUnion(Optional.of(union))));
    }
    List<Item> items = items(all).stream().filter(Item::isOrdered).toList();
    if (items.isEmpty()) {
      return overTable();
    }
    Query left = Query.of(items, from).withWhere(where(all));
    List<Item> shuffled =
        items.stream()
            .map(it -> dice.chance(50) || it.kind().isNested() ? it : Item.of(all.of(it.kind(), 1)))
            .toList();
    Query right = Query.of(shuffled, from).withWhere(where(all));
    String operator = dice.pick("UNION ALL", "UNION ALL", "UNION", "EXCEPT", "INTERSECT");
    return limited(ordered(left.withUnion(Optional.of(new Query.Union(operator, right)))));
  }

  private Query withSubqueryInPredicate() {
    TableData outer = dice.pick(tables);
    TableData inner = dice.pick(tables);
    List<Atom> atoms = atoms(outer, "t.");
    Query query = over(new Source.Table(outer.name(), "t", ""), atoms, safeStyle());
    List<Atom> innerAtoms = atoms(inner, "u.");
    return new Subqueries(safe(innerAtoms))
        .predicate(atoms, inner.name(), innerAtoms)
        .map(it -> limited(ordered(withConjunct(query, it))))
        .orElse(query);
  }

  private static Query withConjunct(Query query, Expr predicate) {
    List<Expr> where = new ArrayList<>(query.where());
    where.add(predicate);
    return query.withWhere(where);
  }

  private Query ordered(Query query) {
    if (dice.chance(50)) {
      return query;
    }
    if (dice.chance(60)) {
      return totallyOrdered(query);
    }
    List<Query.OrderKey> some =
        new ArrayList<>(totallyOrdered(query).order().stream().limit(1).toList());
    return query.withEnd(some, OptionalInt.empty(), OptionalInt.empty());
  }

  private Query totallyOrdered(Query query) {
    List<Integer> ordinals =
        new ArrayList<>(
            IntStream.range(0, query.items().size())
                .filter(i -> query.items().get(i).isOrdered())
                .boxed()
                .toList());
    if (dice.chance(60)) {
      Collections.rotate(ordinals, dice.below(4));
    }
    List<Query.OrderKey> order =
        ordinals.stream()
            .map(
                i ->
                    new Query.OrderKey(
                        i,
                        query.items().get(i).expr(),
                        dice.pick(
                            "", " DESC", " ASC NULLS LAST", " DESC NULLS FIRST", " NULLS FIRST")))
            .toList();
    return query.withEnd(order, OptionalInt.empty(), OptionalInt.empty());
  }

  private Query limited(Query query) {
    OptionalInt limit =
        dice.chance(query.order().isEmpty() ? 15 : 45)
            ? OptionalInt.of(dice.pick(0, 1, 2, 5, 10, 40, 1000))
            : OptionalInt.empty();
    OptionalInt offset =
        dice.chance(limit.isPresent() ? 30 : 4)
            ? OptionalInt.of(dice.pick(0, 1, 3, 8))
            : OptionalInt.empty();
    return query.withEnd(query.order(), limit, offset);
  }

  private Style safeStyle() {
    return new Style(false, dice.chance(60));
  }

  private ExpressionGenerator safe(List<Atom> atoms) {
    return new ExpressionGenerator(dice, atoms, safeStyle());
  }

  private static List<Atom> atoms(TableData table, String qualifier) {
    return table.columns().stream().map(column -> Atom.of(qualifier, column)).toList();
  }
}
