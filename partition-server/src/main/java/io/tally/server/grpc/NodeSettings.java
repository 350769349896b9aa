package io.tally.server.grpc;

import java.util.Objects;

/**
 * Who a node is, where it listens, and its limits.
 *
 * @param nodeId unique in the cluster
 * @param host the address to listen on, and no other
 * @param port 0: any free one
 * @param concurrentScans scans that run at once, each on a thread of its own
 * @param queuedScans further scans that wait for their turn
 * @param queueTimeoutMillis the longest that a scan waits
 * @param windowBytes once so much of one scan waits to be sent, it produces no more, however many
 *     credits it has; also the largest batch
 * @param resumeGraceMillis how long a scan whose connection broke waits for its client; 0: not at
 *     all, and clients are told so
 * @param resumeBytes most bytes of batches that all scans together keep because their clients may
 *     come back; a scan of which none are kept cannot be resumed
 * @param sendBytes most bytes of batches that all scans together have with gRPC, which sends them:
 *     while many scans run, each has less, and smaller batches, see {@link
 *     io.tally.rpc.WindowBudget}
 * @param connections how long connections live
 * @param expressionDepth deepest nesting of a scan's expressions
 * @param expressionNodes most nodes of a scan's expressions
 */
public record NodeSettings(
    String nodeId,
    String host,
    int port,
    int concurrentScans,
    int queuedScans,
    long queueTimeoutMillis,
    long windowBytes,
    long resumeGraceMillis,
    long resumeBytes,
    long sendBytes,
    Connections connections,
    int expressionDepth,
    int expressionNodes) {
  /** gRPC pings no more often. */
  public static final long MIN_PING_MILLIS = 10_000;

  /** With the batches that are kept, half of the direct memory that the launcher gives a node. */
  public static final long DEFAULT_SEND_BYTES = 256L << 20;

  /**
   * How long connections live.
   *
   * @param pingMillis a connection on which nothing comes from the client for so long is pinged
   * @param pingTimeoutMillis and is ended if that is not answered within this time
   * @param maxAgeMillis after so long, give or take a tenth, a connection takes no new calls, so
   *     that clients make another; 0: never
   * @param maxAgeGraceMillis and is ended so much later, whatever runs on it
   */
  public record Connections(
      long pingMillis, long pingTimeoutMillis, long maxAgeMillis, long maxAgeGraceMillis) {
    /**
     * Pings are more frequent than what most load balancers and firewalls forget connections after,
     * one minute.
     */
    public static final Connections DEFAULTS = new Connections(30_000, 20_000, 0, 60_000);

    public Connections {
      require(pingMillis >= MIN_PING_MILLIS, "pings are at least 10 s apart");
      require(pingTimeoutMillis >= 10, "the time for the answer to a ping is at least 10 ms");
      require(maxAgeMillis >= 0, "the age of connections is not negative");
      require(maxAgeGraceMillis >= 0, "the grace of old connections is not negative");
    }
  }

  /** With the defaults for all that is sent and for connections. */
  public NodeSettings(
      String nodeId,
      String host,
      int port,
      int concurrentScans,
      int queuedScans,
      long queueTimeoutMillis,
      long windowBytes,
      long resumeGraceMillis,
      long resumeBytes,
      int expressionDepth,
      int expressionNodes) {
    this(
        nodeId,
        host,
        port,
        concurrentScans,
        queuedScans,
        queueTimeoutMillis,
        windowBytes,
        resumeGraceMillis,
        resumeBytes,
        DEFAULT_SEND_BYTES,
        Connections.DEFAULTS,
        expressionDepth,
        expressionNodes);
  }

  public NodeSettings {
    Objects.requireNonNull(nodeId);
    Objects.requireNonNull(host);
    require(port >= 0 && port <= 65_535, "port is 0 to 65535");
    require(concurrentScans >= 1, "concurrent scans are at least 1");
    require(queuedScans >= 0, "queued scans are at least 0");
    require(queueTimeoutMillis >= 1, "the queue timeout is at least 1 ms");
    require(windowBytes >= 1, "the window has at least 1 byte");
    require(resumeGraceMillis >= 0, "the grace period is not negative");
    require(resumeBytes >= 0, "the kept bytes are not negative");
    require(sendBytes >= 1, "at least 1 byte is sent");
    Objects.requireNonNull(connections);
  }

  private static void require(boolean condition, String otherwise) {
    if (!condition) {
      throw new IllegalArgumentException(otherwise);
    }
  }
}
