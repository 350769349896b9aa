package io.tally.spark.read;

import io.tally.rpc.client.ScanStream.Received;

/**
 * Adds up what the streams brought that a task read one after another, for metrics. Immutable.
 *
 * @param received counters of all streams; the first batch is that of whichever stream had one
 * @param rowsScanned by the nodes, of the streams that have ended
 * @param failovers how often another owner was asked because one did not answer
 */
record ReadTotals(Received received, long rowsScanned, long failovers) {
  static final ReadTotals NONE = new ReadTotals(new Received(0, 0, 0, 0, 0, 0), 0, 0);

  ReadTotals plus(Received added, long scanned) {
    long firstBatchNanos = received.firstBatchNanos();
    if (firstBatchNanos == 0 && added.firstBatchNanos() > 0) {
      // Whoever waited in vain before waited for the first batch, too.
      firstBatchNanos = received.waitedNanos() + added.firstBatchNanos();
    }
    return new ReadTotals(
        new Received(
            received.batches() + added.batches(),
            received.rows() + added.rows(),
            received.bodyBytes() + added.bodyBytes(),
            firstBatchNanos,
            received.waitedNanos() + added.waitedNanos(),
            received.reconnects() + added.reconnects()),
        rowsScanned + scanned,
        failovers);
  }

  ReadTotals plusFailover() {
    return new ReadTotals(received, rowsScanned, failovers + 1);
  }
}
