package io.tally.server;

import java.lang.reflect.Proxy;
import java.util.List;

/**
 * Takes what is to be done when the process is told to stop (SIGTERM, SIGINT), instead of the JVM's
 * own way, which always ends with code 143 or 130; halting in a shutdown hook would change that,
 * but leave the native libraries behind that are unpacked into the temporary folder.
 */
final class StopSignals {
  private static final List<String> NAMES = List.of("TERM", "INT");

  private StopSignals() {}

  /**
   * From now on a signal runs {@code action}, on a thread of the JVM, and nothing else.
   *
   * @throws IllegalStateException if this JVM has no {@code sun.misc.Signal}; every OpenJDK has it
   */
  static void handle(Runnable action) {
    try {
      // By reflection: the compiler warns of this class, and the warning cannot be switched off.
      Class<?> signal = Class.forName("sun.misc.Signal");
      Class<?> handler = Class.forName("sun.misc.SignalHandler");
      Object run =
          Proxy.newProxyInstance(
              StopSignals.class.getClassLoader(),
              new Class<?>[] {handler},
              (proxy, method, arguments) -> {
                action.run();
                return null;
              });
      for (String name : NAMES) {
        signal
            .getMethod("handle", signal, handler)
            .invoke(null, signal.getConstructor(String.class).newInstance(name), run);
      }
    } catch (ReflectiveOperationException e) {
      throw new IllegalStateException("This JVM cannot handle signals", e);
    }
  }
}
