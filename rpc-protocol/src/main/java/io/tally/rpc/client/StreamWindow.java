package io.tally.rpc.client;

import io.tally.rpc.WindowBudget;

/**
 * Takes note of each batch that the consumer of a stream is done with, and says how many credits
 * the node is to have for it: so that the stream has on its way what its share of the process's
 * memory allows at the moment, and never less than one batch. Of the consumer alone, but for {@link
 * #close}.
 */
final class StreamWindow implements AutoCloseable {
  /**
   * Credits go back to the node in this many groups a window, not one by one. What waits to go back
   * is missing on a long way.
   */
  private static final int GRANTS_PER_WINDOW = 8;

  private final WindowBudget.Share share;
  private final int maxBatchBytes;
  private int credits;

  /** Batches that may still come, or are here and not consumed. */
  private int expected;

  /**
   * A window whose credits were all given to the node.
   *
   * @param share is closed with this
   * @param options within the share
   */
  StreamWindow(WindowBudget.Share share, ScanOptions options) {
    this.share = share;
    this.maxBatchBytes = options.maxBatchBytes();
    this.credits = options.credits();
    this.expected = credits;
  }

  /** A batch was consumed. How many credits to give now; often none. */
  int consumed() {
    expected--;
    if (credits - expected < Math.max(1, credits / GRANTS_PER_WINDOW)) {
      return 0;
    }
    credits = ScanOptions.credits(share.renew((long) expected * maxBatchBytes), maxBatchBytes);
    int given = Math.max(0, credits - expected);
    expected += given;
    return given;
  }

  /** How much may be here. */
  long bytes() {
    return share.bytes();
  }

  /** Gives the share back. May be called again, by any thread. */
  @Override
  public void close() {
    share.close();
  }
}
