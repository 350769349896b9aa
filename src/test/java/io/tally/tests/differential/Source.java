package io.tally.tests.differential;

import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;

/** What stands behind FROM. */
sealed interface Source {
  String sql();

  /** The common table expressions that it names. */
  default Map<String, String> commonTables() {
    return Map.of();
  }

  /** Sources that are part of this one. */
  default Stream<Source> simpler() {
    return Stream.empty();
  }

  int risks();

  /** No more rows than these come out of it. */
  long mostRows(WorldSpec spec);

  /**
   * A table.
   *
   * @param sample such as {@code TABLESAMPLE (10 PERCENT)}, or empty
   */
  record Table(String name, String alias, String sample) implements Source {
    static final String ALL = "TABLESAMPLE (100 PERCENT)";
    static final String NONE = "TABLESAMPLE (0 PERCENT)";

    @Override
    public String sql() {
      return name + (sample.isEmpty() ? "" : " " + sample) + " " + alias;
    }

    /** Whether it is up to Spark which rows come. */
    boolean isChoice() {
      return !sample.isEmpty() && !sample.equals(ALL) && !sample.equals(NONE);
    }

    @Override
    public int risks() {
      return 0;
    }

    @Override
    public long mostRows(WorldSpec spec) {
      return spec.tables().stream()
          .filter(it -> it.name().equals(name))
          .mapToLong(TableData::rowCount)
          .sum();
    }

    @Override
    public Stream<Source> simpler() {
      return sample.isEmpty() ? Stream.empty() : Stream.of(new Table(name, alias, ""));
    }
  }

  /**
   * A query with a name.
   *
   * @param common the name of a common table expression, which several may share, or empty for a
   *     query in parentheses
   */
  record Sub(Query query, String alias, String common) implements Source {
    @Override
    public String sql() {
      return (common.isEmpty() ? "(" + query.sql() + ")" : common) + " " + alias;
    }

    @Override
    public Map<String, String> commonTables() {
      return common.isEmpty() ? Map.of() : Map.of(common, query.sql());
    }

    @Override
    public Stream<Source> simpler() {
      Stream<Source> queries =
          query.simplerInside().map(simpler -> new Sub(simpler, alias, common));
      return common.isEmpty()
          ? queries
          : Stream.concat(Stream.of(new Sub(query, alias, "")), queries);
    }

    @Override
    public int risks() {
      return query.risks();
    }

    @Override
    public long mostRows(WorldSpec spec) {
      return query.from().mostRows(spec)
          + query.union().map(it -> it.query().from().mostRows(spec)).orElse(0L);
    }
  }

  /** Two sources side by side. */
  record Join(Source left, String kind, Source right, Optional<Expr> on) implements Source {
    @Override
    public String sql() {
      String condition = on.map(it -> " ON " + it.sql()).orElse("");
      return left.sql() + " " + kind + " JOIN " + right.sql() + condition;
    }

    @Override
    public Map<String, String> commonTables() {
      Map<String, String> all = new LinkedHashMap<>(left.commonTables());
      all.putAll(right.commonTables());
      return all;
    }

    @Override
    public Stream<Source> simpler() {
      return Stream.of(
              Stream.of(left, right),
              left.simpler().map(it -> (Source) new Join(it, kind, right, on)),
              right.simpler().map(it -> (Source) new Join(left, kind, it, on)),
              on.stream()
                  .flatMap(Expr::simpler)
                  .map(it -> (Source) new Join(left, kind, right, Optional.of(it))))
          .flatMap(it -> it);
    }

    @Override
    public int risks() {
      return left.risks() + right.risks() + on.map(Expr::risks).orElse(0);
    }

    @Override
    public long mostRows(WorldSpec spec) {
      long one = left.mostRows(spec);
      long other = right.mostRows(spec);
      // Outer joins keep what has no partner.
      return one * other + one + other;
    }
  }
}
