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
    int expressionDepth,
    int expressionNodes) {
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
  }

  private static void require(boolean condition, String otherwise) {
    if (!condition) {
      throw new IllegalArgumentException(otherwise);
    }
  }
}
