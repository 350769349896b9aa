package io.tally.rpc.client;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;

/** Ports of this machine that are not nodes: one that says nothing, one at which nobody is. */
final class Loopback {
  private static final InetAddress LOOPBACK = InetAddress.getLoopbackAddress();

  private Loopback() {}

  /** The system accepts connections for it; nobody answers unless the caller does. */
  static ServerSocket deaf() throws IOException {
    return new ServerSocket(0, 50, LOOPBACK);
  }

  /** An address at which nobody listens any more. */
  static NodeAddress nobody() throws IOException {
    try (ServerSocket socket = deaf()) {
      return address(socket);
    }
  }

  static NodeAddress address(ServerSocket socket) {
    return address(socket.getLocalPort());
  }

  static NodeAddress address(int port) {
    return new NodeAddress(LOOPBACK.getHostAddress(), port);
  }
}
