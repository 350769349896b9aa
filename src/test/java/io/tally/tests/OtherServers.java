package io.tally.tests;

import com.sun.net.httpserver.HttpServer;
import io.grpc.Server;
import io.grpc.netty.NettyServerBuilder;
import java.io.Closeable;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.util.ArrayDeque;
import java.util.Deque;

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
