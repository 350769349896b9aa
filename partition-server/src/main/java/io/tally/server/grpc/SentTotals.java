package io.tally.server.grpc;

import io.tally.rpc.arrow.ScanFrame;
import java.util.concurrent.atomic.LongAdder;

/** Counts what all scans of a node have handed to gRPC. Safe for any thread. */
final class SentTotals {
  private final LongAdder batches = new LongAdder();
  private final LongAdder bodyBytes = new LongAdder();

  void add(ScanFrame batch) {
    batches.increment();
    bodyBytes.add(batch.bodyBytes());
  }

  long batches() {
    return batches.sum();
  }

  long bodyBytes() {
    return bodyBytes.sum();
  }
}
