package io.tally.rpc;

/**
 * Takes what the streams of a process want to have on their way, and hands each a share of a limit
 * for all of them. Safe for any thread.
 *
 * <p>No stream waits for its share, and none is refused: it might wait for one that waits for it,
 * as two streams do that one task joins. Instead, shares get smaller the more streams there are.
 * Half of the limit is for {@link #LEAST_BYTES} of each; of the other half, a stream takes no more
 * than a quarter of what others leave. So all shares together stay within the limit as long as
 * there are no more streams than half the limit has room for; behind that, each further one adds
 * its least.
 *
 * <p>A share is {@linkplain Share#renew renewed} as its stream goes on. Then it is what it would be
 * if it were taken now: more if others have ended, less if others have come. Nothing is taken from
 * a stream that it may already use.
 */
public final class WindowBudget {
  /** One batch: that many streams keep a link and a process busy with one each. */
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
    Share share = new Share(wantedBytes, limitBytes);
    takenBytes += share.leastBytes;
    share.renew(0);
    return share;
  }

  /** All shares together. */
  public synchronized long takenBytes() {
    return takenBytes;
  }

  /** What one stream may have on its way, until it gives it back. */
  public final class Share implements AutoCloseable {
    private final long wantedBytes;
    private final long leastBytes;
    private final long limitBytes;

    // Guarded by the budget.
    private long extra;
    private boolean closed;

    private Share(long wantedBytes, long limitBytes) {
      this.wantedBytes = wantedBytes;
      this.leastBytes = Math.min(wantedBytes, LEAST_BYTES);
      this.limitBytes = limitBytes;
    }

    /** How much it is. */
    public long bytes() {
      synchronized (WindowBudget.this) {
        return leastBytes + extra;
      }
    }

    /**
     * Makes it what it would be if it were taken now; once it is closed, nothing happens.
     *
     * @param usedBytes what the stream may already use of it, and keeps
     * @return how much it is
     */
    public long renew(long usedBytes) {
      synchronized (WindowBudget.this) {
        if (closed) {
          return leastBytes + extra;
        }
        long used = Math.min(extra, Math.max(0, usedBytes - leastBytes));
        long rest = Math.max(0, limitBytes / 2 - (extraBytes - extra));
        long fair = Math.min(wantedBytes - leastBytes, rest / PART_OF_THE_REST);
        long renewed = Math.max(used, fair);
        takenBytes += renewed - extra;
        extraBytes += renewed - extra;
        extra = renewed;
        return leastBytes + extra;
      }
    }

    /** Gives it back; may be called again. */
    @Override
    public void close() {
      synchronized (WindowBudget.this) {
        if (!closed) {
          closed = true;
          takenBytes -= leastBytes + extra;
          extraBytes -= extra;
        }
      }
    }
  }

  /**
   * How large batches may be, so that a share holds several of them, unless they would be small.
   *
   * @param wantedBytes what was asked for
   */
  public static long batchBytes(long wantedBytes, long shareBytes) {
    long several = Math.max(shareBytes / PART_OF_THE_REST, Math.min(shareBytes, LEAST_BYTES));
    return Math.min(wantedBytes, Math.max(1, several));
  }
}
