package io.tally.server.grpc;

/**
 * What a node is busy with at one moment.
 *
 * @param runningScans scans that hold a thread
 * @param queuedScans scans that wait for one
 * @param allocatedBytes Arrow memory of all scans: what is produced and not yet with gRPC
 * @param sentBatches batches that all scans since the start have handed to gRPC
 */
public record NodeStats(int runningScans, int queuedScans, long allocatedBytes, long sentBatches) {}
