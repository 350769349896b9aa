package io.tally.rpc.client;

import java.io.Serializable;
import java.net.URI;
import java.net.URISyntaxException;

/**
 * Where a node listens.
 *
 * @param host a name or an IP address; IPv6 without brackets
 * @param port 1 to 65535
 */
public record NodeAddress(String host, int port) implements Serializable {
  /**
   * @throws IllegalArgumentException if there is no host or it cannot be one, or the port is out of
   *     range
   */
  public NodeAddress {
    if (host.isBlank()) {
      throw new IllegalArgumentException("a node's address needs a host");
    }
    if (port < 1 || port > 65_535) {
      throw new IllegalArgumentException("port " + port + " is not between 1 and 65535");
    }
    if (!isHost(host, port)) {
      throw new IllegalArgumentException("\"" + host + "\" is not the name of a host");
    }
  }

  /** As gRPC sees it, which takes hosts as those of a URI. */
  private static boolean isHost(String host, int port) {
    try {
      return bracketed(host).equals(new URI(null, null, host, port, null, null, null).getHost());
    } catch (URISyntaxException e) {
      return false;
    }
  }

  private static String bracketed(String host) {
    return host.indexOf(':') >= 0 ? "[" + host + "]" : host;
  }

  @Override
  public String toString() {
    return bracketed(host) + ":" + port;
  }
}
