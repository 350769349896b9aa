package io.tally.rpc.client;

import java.io.Serializable;

/**
 * Where a node listens.
 *
 * @param host a name or an IP address; IPv6 without brackets
 * @param port 1 to 65535
 */
public record NodeAddress(String host, int port) implements Serializable {
  /**
   * @throws IllegalArgumentException if there is no host, or the port is out of range
   */
  public NodeAddress {
    if (host.isBlank()) {
      throw new IllegalArgumentException("a node's address needs a host");
    }
    if (port < 1 || port > 65_535) {
      throw new IllegalArgumentException("port " + port + " is not between 1 and 65535");
    }
  }

  @Override
  public String toString() {
    return host.indexOf(':') >= 0 ? "[" + host + "]:" + port : host + ":" + port;
  }
}
