package io.tally.server.grpc;

import io.tally.rpc.arrow.ScanFrame;
import java.util.ArrayDeque;

/**
 * The last batches of one scan, in a row, by their sequence: those that are still to be sent, and
 * before them those that were sent and that a client may ask for again. Owns their memory. For one
 * thread at a time.
 */
final class KeptBatches {
  private final long maxSentBytes;
  private final KeptBytes ofAllScans;
  private final ArrayDeque<ScanFrame> frames = new ArrayDeque<>();
  private long end;
  private long bytes;

  /**
   * No batches.
   *
   * @param maxSentBytes most bytes of batches that were sent; the oldest are given up first
   */
  KeptBatches(long maxSentBytes, KeptBytes ofAllScans) {
    this.maxSentBytes = maxSentBytes;
    this.ofAllScans = ofAllScans;
  }

  /** Takes the batch of sequence {@link #end}. */
  void add(ScanFrame frame) {
    frames.addLast(frame);
    end++;
    bytes += frame.bodyBytes();
    ofAllScans.add(frame.bodyBytes());
  }

  /** The sequence of the oldest. */
  long first() {
    return end - frames.size();
  }

  /** The sequence behind the newest. */
  long end() {
    return end;
  }

  /** A batch that is here, shared with the caller, who closes it. */
  ScanFrame share(long sequence) {
    // Nearly always the newest; others are only asked for again.
    ScanFrame frame =
        sequence == end - 1
            ? frames.getLast()
            : frames.stream().skip(sequence - first()).findFirst().orElseThrow();
    return frame.share();
  }

  /** Gives up batches below {@code sequence}: they have arrived. */
  void forgetBelow(long sequence) {
    while (!frames.isEmpty() && first() < sequence) {
      forgetFirst();
    }
  }

  /** Gives up, of those below {@code sent}, what is more than may be kept. */
  void trim(long sent) {
    while (first() < sent && (bytes > maxSentBytes || ofAllScans.tooMany())) {
      forgetFirst();
    }
  }

  /** Gives up all. */
  void clear() {
    forgetBelow(end);
  }

  private void forgetFirst() {
    ScanFrame frame = frames.removeFirst();
    bytes -= frame.bodyBytes();
    ofAllScans.remove(frame.bodyBytes());
    frame.close();
  }
}
