package io.tally.tests;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.LinkedHashSet;
import java.util.Set;
import org.junit.jupiter.api.extension.BeforeEachCallback;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.api.extension.TestWatcher;

/**
 * Takes note of every cluster that is started, and prints the logs of its nodes behind a test that
 * failed: of the clusters that run, and of those that the test closed. JUnit finds it by itself.
 */
public final class NodeLogs implements TestWatcher, BeforeEachCallback {
  private static final int CLOSED_LOGS_KEPT = 4;
  private static final int CHARACTERS_SHOWN = 20_000;

  private static final Set<TallyCluster> OPEN = new LinkedHashSet<>();
  private static final Deque<String> CLOSED = new ArrayDeque<>();

  static synchronized void opened(TallyCluster cluster) {
    OPEN.add(cluster);
  }

  /** To be called while the logs are still there. */
  static synchronized void closing(TallyCluster cluster) {
    OPEN.remove(cluster);
    CLOSED.addLast(cluster.logs());
    if (CLOSED.size() > CLOSED_LOGS_KEPT) {
      CLOSED.removeFirst();
    }
  }

  @Override
  public void beforeEach(ExtensionContext context) {
    synchronized (NodeLogs.class) {
      CLOSED.clear();
    }
  }

  @Override
  public void testFailed(ExtensionContext context, Throwable cause) {
    synchronized (NodeLogs.class) {
      System.err.println("Failed: " + context.getDisplayName() + ": " + cause);
      CLOSED.forEach(NodeLogs::print);
      OPEN.stream().map(TallyCluster::logs).forEach(NodeLogs::print);
    }
  }

  private static void print(String logs) {
    System.err.println(logs.substring(Math.max(0, logs.length() - CHARACTERS_SHOWN)));
  }
}
