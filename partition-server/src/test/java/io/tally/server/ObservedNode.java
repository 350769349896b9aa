package io.tally.server;

import io.tally.server.grpc.NodeServer;
import io.tally.server.grpc.NodeStats;
import io.tally.server.table.DuckDbCatalog;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CountDownLatch;

/**
 * A node as a process, as {@link TallyServer} is, that a test can look into: whoever connects to
 * its second port is told, in one line, what the node is busy with. That port stands in a file
 * beside the ready file, which is there first.
 */
public final class ObservedNode {
  private static final int CALLERS = 50;

  private ObservedNode() {}

  /** {@code --config FILE --ready-file FILE}; serves until SIGTERM. */
  public static void main(String[] arguments) throws Exception {
    Path readyFile = Path.of(arguments[3]);
    ReadyFile ready = ReadyFile.prepare(Optional.of(readyFile)).orElseThrow();
    NodeConfig config = NodeConfigReader.read(Path.of(arguments[1]));
    int exitCode = 0;
    try (DuckDbCatalog catalog = DuckDbCatalog.open(config.database(), config.tables())) {
      NodeServer server =
          NodeServer.start(TallyServer.settings(config), catalog, config.features());
      ServerSocket observers = new ServerSocket(0, CALLERS, InetAddress.getLoopbackAddress());
      CountDownLatch asked = new CountDownLatch(1);
      StopSignals.handle(asked::countDown);
      Thread answers = new Thread(() -> answer(observers, server), "observers");
      answers.setDaemon(true);
      answers.start();
      Files.write(statsFile(readyFile), List.of(Integer.toString(observers.getLocalPort())));
      ready.write(config.address(server.port()));
      asked.await();
      ready.delete();
      server.stop(config.limits().stopGraceMillis());
    } catch (IllegalStateException e) {
      e.printStackTrace();
      exitCode = 1;
    }
    System.exit(exitCode);
  }

  /** Where the second port of a node with that ready file stands. */
  static Path statsFile(Path readyFile) {
    return readyFile.resolveSibling(readyFile.getFileName() + "-stats");
  }

  private static void answer(ServerSocket observers, NodeServer server) {
    while (true) {
      try (Socket observer = observers.accept()) {
        NodeStats stats = server.stats();
        String line =
            stats.openScans()
                + " "
                + stats.runningScans()
                + " "
                + stats.queuedScans()
                + " "
                + stats.allocatedBytes()
                + "\n";
        observer.getOutputStream().write(line.getBytes(StandardCharsets.US_ASCII));
      } catch (IOException e) {
        throw new UncheckedIOException(e);
      }
    }
  }
}
