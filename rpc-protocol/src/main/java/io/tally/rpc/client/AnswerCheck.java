package io.tally.rpc.client;

import io.tally.rpc.TallyException;
import io.tally.rpc.arrow.ScanFrame;
import io.tally.rpc.v1.Batch;
import io.tally.rpc.v1.End;
import io.tally.rpc.v1.Opened;
import java.util.Objects;

/**
 * Sees the messages of one scan in the order in which they arrive, over all its calls, and refuses
 * what contradicts the protocol: gaps, more batches than credits, totals of something else. For one
 * thread at a time.
 */
final class AnswerCheck {
  private final ScanLabel label;
  private final long firstCredits;
  private Opened opened;
  private boolean openedOnThisCall;
  private End end;
  private long grantedBatches;
  private long batches;
  private long rows;
  private long bodyBytes;

  AnswerCheck(ScanLabel label, long firstCredits) {
    this.label = label;
    this.firstCredits = firstCredits;
    this.grantedBatches = firstCredits;
  }

  /** A call begins: it has to open the scan first. */
  void beginCall() {
    openedOnThisCall = false;
  }

  /** The scan starts anew: nothing has arrived. What Opened says has to stay as it was. */
  void restart() {
    end = null;
    grantedBatches = firstCredits;
    batches = 0;
    rows = 0;
    bodyBytes = 0;
  }

  void grant(int credits) {
    grantedBatches += credits;
  }

  /**
   * Counts a message.
   *
   * @throws TallyException PROTOCOL_VIOLATION; SCAN_LOST if the node does not resume
   */
  void accept(ScanFrame frame) {
    if (end != null) {
      throw label.violation("Something came after the end");
    }
    switch (frame.message().getEventCase()) {
      case OPENED -> acceptOpened(frame.message().getOpened());
      case BATCH -> acceptBatch(frame);
      case END -> acceptEnd(frame.message().getEnd());
      case PROGRESS -> {}
      case EVENT_NOT_SET -> throw label.violation("A message is empty, or of an unknown kind");
    }
  }

  private void acceptOpened(Opened message) {
    if (openedOnThisCall) {
      throw label.violation("The scan was opened twice");
    }
    if (opened != null && !message.getApplied().getResume()) {
      throw label.lost();
    }
    if (opened != null && !opened.equals(message)) {
      throw label.violation("The scan was opened again in another way than before");
    }
    openedOnThisCall = true;
    opened = message;
    label.opened(message.getNodeId());
  }

  private void acceptBatch(ScanFrame frame) {
    Batch batch = frame.message().getBatch();
    if (!openedOnThisCall) {
      throw label.violation("A batch came before the scan was opened");
    }
    if (batch.getSequence() != batches) {
      throw label.violation(
          "Batch %d came where batch %d was due".formatted(batch.getSequence(), batches));
    }
    if (batches == grantedBatches) {
      throw label.violation(
          "More batches came than the %d that were asked for".formatted(grantedBatches));
    }
    if (batch.getRows() < 0) {
      throw label.violation("A batch has " + batch.getRows() + " rows");
    }
    batches++;
    rows += batch.getRows();
    bodyBytes += frame.bodyBytes();
  }

  private void acceptEnd(End message) {
    if (!openedOnThisCall) {
      throw label.violation("The end came before the scan was opened");
    }
    if (message.getBatches() != batches
        || message.getRows() != rows
        || message.getBodyBytes() != bodyBytes) {
      throw label.violation(
          "The node sent %d batches, %d rows, %d bytes; %d batches, %d rows, %d bytes arrived"
              .formatted(
                  message.getBatches(),
                  message.getRows(),
                  message.getBodyBytes(),
                  batches,
                  rows,
                  bodyBytes));
    }
    end = message;
  }

  /** Whether Opened has come, on some call. */
  boolean isOpened() {
    return opened != null;
  }

  /**
   * As it came first.
   *
   * @throws NullPointerException before {@link #isOpened}
   */
  Opened opened() {
    return Objects.requireNonNull(opened);
  }

  /** Whether the node keeps the scan when the connection breaks. */
  boolean isKept() {
    return opened != null && opened.getApplied().getResume();
  }

  /** Whether the end has come, and its totals are those of what came before. */
  boolean isEnded() {
    return end != null;
  }

  /**
   * The totals.
   *
   * @throws NullPointerException before {@link #isEnded}
   */
  End end() {
    return Objects.requireNonNull(end);
  }

  /** Batches that have arrived. */
  long batches() {
    return batches;
  }

  /** Batches that may still come without another grant. */
  int credits() {
    return (int) Math.min(Integer.MAX_VALUE, grantedBatches - batches);
  }
}
