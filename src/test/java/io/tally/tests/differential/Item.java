package io.tally.tests.differential;

/**
 * One output column of a query.
 *
 * @param key index of the group key that it shows, or -1
 */
record Item(Expr expr, Closeness closeness, int key) {
  static Item of(Expr expr) {
    return new Item(expr, Closeness.ofValue(expr.kind()), -1);
  }

  boolean isKey() {
    return key >= 0;
  }

  Kind kind() {
    return expr.kind();
  }

  /** Whether rows can be put in the same order by it in all three answers. */
  boolean isOrdered() {
    return kind().isOrdered() && !closeness.isRounded();
  }
}
