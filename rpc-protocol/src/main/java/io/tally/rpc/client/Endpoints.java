package io.tally.rpc.client;

import com.google.common.net.HostAndPort;
import io.tally.rpc.ShownText;
import io.tally.rpc.TallyException;
import io.tally.rpc.v1.ErrorCode;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Stream;

/** Reads the list of addresses that users write. */
public final class Endpoints {
  private static final String DNS = "dns:///";

  private Endpoints() {}

  /** The name service, asked each time; {@code InetAddress} remembers its answers for a while. */
  interface Names {
    InetAddress[] addresses(String host) throws UnknownHostException;
  }

  /**
   * Parses {@code host:port,host:port,…}; {@code dns:///name:port} stands for every address that
   * the name resolves to now. Spaces round commas are ignored; duplicates are dropped.
   *
   * @throws TallyException INVALID_REQUEST naming the part that is wrong and the right form;
   *     NODE_UNREACHABLE if a {@code dns:///} name does not resolve
   */
  public static List<NodeAddress> resolve(String endpoints) {
    return resolve(endpoints, InetAddress::getAllByName);
  }

  static List<NodeAddress> resolve(String endpoints, Names names) {
    return Arrays.stream(endpoints.split(",", -1))
        .map(String::strip)
        .flatMap(endpoint -> resolveOne(endpoint, endpoints, names))
        .distinct()
        .toList();
  }

  private static Stream<NodeAddress> resolveOne(String endpoint, String endpoints, Names names) {
    if (!endpoint.startsWith(DNS)) {
      return Stream.of(parse(endpoint, endpoint, endpoints));
    }
    NodeAddress name = parse(endpoint.substring(DNS.length()), endpoint, endpoints);
    try {
      return Arrays.stream(names.addresses(name.host()))
          .map(address -> new NodeAddress(address.getHostAddress(), name.port()));
    } catch (UnknownHostException e) {
      throw new TallyException(
          ErrorCode.NODE_UNREACHABLE,
          "The name \"%s\" of endpoint \"%s\" does not resolve to any address. Check the name, and the name service of this machine."
              .formatted(name.host(), endpoint),
          e);
    }
  }

  private static NodeAddress parse(String text, String endpoint, String endpoints) {
    try {
      HostAndPort parsed = HostAndPort.fromString(text);
      return new NodeAddress(parsed.getHost(), parsed.getPort());
    } catch (IllegalArgumentException | IllegalStateException e) {
      throw new TallyException(
          ErrorCode.INVALID_REQUEST,
          "\"%s\" in the endpoints \"%s\" is not an address. Write host:port, [IPv6]:port or dns:///name:port, separated by commas."
              .formatted(ShownText.name(endpoint), ShownText.name(endpoints)),
          e);
    }
  }
}
