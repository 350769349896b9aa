package io.tally.spark.read;

import io.tally.rpc.BodyCodec;
import io.tally.rpc.client.ScanOptions;

/**
 * What the options say about reading, fixed on the driver.
 *
 * @param limits of each stream
 * @param splitRows rows that one task reads, about, where rows and not aggregates are read
 * @param keepKeysApart whether Spark makes use of streams that have rows of one key alone
 * @param pushDown false: nodes choose columns and partitions, Spark computes everything else
 * @param codec how nodes may compress what they send
 */
public record ReadSettings(
    ScanOptions limits, long splitRows, boolean keepKeysApart, boolean pushDown, BodyCodec codec) {}
