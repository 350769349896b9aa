package io.tally.spark.read;

import org.apache.spark.sql.catalyst.InternalRow;
import org.apache.spark.sql.connector.read.HasPartitionKey;

/**
 * One task whose rows all have one key, so that Spark need not bring the rows of a key together.
 *
 * @param partitionKey values of the columns that the table is partitioned by
 */
record KeyedNodeScan(NodeScan scan, InternalRow partitionKey) implements HasPartitionKey {

  @Override
  public String[] preferredLocations() {
    return scan.preferredLocations();
  }
}
