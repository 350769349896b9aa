package io.tally.server.table;

import java.util.List;

/** One table as this node serves it. Immutable; safe for any thread. */
public interface ServedTable {
  /** Name, unique on the node. */
  String name();

  /** The columns that can be sent, in table order. */
  List<ServedColumn> columns();

  /** The columns that cannot be sent without loss, with the reason. */
  List<UnservedColumn> unservedColumns();

  /** Identifies definition and content, see {@code DescribeTableResponse.layout_version}. */
  String layoutVersion();

  /** The partitions that this node owns, ordered by id. */
  List<ServedPartition> partitions();

  /** Ids of all partitions in the whole cluster, or empty if the node was not told. */
  List<String> clusterPartitions();

  /**
   * Looks whether the stored data is still what was described (for files: size and modification
   * time); called before every scan, so it must be cheap.
   *
   * @throws io.tally.rpc.TallyException LAYOUT_CHANGED, or DATA_UNREADABLE if data is gone
   */
  void checkUnchanged();
}
