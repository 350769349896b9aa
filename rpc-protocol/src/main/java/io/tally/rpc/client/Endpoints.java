package io.tally.rpc.client;

import java.util.List;

/** Reads the list of addresses that users write. */
public final class Endpoints {
  private Endpoints() {}

  /**
   * Parses {@code host:port,host:port,…}; {@code dns:///name:port} stands for every address that
   * the name resolves to now. Spaces round commas are ignored; duplicates are dropped.
   *
   * @throws IllegalArgumentException naming the part that is wrong and the right form
   * @throws io.tally.rpc.TallyException NODE_UNREACHABLE if a {@code dns:///} name does not resolve
   */
  public static List<NodeAddress> resolve(String endpoints) {
    throw new UnsupportedOperationException("skeleton");
  }
}
