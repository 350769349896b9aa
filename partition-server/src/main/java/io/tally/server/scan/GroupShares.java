package io.tally.server.scan;

import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.OptionalDouble;

/**
 * Remembers how many groups there were for each row, for groupings that were looked at before, so
 * that looking is paid for once. Data that a node serves does not change. For any thread.
 */
final class GroupShares {
  private static final int MOST_REMEMBERED = 1_000;

  /** Longer statements are looked at anew each time. */
  private static final int MAX_STATEMENT_CHARS = 20_000;

  private final Map<String, Double> shares =
      Collections.synchronizedMap(
          new LinkedHashMap<>(16, 0.75f, true) {
            private static final long serialVersionUID = 1;

            @Override
            protected boolean removeEldestEntry(Map.Entry<String, Double> eldest) {
              return size() > MOST_REMEMBERED;
            }
          });

  /** What was found by this statement before. */
  OptionalDouble find(Sql statement) {
    Double share = shares.get(key(statement));
    return share == null ? OptionalDouble.empty() : OptionalDouble.of(share);
  }

  void remember(Sql statement, double share) {
    String key = key(statement);
    if (key.length() <= MAX_STATEMENT_CHARS) {
      shares.put(key, share);
    }
  }

  /** Other values in a predicate may leave rows that are quite another share. */
  private static String key(Sql statement) {
    return statement.text() + statement.parameters();
  }
}
