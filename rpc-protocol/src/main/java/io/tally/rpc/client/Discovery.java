package io.tally.rpc.client;

import com.google.common.util.concurrent.ListenableFuture;
import io.tally.rpc.TallyException;
import io.tally.rpc.arrow.ArrowSchemas;
import io.tally.rpc.client.ClusterView.Node;
import io.tally.rpc.client.ClusterView.OwnedPartition;
import io.tally.rpc.v1.DescribeNodeResponse;
import io.tally.rpc.v1.DescribeTableResponse;
import io.tally.rpc.v1.ErrorCode;
import io.tally.rpc.v1.Partition;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Collectors;

/**
 * Collects what the endpoints of a cluster answer about one table, and makes a {@link ClusterView}
 * of it if it fits together.
 */
final class Discovery {
  /** What every node accepts, see expression.proto. */
  private static final int LEAST_EXPRESSION_NODES = 10_000;

  /** So many names stand in an error, the others are counted. */
  private static final int MAX_NAMED = 10;

  private final String table;

  /** By node id, in the order of the endpoints. */
  private final Map<String, Answer> answers = new LinkedHashMap<>();

  /** Of the endpoints that may come back: nobody knows what they hold. */
  private final List<TallyException> unreachable = new ArrayList<>();

  /** Of the nodes that do not have the table. */
  private final List<TallyException> withoutTable = new ArrayList<>();

  /** What a node that has the table says. */
  private record Answer(Node node, DescribeTableResponse description) {}

  private record Pending(
      NodeClient client,
      ListenableFuture<DescribeNodeResponse> node,
      ListenableFuture<DescribeTableResponse> table) {}

  private Discovery(String table) {
    this.table = table;
  }

  /** Asks all endpoints before it waits for the first. */
  static Discovery run(
      NodeChannels channels, List<NodeAddress> endpoints, String table, long timeoutMillis) {
    List<Pending> pending =
        endpoints.stream()
            .distinct()
            .map(channels::node)
            .map(
                client ->
                    new Pending(
                        client,
                        client.startDescribeNode(timeoutMillis),
                        client.startDescribeTable(table, timeoutMillis)))
            .toList();
    Discovery discovery = new Discovery(table);
    try {
      pending.forEach(discovery::collect);
    } finally {
      // Ends those that were not waited for because another failed for good.
      pending.forEach(
          calls -> {
            calls.node.cancel(true);
            calls.table.cancel(true);
          });
    }
    return discovery;
  }

  /** The view, once everything fits together. */
  ClusterView view() {
    if (answers.isEmpty()) {
      throw unreachable.isEmpty() ? tableNotFound() : unreachable("");
    }
    Map<String, OwnedPartition> partitions = partitions();
    checkComplete(partitions.keySet());
    CommonSchema schema = new CommonSchema(table);
    for (Answer answer : answers.values()) {
      schema.add(
          answer.node.toString(),
          ArrowSchemas.decode(answer.description.getArrowSchema()),
          answer.description.getUnreadableColumnsList());
    }
    return new ClusterView(
        table,
        schema.schema(),
        schema.unreadableColumns(),
        answers.values().stream().map(Answer::node).toList(),
        List.copyOf(partitions.values()));
  }

  private void collect(Pending calls) {
    try {
      DescribeNodeResponse node = calls.client.await(calls.node);
      DescribeTableResponse description = calls.client.await(calls.table);
      add(calls.client.address(), node, description);
    } catch (TallyException e) {
      if (e.code() == ErrorCode.TABLE_NOT_FOUND) {
        withoutTable.add(e);
      } else if (e.retryable()) {
        unreachable.add(e);
      } else {
        throw e;
      }
    }
  }

  private void add(
      NodeAddress address, DescribeNodeResponse node, DescribeTableResponse description) {
    if (node.getNodeId().isEmpty()) {
      throw new TallyException(
          ErrorCode.PROTOCOL_VIOLATION, "Node " + address + " does not tell its id.");
    }
    Answer answer =
        new Answer(
            new Node(
                address,
                node.getNodeId(),
                description.getLayoutVersion(),
                Set.copyOf(node.getFeaturesList()),
                Math.max(node.getMaxExpressionNodes(), LEAST_EXPRESSION_NODES)),
            description);
    Answer first = answers.putIfAbsent(node.getNodeId(), answer);
    if (first != null && !isSameNode(first, answer)) {
      throw inconsistent(
          "The nodes at %s and %s hold different data and are both called \"%s\"; give each its own id."
              .formatted(first.node.address(), address, node.getNodeId()));
    }
  }

  private static boolean isSameNode(Answer first, Answer second) {
    return first.description.getLayoutVersion().equals(second.description.getLayoutVersion())
        && fingerprints(first).equals(fingerprints(second));
  }

