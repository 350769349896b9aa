package io.tally.server.grpc;

/**
 * What a node is busy with at one moment.
 *
 * @param openScans scans that have not ended: that run, wait, or are kept for a client that may
 *     come back
 * @param runningScans scans that hold a thread
 * @param queuedScans scans that wait for one
 * @param allocatedBytes Arrow memory of all scans: what is produced and not yet with gRPC, or kept
 * @param sendBytes most bytes that gRPC may have of the scans at the moment: their shares of {@link
 *     NodeSettings#sendBytes}
 * @param sentBatches batches that all scans since the start have handed to gRPC
 * @param sentBodyBytes bytes of their bodies
 */
public record NodeStats(
    int openScans,
    int runningScans,
    int queuedScans,
    long allocatedBytes,
    long sendBytes,
    long sentBatches,
    long sentBodyBytes) {}
