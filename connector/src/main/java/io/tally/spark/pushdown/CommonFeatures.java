package io.tally.spark.pushdown;

import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * Takes the features of every node that may have to answer and says what all of them evaluate, or
 * who does not. Only what all evaluate can be pushed down, because it is decided once for the whole
 * scan. Immutable.
 */
public final class CommonFeatures {
  /** Where there is no node, nothing is missing. */
  public static final CommonFeatures OF_NO_NODE = of(Map.of(), Integer.MAX_VALUE);

  private final Map<String, Set<String>> byNode;
  private final Set<String> common;
  private final int maxExpressionNodes;

  private CommonFeatures(
      Map<String, Set<String>> byNode, Set<String> common, int maxExpressionNodes) {
    this.byNode = byNode;
    this.common = common;
    this.maxExpressionNodes = maxExpressionNodes;
  }

  /**
   * The features in all of {@code byNode}.
   *
   * @param byNode what each node has, by the node's id
   * @param maxExpressionNodes parts that every node accepts in the expressions of a scan
   */
  public static CommonFeatures of(Map<String, Set<String>> byNode, int maxExpressionNodes) {
    Set<String> common = new HashSet<>();
    byNode.values().forEach(common::addAll);
    byNode.values().forEach(common::retainAll);
    return new CommonFeatures(new LinkedHashMap<>(byNode), common, maxExpressionNodes);
  }

  /** Whether every node has the feature. */
  public boolean has(String feature) {
    return byNode.isEmpty() || common.contains(feature);
  }

  /** Which nodes lack a feature, a clause for people; to be asked if some do. */
  public String lacking(String feature) {
    List<String> nodes =
        byNode.entrySet().stream()
            .filter(node -> !node.getValue().contains(feature))
            .map(Map.Entry::getKey)
            .sorted()
            .toList();
    String first = "node \"" + nodes.get(0) + "\"";
    return nodes.size() == 1
        ? first + " lacks the feature " + feature
        : first + " and " + (nodes.size() - 1) + " more lack the feature " + feature;
  }

  int maxExpressionNodes() {
    return maxExpressionNodes;
  }
}
