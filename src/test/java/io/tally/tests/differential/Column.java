package io.tally.tests.differential;

import java.util.List;

/**
 * A column of a generated table.
 *
 * @param pool the values that occur in it, NULL aside; predicates take their constants from here
 * @param tame whether sums of it are the same in any order, so that they can be compared
 */
record Column(String name, Type type, List<Object> pool, boolean tame) {
  Column {
    pool = List.copyOf(pool);
  }
}
