package io.tally.spark.read;

import io.tally.rpc.client.ClusterView.Node;
import io.tally.rpc.v1.Expression;
import io.tally.rpc.v1.Sample;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;

/**
 * Takes what a scan reads and says which of several nodes that could answer comes first: for equal
 * scans the same, for different ones any, so that they do not all begin with the same node.
 *
 * @param seed of what the scan reads
 */
record Spread(int seed) {

  static Spread of(String table, Optional<Sample> sample, List<Expression> predicates) {
    Spread spread = new Spread(0).and(table);
    if (sample.isPresent()) {
      spread = new Spread(31 * spread.seed + sample.get().toByteString().hashCode());
    }
    for (Expression predicate : predicates) {
      // Of the bytes: messages have another hash in each JVM.
      spread = new Spread(31 * spread.seed + predicate.toByteString().hashCode());
    }
    return spread;
  }

  /** For what reads other columns, too. */
  Spread and(String more) {
    return new Spread(31 * seed + more.hashCode());
  }

  /**
   * Which node comes first.
   *
   * @param what they could answer for: another may come first for something else
   */
  Comparator<Node> order(String what) {
    Spread spread = and(what);
    return Comparator.comparingInt((Node node) -> mixed(spread.and(node.nodeId()).seed))
        .thenComparing(Node::nodeId);
  }

  /** Every bit of the result depends on every bit of the number: the last step of MurmurHash3. */
  private static int mixed(int number) {
    int hash = number;
    hash ^= hash >>> 16;
    hash *= 0x85ebca6b;
    hash ^= hash >>> 13;
    hash *= 0xc2b2ae35;
    hash ^= hash >>> 16;
    return hash;
  }
}
