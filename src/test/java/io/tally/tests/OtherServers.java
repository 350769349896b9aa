package io.tally.tests;

import com.sun.net.httpserver.HttpServer;
import io.grpc.Server;
import io.grpc.netty.NettyServerBuilder;
import java.io.Closeable;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;

/**
 * What may be found at a wrong address instead of a node: starts it on loopback, hands on its
 * address, and stops it when closed.
 */
final class OtherServers implements AutoCloseable {
  private final Deque<Closeable> opened = new ArrayDeque<>();

  /** Answers HTTP, and nothing that gRPC understands. */
  String web() throws IOException {
    HttpServer server = HttpServer.create(new InetSocketAddress(loopback(), 0), 0);
    server.start();
    opened.push(() -> server.stop(0));
    return address(server.getAddress().getPort());
  }

  /** Answers gRPC, without our service. */
  String grpc() throws IOException {
    Server server =
        NettyServerBuilder.forAddress(new InetSocketAddress(loopback(), 0)).build().start();
    opened.push(server::shutdownNow);
    return address(server.getPort());
  }

  /** Accepts connections and never says a word. */
  String silent() throws IOException {
    ServerSocket socket = new ServerSocket(0, 50, loopback());
    opened.push(socket);
    return address(socket.getLocalPort());
  }

  /** An address at which nothing listens any more. */
  static String none() throws IOException {
    try (ServerSocket socket = new ServerSocket(0, 1, loopback())) {
      return address(socket.getLocalPort());
    }
  }

  /** Ports at which nothing listens any more, each another. */
  static List<Integer> freePorts(int count) {
    try (OtherServers servers = new OtherServers()) {
      List<Integer> ports = new ArrayList<>();
      for (int i = 0; i < count; i++) {
        ServerSocket socket = new ServerSocket(0, 1, loopback());
        servers.opened.push(socket);
        ports.add(socket.getLocalPort());
      }
      return ports;
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  @Override
  public void close() throws IOException {
    while (!opened.isEmpty()) {
      opened.pop().close();
    }
  }

  private static InetAddress loopback() {
    return InetAddress.getLoopbackAddress();
  }

  private static String address(int port) {
    return "127.0.0.1:" + port;
  }
}
