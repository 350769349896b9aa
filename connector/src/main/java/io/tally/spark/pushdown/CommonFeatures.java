package io.tally.spark.pushdown;

import java.util.Collection;
import java.util.HashSet;
import java.util.Iterator;
import java.util.Set;

/**
 * Takes the features of every node that may have to answer and says what all of them evaluate. Only
 * that can be pushed down, because it is decided once for the whole scan.
 */
public final class CommonFeatures {
  private final boolean everything;
  private final Set<String> names;

  private CommonFeatures(boolean everything, Set<String> names) {
    this.everything = everything;
    this.names = Set.copyOf(names);
  }

  /** The features in all of {@code featuresOfNodes}; where there is no node, nothing is missing. */
  public static CommonFeatures of(Collection<Set<String>> featuresOfNodes) {
    Iterator<Set<String>> each = featuresOfNodes.iterator();
    if (!each.hasNext()) {
      return new CommonFeatures(true, Set.of());
    }
    Set<String> common = new HashSet<>(each.next());
    each.forEachRemaining(common::retainAll);
    return new CommonFeatures(false, common);
  }

  /** Whether every node has the feature. */
  public boolean has(String feature) {
    return everything || names.contains(feature);
  }
}