  private static Map<String, String> fingerprints(Answer answer) {
    return answer.description.getPartitionsList().stream()
        .collect(
            Collectors.toMap(Partition::getId, Partition::getFingerprint, (one, other) -> other));
  }

  private Map<String, OwnedPartition> partitions() {
    Map<String, OwnedPartition> partitions = new TreeMap<>();
    for (Answer answer : answers.values()) {
      for (Partition partition : answer.description.getPartitionsList()) {
        partitions.merge(
            partition.getId(), new OwnedPartition(partition, List.of(answer.node)), this::replica);
      }
    }
    return partitions;
  }

  private OwnedPartition replica(OwnedPartition known, OwnedPartition added) {
    Partition one = known.partition();
    Partition other = added.partition();
    if (known.owners().contains(added.owners().get(0))) {
      throw inconsistent(
          "Node %s names partition \"%s\" of table \"%s\" twice."
              .formatted(added.owners().get(0), one.getId(), table));
    }
    if (!one.getFingerprint().equals(other.getFingerprint()) || one.getRows() != other.getRows()) {
      throw inconsistent(
          "Nodes %s and %s both own partition \"%s\" of table \"%s\", with different content (%d and %d rows). Give both the same files, or their partitions different ids."
              .formatted(
                  known.owners().get(0),
                  added.owners().get(0),
                  one.getId(),
                  table,
                  one.getRows(),
                  other.getRows()));
    }
    List<Node> owners = new ArrayList<>(known.owners());
    owners.addAll(added.owners());
    boolean splittable = one.getSplittable() && other.getSplittable();
    return new OwnedPartition(one.toBuilder().setSplittable(splittable).build(), owners);
  }

  private void checkComplete(Set<String> owned) {
    Set<String> unowned = new TreeSet<>();
    boolean declared = false;
    for (Answer answer : answers.values()) {
      Set<String> all = Set.copyOf(answer.description.getClusterPartitionsList());
      if (all.isEmpty()) {
        continue;
      }
      declared = true;
      unowned.addAll(all);
      Set<String> undeclared = new TreeSet<>(owned);
      undeclared.removeAll(all);
      if (!undeclared.isEmpty()) {
        throw inconsistent(
            "Node %s lists all partitions of table \"%s\", but %s, which %s, is not among them."
                .formatted(
                    answer.node,
                    table,
                    names("partition", undeclared),
                    undeclared.size() == 1 ? "another node owns" : "other nodes own"));
      }
    }
    unowned.removeAll(owned);
    if (!unowned.isEmpty()) {
      throw withoutOwner(unowned);
    }
    if (!declared && !unreachable.isEmpty()) {
      throw unreachable(
          " What it holds of table \"%s\" is not known: no node that answers declares all partitions of the table."
              .formatted(table));
    }
  }

  private TallyException withoutOwner(Set<String> unowned) {
    String failures = unreachable.isEmpty() ? "" : " Not reached: " + messages(unreachable);
    TallyException error =
        new TallyException(
            ErrorCode.PARTITION_WITHOUT_OWNER,
            "No live node owns %s of table \"%s\". Start the node that does, or add its address to the endpoints.%s"
                .formatted(names("partition", unowned), table, failures),
            unreachable.isEmpty() ? null : unreachable.get(0));
    unreachable.stream().skip(1).forEach(error::addSuppressed);
    return error;
  }

  private TallyException unreachable(String consequence) {
    TallyException first = unreachable.get(0);
    TallyException error =
        new TallyException(first.code(), messages(unreachable) + consequence, first);
    unreachable.stream().skip(1).forEach(error::addSuppressed);
    return error;
  }

  private TallyException tableNotFound() {
    if (withoutTable.isEmpty()) {
      return new TallyException(
          ErrorCode.NODE_UNREACHABLE, "There are no endpoints to ask for table \"" + table + "\".");
    }
    return new TallyException(
        ErrorCode.TABLE_NOT_FOUND,
        "No node of the cluster has table \"%s\". %s".formatted(table, messages(withoutTable)),
        withoutTable.get(0));
  }

  private static TallyException inconsistent(String sentence) {
    return new TallyException(ErrorCode.CLUSTER_INCONSISTENT, sentence);
  }

  private static String messages(List<TallyException> errors) {
    String named =
        errors.stream()
            .limit(MAX_NAMED)
            .map(TallyException::getMessage)
            .collect(Collectors.joining(" "));
    return errors.size() > MAX_NAMED
        ? named + " And " + (errors.size() - MAX_NAMED) + " more like it."
        : named;
  }

  private static String names(String noun, Set<String> names) {
    String named =
        names.stream()
            .limit(MAX_NAMED)
            .map(name -> "\"" + name + "\"")
            .collect(Collectors.joining(", "));
    String more = names.size() > MAX_NAMED ? " and " + (names.size() - MAX_NAMED) + " more" : "";
    return noun + (names.size() == 1 ? " " : "s ") + named + more;
  }
}
