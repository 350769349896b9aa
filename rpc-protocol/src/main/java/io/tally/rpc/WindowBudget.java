package io.tally.rpc;

import java.util.concurrent.atomic.AtomicBoolean;

/**
 * Takes what the streams of a process want to have on their way, and hands each a share of a limit
 * for all of them. Safe for any thread.
 *
 * <p>No stream waits for its share, and none is refused: it might wait for one that waits for it,
 * as two streams do that one task joins. Instead, shares get smaller the more streams there are.
 * Half of the limit is for {@link #LEAST_BYTES} of each; of the other half, a stream takes no more
 * than a quarter of what is left. So all shares together stay within the limit as long as there are
 * no more streams than half the limit has room for; behind that, each further one adds its least.
 */
public final class WindowBudget {
  /** Four batches of 64 KiB: what comes is still not bound by round trips. */
  public static final long LEAST_BYTES = 256 << 10;

  /** So that there is something left for those that come later. */
  private static final int PART_OF_THE_REST = 4;

  private long takenBytes;

  /** What is taken beyond the least of each stream. */
  private long extraBytes;

  /** Of which nothing is taken. */
  public WindowBudget() {}

  /**
   * A share: what is wanted, if there is enough, and never less than the least.
   *
   * @param wantedBytes the most that the stream can use
   * @param limitBytes for all streams of the process; they may have different ones, which hold as
   *     far as each sees it
   */
  public synchronized Share take(long wantedBytes, long limitBytes) {
    long least = Math.min(wantedBytes, LEAST_BYTES);
    long rest = Math.max(0, limitBytes / 2 - extraBytes);
    long extra = Math.min(wantedBytes - least, rest / PART_OF_THE_REST);
    takenBytes += least + extra;
    extraBytes += extra;
    return new Share(least + extra, extra);
  }

  /** All shares together. */
  public synchronized long takenBytes() {
    return takenBytes;
  }

  private synchronized void giveBack(long bytes, long extra) {
    takenBytes -= bytes;
    extraBytes -= extra;
  }

  /** What one stream may have on its way, until it gives it back. */
  public final class Share implements AutoCloseable {
    private final long bytes;
    private final long extra;
    private final AtomicBoolean closed = new AtomicBoolean();

    private Share(long bytes, long extra) {
      this.bytes = bytes;
      this.extra = extra;
    }

    /** How much it is. */
    public long bytes() {
      return bytes;
    }

    /** Gives it back; may be called again. */
    @Override
    public void close() {
      if (!closed.getAndSet(true)) {
        giveBack(bytes, extra);
      }
    }
  }

  /**
   * How large batches may be, so that a share holds several of them.
   *
   * @param wantedBytes what was asked for
   */
  public static long batchBytes(long wantedBytes, long shareBytes) {
    return Math.min(wantedBytes, Math.max(1, shareBytes / PART_OF_THE_REST));
  }
}
