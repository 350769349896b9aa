package io.tally.server.grpc;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.grpc.InsecureServerCredentials;
import io.grpc.Server;
import io.grpc.health.v1.HealthCheckResponse.ServingStatus;
import io.grpc.netty.NettyServerBuilder;
import io.grpc.protobuf.services.HealthStatusManager;
import io.tally.rpc.v1.PartitionServiceGrpc;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What a check of the health of a node says. */
class HealthProbeTest {
  private static final long SHORT_MILLIS = 200;
  private static final long WAIT_SECONDS = 60;

  @ParameterizedTest
  @ValueSource(strings = {"127.0.0.1", "0.0.0.0", "::", "localhost"})
  void aNodeServesWhereverItListens(String host) {
    try (TestNode node = new TestNode(1, 0, 1_000)) {
      assertEquals(Optional.empty(), problem(host, node.server.port()));
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"nowhere.invalid", "a b"})
  void whatIsNoAddressIsSaid(String host) {
    assertEquals(
        Optional.of(host + " is not an address of this machine; check its spelling"),
        problem(host, 7071));
  }

  @Test
  void aNodeThatStopsDoesNotServe() throws Exception {
    HealthStatusManager health = new HealthStatusManager();
    Server server = server(health);
    try {
      health.setStatus(PartitionServiceGrpc.SERVICE_NAME, ServingStatus.NOT_SERVING);
      assertEquals(
          Optional.of("127.0.0.1:" + server.getPort() + " answers, but says NOT_SERVING"),
          problem("127.0.0.1", server.getPort()));
    } finally {
      end(server);
    }
  }

  @Test
  void somethingElseAnswers() throws Exception {
    Server server = server(new HealthStatusManager());
    try {
      String problem = problem("127.0.0.1", server.getPort()).orElseThrow();
      assertTrue(problem.contains(" is no node that serves: NOT_FOUND"), problem);
    } finally {
      end(server);
    }
  }

  @Test
  void nobodyAnswers() throws Exception {
    int port;
    try (ServerSocket silent = new ServerSocket(0, 50, InetAddress.getLoopbackAddress())) {
      port = silent.getLocalPort();
      assertEquals(
          Optional.of("127.0.0.1:" + port + " says nothing for " + SHORT_MILLIS + " ms"),
          HealthProbe.problem(InetSocketAddress.createUnresolved("127.0.0.1", port), SHORT_MILLIS));
    }
    assertEquals(
        Optional.of("127.0.0.1:" + port + " cannot be reached: is the node running?"),
        problem("127.0.0.1", port));
  }

  private static Optional<String> problem(String host, int port) {
    return HealthProbe.problem(InetSocketAddress.createUnresolved(host, port));
  }

  private static Server server(HealthStatusManager health) throws IOException {
    return NettyServerBuilder.forAddress(
            new InetSocketAddress(InetAddress.getLoopbackAddress(), 0),
            InsecureServerCredentials.create())
        .addService(health.getHealthService())
        .build()
        .start();
  }

  private static void end(Server server) throws InterruptedException {
    assertTrue(server.shutdownNow().awaitTermination(WAIT_SECONDS, TimeUnit.SECONDS));
  }
}
