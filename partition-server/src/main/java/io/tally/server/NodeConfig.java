package io.tally.server;

import io.tally.server.grpc.NodeSettings;
import io.tally.server.scan.ScanFeatures;
import io.tally.server.table.DatabaseSettings;
import io.tally.server.table.TableDefinition;
import java.util.List;
import java.util.Objects;

/**
 * The configuration of a node as {@link NodeConfigReader} read it from a file, complete and checked
 * as far as that is possible without looking into the data.
 *
 * @param node name of the node, unique in the cluster
 * @param host address to listen on
 * @param port 0: any free one
 * @param features what it knows, and tells clients
 */
record NodeConfig(
    String node,
    String host,
    int port,
    Limits limits,
    DatabaseSettings database,
    ScanFeatures features,
    List<TableDefinition> tables) {
  NodeConfig {
    Objects.requireNonNull(node);
    Objects.requireNonNull(host);
    Objects.requireNonNull(limits);
    Objects.requireNonNull(database);
    Objects.requireNonNull(features);
    tables = List.copyOf(tables);
  }

  /** Host and a port as clients write them: IPv6 in brackets. */
  String address(int portInUse) {
    boolean bare = host.contains(":") && !host.startsWith("[");
    return (bare ? "[" + host + "]" : host) + ":" + portInUse;
  }

  /**
   * What clients may ask of the node.
   *
   * @param concurrentScans scans that run at once
   * @param queuedScans further ones that wait; more are refused
   * @param queueTimeoutMillis how long a scan waits before it is refused
   * @param windowBytes the most one scan may hold unacknowledged
   * @param resumeGraceMillis how long a scan whose connection broke waits for its client
   * @param resumeBytes the most that all scans keep for such clients
   * @param sendBytes the most that all scans have with gRPC
   * @param connections how long connections live
   * @param stopGraceMillis how long a node that is asked to stop lets running scans go on
   * @param expressionDepth how deep an expression may be nested
   * @param expressionNodes how many nodes an expression may have
   */
  record Limits(
      int concurrentScans,
      int queuedScans,
      long queueTimeoutMillis,
      long windowBytes,
      long resumeGraceMillis,
      long resumeBytes,
      long sendBytes,
      NodeSettings.Connections connections,
      long stopGraceMillis,
      int expressionDepth,
      int expressionNodes) {
    static final Limits DEFAULTS =
        new Limits(
            8,
            64,
            30_000,
            64L << 20,
            30_000,
            256L << 20,
            NodeSettings.DEFAULT_SEND_BYTES,
            NodeSettings.Connections.DEFAULTS,
            10_000,
            64,
            200_000);
  }
}
