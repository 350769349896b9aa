package io.tally.rpc.client;

import java.io.Serializable;

/**
 * How often and how soon a scan whose connection broke asks for it again.
 *
 * @param tries most tries in a row without a batch between them; 0: the scan fails at once
 * @param backoffMillis the longest wait before the first try; each further one is twice as long
 * @param maxBackoffMillis the longest wait before any try
 */
public record ReconnectPolicy(int tries, long backoffMillis, long maxBackoffMillis)
    implements Serializable {

  /** Six tries within about ten seconds. */
  public static ReconnectPolicy defaults() {
    return new ReconnectPolicy(6, 200, 5_000);
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
