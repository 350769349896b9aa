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

  private final int maxExpressionNodes;

  private CommonFeatures(boolean everything, Set<String> names, int maxExpressionNodes) {
    this.everything = everything;
    this.names = Set.copyOf(names);
    this.maxExpressionNodes = maxExpressionNodes;
  }

  /**
   * The features in all of {@code featuresOfNodes}; where there is no node, nothing is missing.
   *
   * @param maxExpressionNodes parts that every node accepts in the expressions of a scan
   */
  public static CommonFeatures of(Collection<Set<String>> featuresOfNodes, int maxExpressionNodes) {
    Iterator<Set<String>> each = featuresOfNodes.iterator();
    if (!each.hasNext()) {
      return new CommonFeatures(true, Set.of(), maxExpressionNodes);
    }
    Set<String> common = new HashSet<>(each.next());
    each.forEachRemaining(common::retainAll);
    return new CommonFeatures(false, common, maxExpressionNodes);
  }

  /** Whether every node has the feature. */
  public boolean has(String feature) {
    return everything || names.contains(feature);
  }

  int maxExpressionNodes() {
    return maxExpressionNodes;
  }
}
