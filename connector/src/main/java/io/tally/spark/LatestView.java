package io.tally.spark;

import io.tally.rpc.client.ClusterView;
import io.tally.rpc.client.Endpoints;
import io.tally.spark.read.ProcessResources;
import java.util.concurrent.TimeUnit;

/**
 * Takes the options of a table and hands on what the nodes say of it now, or said a moment ago: two
 * scans of one query, a self-join say, are planned with the same answer. Safe for any thread.
 */
final class LatestView {
  /** What the nodes said is used for scans planned this soon after: those of the same query. */
  private static final long FRESH_MILLIS = 1_000;

  private final TallyOptions options;
  private volatile Answer answer;

  /** What the nodes said, and when they had said it: a slow answer is not stale at once. */
  private record Answer(ClusterView view, long answeredAtNanos) {

    boolean isFresh() {
      return System.nanoTime() - answeredAtNanos < TimeUnit.MILLISECONDS.toNanos(FRESH_MILLIS);
    }
  }

  /** Asks the nodes. */
  LatestView(TallyOptions options) {
    this.options = options;
    this.answer = ask();
  }

  private Answer ask() {
    ClusterView view =
        ClusterView.discover(
            ProcessResources.channels(options.settings().limits().windowBytes()),
            Endpoints.resolve(options.endpoints()),
            options.table(),
            options.describeTimeoutMillis());
    return new Answer(view, System.nanoTime());
  }

  /** Asks the nodes again, unless they have answered a moment ago. */
  ClusterView now() {
    Answer latest = answer;
    if (!latest.isFresh()) {
      latest = ask();
      answer = latest;
    }
    return latest.view();
  }
}
