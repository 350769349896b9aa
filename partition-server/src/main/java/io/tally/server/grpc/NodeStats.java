package io.tally.server.grpc;

/**
 * What a node is busy with at one moment.
 *
 * @param runningScans scans that hold a thread
 * @param queuedScans scans that wait for one
 * @param allocatedBytes Arrow memory of all scans, frames on their way to the socket included
 */
public record NodeStats(int runningScans, int queuedScans, long allocatedBytes) {}
