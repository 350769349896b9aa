package io.tally.tests.differential;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.TreeSet;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/**
 * A query as a tree, so that it can be shrunk.
 *
 * @param where conjuncts
 * @param keys of GROUP BY; items that show one refer to it by number
 * @param union what follows the query itself, such as {@code UNION ALL SELECT …}
 * @param order keys of ORDER BY
 */
record Query(
    boolean distinct,
    List<Item> items,
    Source from,
    List<Expr> where,
    List<Expr> keys,
    Optional<Expr> having,
    Optional<Union> union,
    List<OrderKey> order,
    OptionalInt limit,
    OptionalInt offset) {

  /** A second query whose rows are added or subtracted. */
  record Union(String operator, Query query) {}

  /**
   * A key of ORDER BY.
   *
   * @param ordinal of an item, from 0, or -1 if {@code expr} is the key
   */
  record OrderKey(int ordinal, Expr expr, String direction) {
    String sql() {
      return (ordinal >= 0 ? "" + (ordinal + 1) : expr.sql()) + direction;
    }
  }

  Query {
    items = List.copyOf(items);
    where = List.copyOf(where);
    keys = List.copyOf(keys);
    order = List.copyOf(order);
  }

  /** A query of these items and nothing else. */
  static Query of(List<Item> items, Source from) {
    return new Query(
        false,
        items,
        from,
        List.of(),
        List.of(),
        Optional.empty(),
        Optional.empty(),
        List.of(),
        OptionalInt.empty(),
        OptionalInt.empty());
  }

  String sql() {
    StringBuilder sql = new StringBuilder();
    Map<String, String> common = commonTables();
    if (!common.isEmpty()) {
      sql.append(
          common.entrySet().stream()
              .map(it -> it.getKey() + " AS (" + it.getValue() + ")")
              .collect(Collectors.joining(", ", "WITH ", " ")));
    }
    sql.append(core());
    union.ifPresent(it -> sql.append(' ').append(it.operator).append(' ').append(it.query.core()));
    append(sql, " ORDER BY ", ", ", order.stream().map(OrderKey::sql).toList());
    limit.ifPresent(it -> sql.append(" LIMIT ").append(it));
    offset.ifPresent(it -> sql.append(" OFFSET ").append(it));
    return sql.toString();
  }

  private Map<String, String> commonTables() {
    Map<String, String> all = new LinkedHashMap<>(from.commonTables());
    union.ifPresent(it -> all.putAll(it.query.commonTables()));
    return all;
  }

  private String core() {
    StringBuilder sql = new StringBuilder(distinct ? "SELECT DISTINCT " : "SELECT ");
    append(
        sql,
        "",
        ", ",
        IntStream.range(0, items.size())
            .mapToObj(i -> itemSql(items.get(i)) + " AS r" + i)
            .toList());
    sql.append(" FROM ").append(from.sql());
    append(sql, " WHERE ", " AND ", where.stream().map(Expr::sql).toList());
    append(sql, " GROUP BY ", ", ", keys.stream().map(Expr::sql).toList());
    having.ifPresent(it -> sql.append(" HAVING ").append(it.sql()));
    return sql.toString();
  }

  private String itemSql(Item item) {
    return item.isKey() ? keys.get(item.key()).sql() : item.expr().sql();
  }

  private static void append(StringBuilder sql, String before, String between, List<String> parts) {
    if (!parts.isEmpty()) {
      sql.append(before).append(String.join(between, parts));
    }
  }

  /** How many operations may fail on some value. */
  int risks() {
    return Stream.of(items.stream().map(Item::expr), where.stream(), keys.stream(), having.stream())
            .flatMap(it -> it)
            .mapToInt(Expr::risks)
            .sum()
        + from.risks()
        + union.map(it -> it.query.risks()).orElse(0);
  }

  /** Whether the predicates can be evaluated in another order, of which one fails and one not. */
  boolean hasRiskInOneOfSeveralPredicates() {
    boolean several =
        where.size() > 1
            || having.isPresent()
            || where.stream().anyMatch(it -> it.sql().contains(" AND "));
    // Spark evaluates a condition on keys before it groups, among those of WHERE.
    Stream<Expr> onKeys =
        having.stream().flatMap(it -> Stream.concat(Stream.of(it), keys.stream()));
    return several && Stream.concat(where.stream(), onKeys).anyMatch(it -> it.risks() > 0);
  }

  boolean isLimited() {
    return limit.isPresent() || offset.isPresent();
  }

  boolean isSampled() {
    return from instanceof Source.Table table && table.isChoice();
  }

  /** The items by which the answer is ordered, up to the first key that is no item. */
  List<Integer> orderedItems() {
    return order.stream().takeWhile(it -> it.ordinal >= 0).map(OrderKey::ordinal).toList();
  }

  /** Whether ORDER BY leaves no choice: rows that it takes as equal are equal. */
  boolean isTotallyOrdered() {
    TreeSet<Integer> sorted = new TreeSet<>(order.stream().map(OrderKey::ordinal).toList());
    boolean byItems =
        IntStream.range(0, items.size())
            .allMatch(i -> sorted.contains(i) || !items.get(i).isOrdered());
    boolean allOrdered = items.stream().allMatch(Item::isOrdered);
    TreeSet<Integer> shown = new TreeSet<>(items.stream().map(Item::key).toList());
    boolean keysDecide =
        union.isEmpty()
            && !keys.isEmpty()
            && IntStream.range(0, keys.size()).allMatch(shown::contains);
    return byItems && (allOrdered || keysDecide);
  }

  /** All rows of which LIMIT, OFFSET and a sample choose. */
  Query unlimited() {
    Source whole =
        from instanceof Source.Table table
            ? new Source.Table(table.name(), table.alias(), "")
            : from;
    return new Query(
        distinct,
        items,
        whole,
        where,
        keys,
        having,
        union,
        List.of(),
        OptionalInt.empty(),
        OptionalInt.empty());
  }

  /** Simpler queries, the simplest first; not all of them are valid. */
  Stream<Query> simpler() {
    return Stream.of(
            union.stream().flatMap(it -> Stream.of(withUnion(Optional.empty()), it.query)),
            from instanceof Source.Sub sub ? Stream.of(sub.query()) : Stream.<Query>empty(),
            Stream.of(
                withEnd(List.of(), OptionalInt.empty(), OptionalInt.empty()),
                withEnd(order, limit, OptionalInt.empty()),
                withEnd(order, OptionalInt.empty(), OptionalInt.empty()),
                withEnd(List.of(), limit, offset)),
            Stream.of(withHaving(Optional.empty()), withWhere(List.of()), withDistinct()),
            withoutOne(where).map(this::withWhere),
            IntStream.range(0, items.size()).mapToObj(this::withoutItem).flatMap(Optional::stream),
            IntStream.range(0, keys.size()).mapToObj(this::withoutKey),
            simplerInside())
        .flatMap(it -> it)
        .filter(it -> !it.items.isEmpty() && it.hasItsKeys() && !it.equals(this));
  }

  /** Whether every key that an item shows is there. */
  private boolean hasItsKeys() {
    return items.stream().allMatch(it -> it.key() < keys.size());
  }

  /** Simpler queries with the same items. */
  Stream<Query> simplerInside() {
    return Stream.of(
            withoutOne(where).map(this::withWhere),
            from.simpler().map(this::withFrom),
            simplerElement(where).map(this::withWhere),
            having.stream().flatMap(Expr::simpler).map(it -> withHaving(Optional.of(it))),
            simplerElement(keys).map(this::withKeys),
            IntStream.range(0, items.size())
                .boxed()
                .flatMap(i -> items.get(i).expr().simpler().map(expr -> withItem(i, expr))),
            union.stream()
                .flatMap(
                    it ->
                        it.query
                            .simplerInside()
                            .map(q -> withUnion(Optional.of(new Union(it.operator, q))))))
        .flatMap(it -> it);
  }

  private static Stream<List<Expr>> withoutOne(List<Expr> list) {
    return IntStream.range(0, list.size())
        .mapToObj(
            i -> {
              List<Expr> shorter = new ArrayList<>(list);
              shorter.remove(i);
              return shorter;
            });
  }

  private static Stream<List<Expr>> simplerElement(List<Expr> list) {
    return IntStream.range(0, list.size())
        .boxed()
        .flatMap(
            i ->
                list.get(i)
                    .simpler()
                    .map(
                        expr -> {
                          List<Expr> changed = new ArrayList<>(list);
                          changed.set(i, expr);
                          return changed;
                        }));
  }

  /** Not for unions, whose sides have the same number of columns. */
  private Optional<Query> withoutItem(int index) {
    if (items.size() == 1 || union.isPresent()) {
      return Optional.empty();
    }
    List<Item> fewer = new ArrayList<>(items);
    fewer.remove(index);
    List<OrderKey> shifted =
        order.stream()
            .filter(it -> it.ordinal != index)
            .map(
                it -> it.ordinal > index ? new OrderKey(it.ordinal - 1, it.expr, it.direction) : it)
            .toList();
    return Optional.of(withItems(fewer, keys).withEnd(shifted, limit, offset));
  }

  private Query withoutKey(int index) {
    List<Expr> fewer = new ArrayList<>(keys);
    fewer.remove(index);
    Query query = this;
    for (int i = items.size() - 1; i >= 0; i--) {
      if (query.items.get(i).key() == index) {
        query = query.withoutItem(i).orElse(query);
      }
    }
    List<Item> renumbered =
        query.items.stream()
            .map(it -> it.key() > index ? new Item(it.expr(), it.closeness(), it.key() - 1) : it)
            .toList();
    return query.withItems(renumbered, fewer);
  }

  private Query withItem(int index, Expr expr) {
    List<Item> changed = new ArrayList<>(items);
    Item item = items.get(index);
    changed.set(index, new Item(expr, item.closeness(), item.key()));
    return withItems(changed, keys);
  }

  Query withItems(List<Item> changedItems, List<Expr> changedKeys) {
    return new Query(
        distinct, changedItems, from, where, changedKeys, having, union, order, limit, offset);
  }

  private Query withKeys(List<Expr> changed) {
    return withItems(items, changed);
  }

  private Query withDistinct() {
    return withDistinct(false);
  }

  Query withDistinct(boolean changed) {
    return new Query(changed, items, from, where, keys, having, union, order, limit, offset);
  }

  private Query withFrom(Source changed) {
    return new Query(distinct, items, changed, where, keys, having, union, order, limit, offset);
  }

  Query withWhere(List<Expr> changed) {
    return new Query(distinct, items, from, changed, keys, having, union, order, limit, offset);
  }

  Query withHaving(Optional<Expr> changed) {
    return new Query(distinct, items, from, where, keys, changed, union, order, limit, offset);
  }

  Query withUnion(Optional<Union> changed) {
    return new Query(distinct, items, from, where, keys, having, changed, order, limit, offset);
  }

  Query withEnd(List<OrderKey> changedOrder, OptionalInt changedLimit, OptionalInt changedOffset) {
    return new Query(
        distinct,
        items,
        from,
        where,
        keys,
        having,
        union,
        changedOrder,
        changedLimit,
        changedOffset);
  }
}
