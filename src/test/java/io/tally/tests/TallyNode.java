package io.tally.tests;

import com.fasterxml.jackson.dataformat.yaml.YAMLMapper;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.ClosedWatchServiceException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardWatchEventKinds;
import java.nio.file.WatchKey;
import java.nio.file.WatchService;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

/**
 * One {@code tally-server} process: takes a configuration, starts the process from the
 * distribution, and hands on the address where it listens. Ends only its own process. Not for
 * several threads at once.
 */
final class TallyNode implements AutoCloseable {
  /** A node reads the statistics of its files first; this bounds also a busy machine. */
  static final Duration START_LIMIT = Duration.ofSeconds(60);

  static final Duration STOP_LIMIT = Duration.ofSeconds(20);

  private final String id;
  private final Path directory;
  private final Map<String, Object> config;
  private int port;
  private Process process;
  private String address;

  /**
   * @param directory an existing directory of this node alone, for its configuration and its log
   * @param extra further top-level keys, such as {@code limits}
   */
  TallyNode(String id, Path directory, Map<String, Object> extra, List<TableConfig> tables) {
    this.id = id;
    this.directory = directory;
    this.config = new LinkedHashMap<>();
    config.put("node", id);
    config.putAll(extra);
    config.put("tables", tables.stream().map(TableConfig::toYaml).toList());
  }

  /** Starts the process and waits until it listens; at the port it had before, if it ran before. */
  TallyNode start() {
    launch();
    awaitReady();
    return this;
  }

  /** As {@link #start()}, with other tables from now on. */
  TallyNode start(List<TableConfig> tables) {
    config.put("tables", tables.stream().map(TableConfig::toYaml).toList());
    return start();
  }

  /** Ends it, if it runs, and starts it at the same port, with another value of one key. */
  void restart(String key, Object value) {
    close();
    config.put(key, value);
    start();
  }

  /** Starts the process, without waiting. */
  void launch() {
    if (isAlive()) {
      throw new IllegalStateException(id + " is running already");
    }
    try {
      Files.deleteIfExists(readyFile());
      Map<String, Object> withPort = new LinkedHashMap<>(config);
      withPort.put("port", port);
      new YAMLMapper().writeValue(configFile().toFile(), withPort);
      ProcessBuilder command =
          new ProcessBuilder(
                  Home.server().toString(),
                  "--config",
                  configFile().toString(),
                  "--ready-file",
                  readyFile().toString())
              .redirectErrorStream(true)
              .redirectOutput(ProcessBuilder.Redirect.appendTo(logFile().toFile()));
      // A node that is killed leaves its temporary files; here they go with its directory.
      Path temporary = Files.createDirectories(directory.resolve("tmp"));
      // These processes live for seconds: the second compiler would cost more than it brings.
      command
          .environment()
          .put("TALLY_JAVA_OPTS", "-XX:TieredStopAtLevel=1 -Djava.io.tmpdir=" + temporary);
      process = command.start();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /**
   * Returns as soon as the node has written its ready file; woken by the file or by the process's
   * end, never by polling.
   *
   * @throws IllegalStateException with the log, if the process ends instead or takes too long
   */
  void awaitReady() {
    long deadline = System.nanoTime() + START_LIMIT.toNanos();
    try (WatchService watcher = directory.getFileSystem().newWatchService()) {
      directory.register(watcher, StandardWatchEventKinds.ENTRY_CREATE);
      CompletableFuture<Void> wakeUp = process.onExit().thenRun(() -> closeQuietly(watcher));
      while (!Files.exists(readyFile())) {
        if (!process.isAlive()) {
          throw new IllegalStateException(id + " ended instead of starting:\n" + log());
        }
        WatchKey key = watcher.poll(deadline - System.nanoTime(), TimeUnit.NANOSECONDS);
        if (key == null && !Files.exists(readyFile())) {
          throw new IllegalStateException(id + " was not ready in time:\n" + log());
        }
        if (key != null) {
          key.reset();
        }
      }
      wakeUp.cancel(false);
      address = Files.readString(readyFile()).strip();
      port = Integer.parseInt(address.substring(address.lastIndexOf(':') + 1));
    } catch (ClosedWatchServiceException e) {
      throw new IllegalStateException(id + " ended instead of starting:\n" + log(), e);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IllegalStateException("Interrupted while waiting for " + id, e);
    }
  }

  String id() {
    return id;
  }

  /** {@code host:port}; keeps its value when the node has stopped. */
  String address() {
    if (address == null) {
      throw new IllegalStateException(id + " has not been started");
    }
    return address;
  }

  /** Where it listens; 0 before its first start. */
  int port() {
    return port;
  }

  boolean isAlive() {
    return process != null && process.isAlive();
  }

  long pid() {
    return process.pid();
  }

  /** Ends it at once, as a crash does (SIGKILL). */
  void kill() {
    process.destroyForcibly();
    awaitExit();
  }

  /** Lets it do nothing, with its connections open, until {@link #resume} or {@link #kill}. */
  void pause() {
    signal("STOP");
  }

  void resume() {
    signal("CONT");
  }

  private void signal(String name) {
    try {
      Process kill = new ProcessBuilder("kill", "-" + name, Long.toString(pid())).start();
      if (!kill.waitFor(STOP_LIMIT.toMillis(), TimeUnit.MILLISECONDS) || kill.exitValue() != 0) {
        throw new IllegalStateException("no signal " + name + " for " + id);
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IllegalStateException("Interrupted while " + id + " was sent a signal", e);
    }
  }

  /**
   * Asks it to end (SIGTERM) and waits; a node that does not end in time, or finds memory at its
   * end that no scan has given back, is a failure.
   */
  void stop() {
    process.destroy();
    awaitExit();
    if (log().contains("hold memory")) {
      throw new IllegalStateException(id + " has leaked:\n" + log());
    }
  }

  /** Waits for the process to end by itself and gives its exit status. */
  int awaitExit() {
    try {
      if (!process.waitFor(STOP_LIMIT.toMillis(), TimeUnit.MILLISECONDS)) {
        process.destroyForcibly().waitFor(STOP_LIMIT.toMillis(), TimeUnit.MILLISECONDS);
        throw new IllegalStateException(id + " did not end in time:\n" + log());
      }
      return process.exitValue();
    } catch (InterruptedException e) {
      process.destroyForcibly();
      Thread.currentThread().interrupt();
      throw new IllegalStateException("Interrupted while waiting for " + id, e);
    }
  }

  /** Everything that it has written so far, of all its runs. */
  String log() {
    try {
      return Files.exists(logFile())
          ? Files.readString(logFile(), StandardCharsets.UTF_8)
          : "(no log)";
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  Path configFile() {
    return directory.resolve("node.yaml");
  }

  @Override
  public void close() {
    if (isAlive()) {
      stop();
    }
  }

  private Path readyFile() {
    return directory.resolve("ready");
  }

  private Path logFile() {
    return directory.resolve("node.log");
  }

  private static void closeQuietly(WatchService watcher) {
    try {
      watcher.close();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
