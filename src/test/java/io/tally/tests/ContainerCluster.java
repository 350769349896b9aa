package io.tally.tests;

import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;
import java.util.stream.Collectors;
import org.testcontainers.containers.Network;

/**
 * The three nodes of {@code examples/compose} in containers, on a network of their own, each with
 * two months of flights and the airports: hands on the endpoints for Spark. Closing removes
 * containers and network.
 */
final class ContainerCluster implements AutoCloseable {
  private final Network network = Network.newNetwork();
  private final List<ContainerNode> nodes;

  private ContainerCluster(ContainerImage image) {
    this.nodes =
        List.of(
            new ContainerNode("node-a", image, network, months("2001-01", "2001-02", "2001-03-01")),
            new ContainerNode("node-b", image, network, months("2001-03", "2001-04", "2001-05-01")),
            new ContainerNode(
                "node-c", image, network, months("2001-05", "2001-06", "2001-07-02")));
  }

  private static Map<String, String> months(String first, String second, String end) {
    return Map.of("FIRST_MONTH", first, "SECOND_MONTH", second, "END", end);
  }

  /** Starts the three side by side and waits until all listen. */
  static ContainerCluster start(ContainerImage image) {
    ContainerCluster cluster = new ContainerCluster(image);
    try {
      cluster.each(ContainerNode::start);
      return cluster;
    } catch (RuntimeException e) {
      System.err.println(cluster.logs());
      cluster.close();
      throw e;
    }
  }

  /** Does the same to all, side by side. */
  void each(Consumer<ContainerNode> action) {
    CompletableFuture.allOf(
            nodes.stream()
                .map(node -> CompletableFuture.runAsync(() -> action.accept(node)))
                .toArray(CompletableFuture<?>[]::new))
        .join();
  }

  ContainerNode node(int index) {
    return nodes.get(index);
  }

  /** What the option {@code endpoints} takes. */
  String endpoints() {
    return nodes.stream().map(ContainerNode::address).collect(Collectors.joining(","));
  }

  String logs() {
    return nodes.stream()
        .map(node -> "== log of " + node.id() + "\n" + node.log())
        .collect(Collectors.joining("\n"));
  }

  @Override
  public void close() {
    try {
      each(ContainerNode::close);
    } finally {
      // Possible as soon as no container is on it.
      network.close();
    }
  }
}
