package io.tally.server.grpc;

import io.tally.rpc.arrow.ScanFrame;
import io.tally.rpc.v1.Progress;
import io.tally.rpc.v1.ScanResponse;
import java.util.Optional;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;

/**
 * Takes the steps of one scan's outbox and carries them out on the calls that they name; gives the
 * client signs of life between them. One thread at a time calls {@link #send}.
 */
final class ScanSender {
  /** A client that asks for more frequent signs of life gets this. */
  private static final long MIN_PROGRESS_MILLIS = 10;

  private final ScanOutbox outbox;
  private final ScanTurns.Turn turn;
  private final SentTotals sent;
  private final Runnable delivered;

  /**
   * @param turn of the scan, which is left to others while its client is waited for
   * @param sent counts batches that were handed to gRPC
   * @param delivered runs when all was sent and the client need not be waited for
   */
  ScanSender(ScanOutbox outbox, ScanTurns.Turn turn, SentTotals sent, Runnable delivered) {
    this.outbox = outbox;
    this.turn = turn;
    this.sent = sent;
    this.delivered = delivered;
  }

  /** Sends what there is, waiting for credits and calls; whether more is to be produced. */
  boolean send() throws InterruptedException {
    while (true) {
      ScanOutbox.Step step = outbox.await(turn);
      if (step instanceof ScanOutbox.Step.SendBatch batch) {
        sendBatch(batch.call(), batch.frame());
      } else if (step instanceof ScanOutbox.Step.SendEnd last) {
        last.call().send(ScanFrame.of(ScanResponse.newBuilder().setEnd(last.end()).build()));
        outbox.endSent(last.call());
        if (outbox.isDelivered()) {
          delivered.run();
        }
      } else {
        return step instanceof ScanOutbox.Step.Produce;
      }
    }
  }

  private void sendBatch(ScanCall call, ScanFrame frame) {
    boolean taken = false;
    try {
      taken = call.send(frame);
    } finally {
      if (taken) {
        sent.add(frame);
      } else {
        frame.close();
      }
    }
  }

  /**
   * Says that the node is at work whenever its client has waited for so long; empty if the client
   * does not want that.
   */
  Optional<ProgressTimer> startProgress(ScheduledExecutorService scheduler, long intervalMillis) {
    if (intervalMillis == 0) {
      return Optional.empty();
    }
    return Optional.of(
        ProgressTimer.start(
            scheduler,
            TimeUnit.MILLISECONDS.toNanos(Math.max(MIN_PROGRESS_MILLIS, intervalMillis)),
            this::nanosSinceSent,
            this::sendProgress));
  }

  private long nanosSinceSent() {
    return outbox.waitingClient().map(ScanCall::nanosSinceSent).orElse(0L);
  }

  private void sendProgress() {
    ScanResponse progress =
        ScanResponse.newBuilder().setProgress(Progress.getDefaultInstance()).build();
    outbox.waitingClient().ifPresent(call -> call.send(ScanFrame.of(progress)));
  }
}
