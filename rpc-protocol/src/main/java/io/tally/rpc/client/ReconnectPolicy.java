package io.tally.rpc.client;

import java.io.Serializable;

/**
 * How often and how soon a scan whose connection broke asks for it again.
 *
 * @param tries most tries in a row without a batch or a sign of life between them; 0: the scan
 *     fails at once
 * @param backoffMillis the longest wait before the first try; each further one is twice as long
 * @param maxBackoffMillis the longest wait before any try
 * @param hasReplica whether another node could answer, too: a scan of which nothing was handed out
 *     then fails soon, so that the other may be asked
 */
public record ReconnectPolicy(
    int tries, long backoffMillis, long maxBackoffMillis, boolean hasReplica)
    implements Serializable {
  /** A scan that the node has begun may be nearly done, so it is worth a try. */
  private static final int TRIES_BEFORE_REPLICA = 1;

  /** Of a scan that only one node can answer. */
  public ReconnectPolicy(int tries, long backoffMillis, long maxBackoffMillis) {
    this(tries, backoffMillis, maxBackoffMillis, false);
  }

  /** Six tries within about ten seconds. */
  public static ReconnectPolicy defaults() {
    return new ReconnectPolicy(6, 200, 5_000);
  }

  /** The same for a scan that another node could answer, too. */
  public ReconnectPolicy withReplica() {
    return new ReconnectPolicy(tries, backoffMillis, maxBackoffMillis, true);
  }

  /**
   * Most tries in a row now.
   *
   * @param opened whether the node has begun with the scan
   * @param handedOut whether something of it was handed out, so that no other node can go on
   */
  int tries(boolean opened, boolean handedOut) {
    if (!hasReplica || handedOut) {
      return tries;
    }
    return opened ? Math.min(tries, TRIES_BEFORE_REPLICA) : 0;
  }

  /**
   * How long to wait before a try.
   *
   * @param failedTries how many have failed before it
   * @param jitter at least 0, less than 1: so that the streams of a cluster do not all come at once
   * @return between half of the longest wait and the longest
   */
  long waitMillis(int failedTries, double jitter) {
    long longest = backoffMillis;
    for (int i = 0; i < failedTries && longest < maxBackoffMillis; i++) {
      longest *= 2;
    }
    longest = Math.min(longest, maxBackoffMillis);
    return longest / 2 + (long) (jitter * (longest - longest / 2));
  }
}
