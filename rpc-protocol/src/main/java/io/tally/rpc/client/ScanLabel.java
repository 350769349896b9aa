package io.tally.rpc.client;

import io.grpc.Metadata;
import io.grpc.Status;
import io.tally.rpc.TallyException;
import io.tally.rpc.TallyStatus;
import io.tally.rpc.v1.ErrorCode;
import io.tally.rpc.v1.Open;
import io.tally.rpc.v1.ScanPartition;
import java.util.stream.Collectors;

/**
 * Knows which scan it is (node, table, partitions, id) and words every failure of it, so that each
 * message says where to look.
 */
final class ScanLabel {
  /** So many partitions are named, the others counted. */
  private static final int MAX_NAMED_PARTITIONS = 3;

  private final NodeAddress address;
  private final String subject;
  private volatile String nodeId = "";

  ScanLabel(NodeAddress address, Open open) {
    this.address = address;
    this.subject =
        "scan %s of table \"%s\", %s"
            .formatted(open.getScanId(), open.getTable(), partitions(open));
  }

  private static String partitions(Open open) {
    int count = open.getPartitionsCount();
    String named =
        open.getPartitionsList().stream()
            .limit(MAX_NAMED_PARTITIONS)
            .map(ScanPartition::getId)
            .collect(Collectors.joining(", "));
    String more =
        count > MAX_NAMED_PARTITIONS ? " and " + (count - MAX_NAMED_PARTITIONS) + " more" : "";
    return (count == 1 ? "partition " : "partitions ") + named + more;
  }

  /** The node has told its name. */
  void opened(String id) {
    nodeId = id;
  }

  /** The answer contradicts the protocol. */
  TallyException violation(String what) {
    return new TallyException(
        ErrorCode.PROTOCOL_VIOLATION,
        "%s. The answer cannot be trusted and was dropped; check that %s runs an intact version. [%s]"
            .formatted(what, node(), subject));
  }

  /** The node knows the scan no more, or knows nothing of resuming. */
  TallyException lost() {
    return new TallyException(
        ErrorCode.SCAN_LOST,
        "%s does not go on with the scan whose connection broke. Run it again. [%s]"
            .formatted(node(), subject));
  }

  /** {@code error}, with how often it was tried to get past it. */
  TallyException gaveUp(TallyException error, int tries) {
    return new TallyException(
        error.code(),
        "%s Gave up after %d %s to connect again."
            .formatted(error.getMessage(), tries, tries == 1 ? "try" : "tries"),
        error);
  }

  /** What should not happen on this side. */
  TallyException fault(Throwable cause) {
    return new TallyException(
        ErrorCode.INTERNAL,
        "The client failed to connect again in a way that it does not expect: %s. [%s, %s]"
            .formatted(cause, node(), subject),
        cause);
  }

  TallyException silent(long silenceMillis) {
    return new TallyException(
        ErrorCode.NODE_SILENT,
        "Nothing came from %s for %d ms. It may be overloaded, stopped or cut off. [%s]"
            .formatted(node(), silenceMillis, subject));
  }

  TallyException interrupted(InterruptedException cause) {
    return new TallyException(
        ErrorCode.CANCELLED,
        "Interrupted while waiting for %s. [%s]".formatted(node(), subject),
        cause);
  }

  TallyException closed() {
    return new TallyException(
        ErrorCode.CANCELLED, "The scan was closed by its reader. [%s]".formatted(subject));
  }

  /**
   * What a status that is not OK means.
   *
   * @param opened whether the node had answered before: then what answers is a Tally node
   */
  TallyException failure(Status status, Metadata trailers, boolean opened) {
    if (status.getCause() instanceof TallyException e) {
      // Thrown while a message was parsed.
      return located(e);
    }
    TallyException error = TallyStatus.fromStatus(node() + ", " + subject, status, trailers);
    return switch (error.code()) {
      // Not by this client, which would have failed the scan before.
      case CANCELLED ->
          new TallyException(
              ErrorCode.NODE_UNREACHABLE,
              "%s has broken off the scan; it may have been stopped. [%s]"
                  .formatted(node(), subject),
              error);
      case NOT_A_TALLY_NODE ->
          opened
              ? new TallyException(
                  ErrorCode.INTERNAL,
                  "%s failed for a reason that it did not name; see its log. [%s]"
                      .formatted(node(), subject),
                  error)
              : error;
      default -> error;
    };
  }

  /** {@code error}, which knows nothing of scans, with the place added. */
  TallyException located(TallyException error) {
    return new TallyException(
        error.code(), "%s [%s, %s]".formatted(error.getMessage(), node(), subject), error);
  }

  private String node() {
    return nodeId.isEmpty() ? "node " + address : "node \"%s\" (%s)".formatted(nodeId, address);
  }
}
