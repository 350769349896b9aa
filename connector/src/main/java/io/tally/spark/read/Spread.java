package io.tally.spark.read;

import com.google.protobuf.MessageLite;
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
  /** Of what is longer, the length says enough: a list of keys would be written out each time. */
  private static final int MAX_HASHED_BYTES = 4_096;

  static Spread of(String table, Optional<Sample> sample, List<Expression> predicates) {
    Spread spread = new Spread(0).and(table);
    if (sample.isPresent()) {
      spread = spread.and(sample.get());
    }
    for (Expression predicate : predicates) {
      spread = spread.and(predicate);
    }
    return spread;
  }

  /** By the bytes: messages have another hash in each JVM. */
  Spread and(MessageLite message) {
    int bytes = message.getSerializedSize();
    int hash = bytes > MAX_HASHED_BYTES ? bytes : message.toByteString().hashCode();
    return new Spread(31 * seed + hash);
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
