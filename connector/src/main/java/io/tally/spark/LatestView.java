package io.tally.spark;

import io.tally.rpc.TallyException;
import io.tally.rpc.client.ClusterView;
import io.tally.rpc.client.Endpoints;
import io.tally.rpc.v1.ErrorCode;
import io.tally.spark.read.ProcessResources;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Takes the options of a table and hands on what the nodes say of it now, or said a moment ago: two
 * scans of one query, a self-join say, are planned with the same answer, and read the same answer.
 * Safe for any thread.
 */
final class LatestView {
  /** What the nodes said is used for scans planned this soon after: those of the same query. */
  private static final long FRESH_MILLIS = 1_000;

  private static final Logger LOG = LoggerFactory.getLogger(LatestView.class);

  private final TallyOptions options;
  private volatile Answer answer;

  /**
   * What the nodes said.
   *
   * @param answeredAtNanos when they had said it: a slow answer is not stale at once
   * @param settled of all scans that are planned with this
   */
  record Answer(ClusterView view, long answeredAtNanos, Settled settled) {

    private boolean isFresh() {
      return System.nanoTime() - answeredAtNanos < TimeUnit.MILLISECONDS.toNanos(FRESH_MILLIS);
    }
  }

  /** What is read by scans that were planned together: what the first of them found. */
  static final class Settled {
    private Optional<ClusterView> view = Optional.empty();

    private synchronized boolean isOpen() {
      return view.isEmpty();
    }

    private synchronized ClusterView by(LatestView latest, Answer planned) {
      if (view.isEmpty()) {
        view = Optional.of(latest.nowOr(planned).view());
      }
      return view.get();
    }
  }

  /** Asks the nodes. */
  LatestView(TallyOptions options) {
    this.options = options;
    this.answer = new Answer(ask(), System.nanoTime(), new Settled());
  }

  private ClusterView ask() {
    return ClusterView.discover(
        ProcessResources.channels(options.settings().limits().windowBytes()),
        Endpoints.resolve(options.endpoints()),
        options.table(),
        options.describeTimeoutMillis());
  }

  /** Asks the nodes again, unless they have answered a moment ago. */
  Answer now() {
    Answer latest = answer;
    if (!latest.isFresh()) {
      ClusterView view = ask();
      // The planning of one query may take longer than a moment.
      boolean sameQuery = view.equals(latest.view()) && latest.settled().isOpen();
      latest = new Answer(view, System.nanoTime(), sameQuery ? latest.settled() : new Settled());
      answer = latest;
    }
    return latest;
  }

  /**
   * What is to be read by a scan that is about to begin: the same for all that were planned with an
   * answer, so that no query reads two states of a table.
   */
  ClusterView toRead(Answer planned) {
    return planned.settled().by(this, planned);
  }

  /** A node that is down now may be back when tasks ask it, or has a replica that they know. */
  private Answer nowOr(Answer planned) {
    try {
      return now();
    } catch (TallyException e) {
      if (!e.retryable() && e.code() != ErrorCode.PARTITION_WITHOUT_OWNER) {
        throw e;
      }
      LOG.warn("Reading table \"{}\" as it was planned: {}", options.table(), e.getMessage());
      return planned;
    }
  }
}
