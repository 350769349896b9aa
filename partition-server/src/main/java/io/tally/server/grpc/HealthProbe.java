package io.tally.server.grpc;

import io.grpc.InsecureChannelCredentials;
import io.grpc.ManagedChannel;
import io.grpc.Status;
import io.grpc.StatusRuntimeException;
import io.grpc.health.v1.HealthCheckRequest;
import io.grpc.health.v1.HealthCheckResponse.ServingStatus;
import io.grpc.health.v1.HealthGrpc;
import io.grpc.netty.NettyChannelBuilder;
import io.tally.rpc.v1.PartitionServiceGrpc;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.UnknownHostException;
import java.util.Optional;
import java.util.concurrent.TimeUnit;

/**
 * Takes the address that a node on this machine listens on, asks it once by gRPC's health service,
 * and hands on why it does not serve.
 */
public final class HealthProbe {
  private static final long TIMEOUT_MILLIS = 5_000;

  private HealthProbe() {}

  /**
   * Returns after at most five seconds.
   *
   * @param address as configured; for 0.0.0.0 and :: the node is asked on loopback
   * @return nothing if the node serves, or what is wrong
   */
  public static Optional<String> problem(InetSocketAddress address) {
    return problem(address, TIMEOUT_MILLIS);
  }

  static Optional<String> problem(InetSocketAddress address, long timeoutMillis) {
    String host;
    try {
      host = reachable(address.getHostString());
    } catch (UnknownHostException e) {
      return Optional.of(
          address.getHostString() + " is not an address of this machine; check its spelling");
    }
    ManagedChannel channel =
        NettyChannelBuilder.forAddress(host, address.getPort(), InsecureChannelCredentials.create())
            .build();
    try {
      ServingStatus status =
          HealthGrpc.newBlockingStub(channel)
              .withDeadlineAfter(timeoutMillis, TimeUnit.MILLISECONDS)
              .check(
                  HealthCheckRequest.newBuilder()
                      .setService(PartitionServiceGrpc.SERVICE_NAME)
                      .build())
              .getStatus();
      return status == ServingStatus.SERVING
          ? Optional.empty()
          : Optional.of(host + ":" + address.getPort() + " answers, but says " + status);
    } catch (StatusRuntimeException e) {
      return Optional.of(
          host + ":" + address.getPort() + " " + reason(e.getStatus(), timeoutMillis));
    } finally {
      channel.shutdownNow();
    }
  }

  private static String reachable(String host) throws UnknownHostException {
    return InetAddress.getByName(host).isAnyLocalAddress()
        ? InetAddress.getLoopbackAddress().getHostAddress()
        : host;
  }

  private static String reason(Status status, long timeoutMillis) {
    return switch (status.getCode()) {
      case UNAVAILABLE -> "cannot be reached: is the node running?";
      case DEADLINE_EXCEEDED -> "says nothing for " + timeoutMillis + " ms";
      default -> "is no node that serves: " + status.getCode() + " " + status.getDescription();
    };
  }
}
