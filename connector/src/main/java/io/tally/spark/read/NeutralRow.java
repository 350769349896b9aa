package io.tally.spark.read;

import org.apache.spark.sql.connector.read.InputPartition;

/**
 * The only task of an ungrouped aggregation that has no partition to read: one row of neutral
 * elements, without asking a node. Without it, Spark would finalise COUNT as a SUM of nothing,
 * which is NULL and not 0.
 */
record NeutralRow() implements InputPartition {}
