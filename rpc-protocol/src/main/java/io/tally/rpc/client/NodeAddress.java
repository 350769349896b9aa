package io.tally.rpc.client;

import java.io.Serializable;

/**
 * Where a node listens.
 *
 * @param host a name or an IP address; IPv6 without brackets
 * @param port 1 to 65535
 */
public record NodeAddress(String host, int port) implements Serializable {

  @Override
  public String toString() {
    return host.indexOf(':') >= 0 ? "[" + host + "]:" + port : host + ":" + port;
  }
}
