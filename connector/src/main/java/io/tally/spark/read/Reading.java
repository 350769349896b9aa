package io.tally.spark.read;

import io.tally.rpc.client.ScanStream;
import io.tally.rpc.v1.Open;

/**
 * One stream that a reader reads: what was asked, how its batches become Spark's, and the way to
 * wait for it. Closing cancels what is not finished.
 */
record Reading(Open open, ScanStream stream, BatchShaper shaper, KillableWait killable)
    implements AutoCloseable {

  @Override
  public void close() {
    try (stream;
        shaper;
        killable) {
      // Closed in the opposite order: what borrows memory before what owns it.
    }
  }
}
