package io.tally.rpc.client;

import io.tally.rpc.WindowBudget;
import java.io.Serializable;

/**
 * Limits of one scan, on the client's side.
 *
 * @param maxBatchBytes target size of a batch's body
 * @param windowBytes most bytes of bodies that are asked for and not yet consumed: the memory bound
 *     of the stream on both sides; credits = max(1, windowBytes / maxBatchBytes)
 * @param processWindowBytes most bytes that all streams of the process may have so: while it is
 *     short, streams have smaller windows, see {@link WindowBudget}
 * @param maxRowBytes a row larger than this fails the scan
 * @param silenceMillis a node that sends nothing at all for this long is given up, NODE_SILENT
 * @param reconnect what happens when the connection breaks
 */
public record ScanOptions(
    int maxBatchBytes,
    long windowBytes,
    long processWindowBytes,
    int maxRowBytes,
    long silenceMillis,
    ReconnectPolicy reconnect)
    implements Serializable {

  /** Within the 384 MiB that Spark asks for an executor beside its heap at least. */
  private static final long DEFAULT_PROCESS_WINDOW_BYTES = 256L << 20;

  /** Of a process that has 256 MiB for all its streams. */
  public ScanOptions(
      int maxBatchBytes,
      long windowBytes,
      int maxRowBytes,
      long silenceMillis,
      ReconnectPolicy reconnect) {
    this(
        maxBatchBytes,
        windowBytes,
        DEFAULT_PROCESS_WINDOW_BYTES,
        maxRowBytes,
        silenceMillis,
        reconnect);
  }

  /** The same; reconnects as {@link ReconnectPolicy#defaults} says. */
  public ScanOptions(int maxBatchBytes, long windowBytes, int maxRowBytes, long silenceMillis) {
    this(maxBatchBytes, windowBytes, maxRowBytes, silenceMillis, ReconnectPolicy.defaults());
  }

  /**
   * 1 MiB batches, a window of 32 MiB, rows up to 64 MiB, 60 s of silence. Batches are half full at
   * least, so that the window keeps 0.8 GB/s up over a round trip of 20 ms.
   */
  public static ScanOptions defaults() {
    return new ScanOptions(1 << 20, 32L << 20, 64 << 20, 60_000);
  }

  /** The same for a scan that another node could answer, too. */
  public ScanOptions withReplica() {
    return new ScanOptions(
        maxBatchBytes,
        windowBytes,
        processWindowBytes,
        maxRowBytes,
        silenceMillis,
        reconnect.withReplica());
  }

  /** The same within a share of the process's memory: of smaller batches, if it is small. */
  ScanOptions within(long shareBytes) {
    if (shareBytes >= windowBytes) {
      return this;
    }
    return new ScanOptions(
        (int) WindowBudget.batchBytes(maxBatchBytes, shareBytes),
        shareBytes,
        processWindowBytes,
        maxRowBytes,
        silenceMillis,
        reconnect);
  }

  /** How many batches may be on the way at once; at least 1. */
  public int credits() {
    return credits(windowBytes, maxBatchBytes);
  }

  /** How many batches a window has room for; at least 1. */
  static int credits(long windowBytes, int maxBatchBytes) {
    return (int) Math.max(1, Math.min(Integer.MAX_VALUE, windowBytes / maxBatchBytes));
  }
}
