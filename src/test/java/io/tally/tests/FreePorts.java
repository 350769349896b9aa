package io.tally.tests;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ThreadLocalRandom;

/**
 * Ports on loopback for processes that cannot say which one they took: below those that the system
 * gives to whoever asks for any, so that only another test could take one in between.
 */
final class FreePorts {
  private static final int FIRST = 20_000;
  private static final int END = 32_000;
  private static final int TRIES = 100;

  private static final Set<Integer> GIVEN = ConcurrentHashMap.newKeySet();

  private FreePorts() {}

  /** A port that nobody was given before in this JVM. */
  static int next() {
    for (int i = 0; i < TRIES; i++) {
      int port = ThreadLocalRandom.current().nextInt(FIRST, END);
      try (ServerSocket probe = new ServerSocket()) {
        probe.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), port));
        if (GIVEN.add(port)) {
          return port;
        }
      } catch (IOException taken) {
        // Another one, then.
      }
    }
    throw new IllegalStateException("No port was free in " + TRIES + " tries.");
  }
}
