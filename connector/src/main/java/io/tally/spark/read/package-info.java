/**
 * Reading: the scan builder takes Spark's offers, the scan is the immutable result, the batch plans
 * streams to nodes, the reader turns a stream into columnar batches.
 */
package io.tally.spark.read;
