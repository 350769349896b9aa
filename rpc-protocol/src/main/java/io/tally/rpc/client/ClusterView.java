package io.tally.rpc.client;

import io.tally.rpc.v1.Partition;
import io.tally.rpc.v1.UnreadableColumn;
import java.io.Serializable;
import java.util.List;
import java.util.Set;
import org.apache.arrow.vector.types.pojo.Schema;

/**
 * One table as the nodes of a cluster hold it at one moment: schema, nodes and partitions with
 * their owners. Immutable.
 *
 * @param table name of the table
 * @param schema what every node agrees on: the columns that all of them can send, in the order of
 *     the first; nullable if they are for any
 * @param unreadableColumns columns that some node cannot send
 * @param nodes the live nodes that answered and have the table, in the order of the endpoints
 * @param partitions every partition of the table, ordered by id
 */
public record ClusterView(
    String table,
    Schema schema,
    List<UnreadableColumn> unreadableColumns,
    List<Node> nodes,
    List<OwnedPartition> partitions) {

  /** Copies the lists. */
  public ClusterView {
    unreadableColumns = List.copyOf(unreadableColumns);
    nodes = List.copyOf(nodes);
    partitions = List.copyOf(partitions);
  }

  /**
   * A node that owns partitions of the table, or could.
   *
   * @param layoutVersion as the node named it, to be sent in Open
   * @param features what it evaluates exactly
   * @param maxExpressionNodes parts that the expressions of a scan may have together, at least
   *     10,000
   */
  public record Node(
      NodeAddress address,
      String nodeId,
      String layoutVersion,
      Set<String> features,
      int maxExpressionNodes)
      implements Serializable {
    /** Copies the set. */
    public Node {
      features = Set.copyOf(features);
    }

    @Override
    public String toString() {
      return "\"" + nodeId + "\" (" + address + ")";
    }
  }

  /**
   * A partition and who can answer for it.
   *
   * @param partition as described by its owners; splittable if it is for all of them
   * @param owners at least one; replicas hold the same content
   */
  public record OwnedPartition(Partition partition, List<Node> owners) {
    /** Copies the list. */
    public OwnedPartition {
      owners = List.copyOf(owners);
    }
  }

  /**
   * Asks all endpoints, side by side; takes at most {@code timeoutMillis}.
   *
   * <p>An endpoint that cannot be reached fails the discovery, because nobody else knows what it
   * holds; unless the nodes that answer declare the full list of the table's partitions and own all
   * of it between them. An endpoint that answers but does not have the table owns nothing of it.
   * Two endpoints that lead to one node (same id, same layout, same partitions) count once.
   *
   * @throws io.tally.rpc.TallyException NODE_UNREACHABLE, NOT_A_TALLY_NODE, NODE_SILENT, naming
   *     every endpoint that failed; TABLE_NOT_FOUND if no node has the table; CLUSTER_INCONSISTENT
   *     if nodes disagree on a column, or on the content of a partition that several own, or share
   *     a node id, or own a partition that another's list of the table's partitions lacks;
   *     PARTITION_WITHOUT_OWNER naming partition and table
   */
  public static ClusterView discover(
      NodeChannels channels, List<NodeAddress> endpoints, String table, long timeoutMillis) {
    return Discovery.run(channels, endpoints, table, timeoutMillis).view();
  }
}
