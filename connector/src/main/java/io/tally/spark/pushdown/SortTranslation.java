package io.tally.spark.pushdown;

import io.tally.rpc.v1.SortKey;
import java.util.List;

/** What became of an order that Spark offered. */
public sealed interface SortTranslation {

  /**
   * Nodes sort as Spark does.
   *
   * @param keys on the wire
   * @param texts one for each key, for people
   */
  record Translated(List<SortKey> keys, List<String> texts) implements SortTranslation {
    public Translated {
      keys = List.copyOf(keys);
      texts = List.copyOf(texts);
    }
  }

  /**
   * Spark sorts.
   *
   * @param reason a clause for people
   */
  record Refused(String reason) implements SortTranslation {}
}
