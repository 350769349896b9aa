package io.tally.tests;

import com.fasterxml.jackson.dataformat.yaml.YAMLMapper;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.nio.file.ClosedWatchServiceException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardWatchEventKinds;
import java.nio.file.WatchKey;
import java.nio.file.WatchService;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;

/**
 * One {@code tally-server} process: takes a configuration, starts the process from the
 * distribution, and hands on the address where it listens. Ends only its own process. Not for
 * several threads at once.
 */
public final class TallyNode implements AutoCloseable {
  /** A node reads the statistics of its files first; this bounds also a busy machine. */
  static final Duration START_LIMIT = Duration.ofSeconds(60);

  /** Also for one that writes its archive of classes at the end. */
  static final Duration STOP_LIMIT = Duration.ofSeconds(60);

  private static final int LOAD_LIMIT_MILLIS = 20_000;

  private final String id;
  private final Path directory;
  private final List<String> program;
  private final Supplier<String> javaOption;
  private final Map<String, Object> config;
  private int port;
  private Process process;
  private String address;

  /**
   * @param directory an existing directory of this node alone, for its configuration and its log
   * @param extra further top-level keys, such as {@code limits}
   */
  TallyNode(String id, Path directory, Map<String, Object> extra, List<TableConfig> tables) {
    this(id, directory, List.of(Home.server().toString()), NodeClasses::javaOption, extra, tables);
  }

  private TallyNode(
      String id,
      Path directory,
      List<String> program,
      Supplier<String> javaOption,
      Map<String, Object> extra,
      List<TableConfig> tables) {
    this.id = id;
    this.directory = directory;
    this.program = program;
    this.javaOption = javaOption;
    this.config = new LinkedHashMap<>();
    config.put("node", id);
    config.putAll(extra);
    config.put("tables", tables.stream().map(TableConfig::toYaml).toList());
  }

  /** A node that tells what it is busy with, see {@link #load}. */
  public static TallyNode observed(
      String id, Path directory, Map<String, Object> extra, List<TableConfig> tables) {
    return new TallyNode(
        id, directory, Home.observedServer(), NodeClasses::javaOption, extra, tables);
  }

  /** A node that is started with a further option for Java. */
  static TallyNode withJavaOption(
      String option, Path directory, Map<String, Object> extra, List<TableConfig> tables) {
    List<String> program = List.of(Home.server().toString());
    return new TallyNode("node", directory, program, () -> option, extra, tables);
  }

  /** Starts the process and waits until it listens; at the port it had before, if it ran before. */
  public TallyNode start() {
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
  public void launch() {
    if (isAlive()) {
      throw new IllegalStateException(id + " is running already");
    }
    try {
      Files.deleteIfExists(readyFile());
      Map<String, Object> withPort = new LinkedHashMap<>(config);
      withPort.put("port", port);
      new YAMLMapper().writeValue(configFile().toFile(), withPort);
      List<String> words = new ArrayList<>(program);
      words.addAll(
          List.of("--config", configFile().toString(), "--ready-file", readyFile().toString()));
      ProcessBuilder command =
          new ProcessBuilder(words)
              .redirectErrorStream(true)
              .redirectOutput(ProcessBuilder.Redirect.appendTo(logFile().toFile()));
      // A node that is killed leaves its temporary files; here they go with its directory.
      Path temporary = Files.createDirectories(temporaryFolder());
      // These processes live for seconds: the second compiler would cost more than it brings.
      command
          .environment()
          .put(
              "TALLY_JAVA_OPTS",
              "-XX:TieredStopAtLevel=1 -Djava.io.tmpdir=" + temporary + " " + javaOption.get());
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
  public void awaitReady() {
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

  public String id() {
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
  public int port() {
    return port;
  }

  public boolean isAlive() {
    return process != null && process.isAlive();
  }

  long pid() {
    return process.pid();
  }

  /** Ends it at once, as a crash does (SIGKILL). */
  public void kill() {
    process.destroyForcibly();
    awaitExit();
  }

  /** Lets it do nothing, with its connections open, until {@link #resume} or {@link #kill}. */
  public void pause() {
    Signals.send("STOP", pid(), id);
  }

  public void resume() {
    Signals.send("CONT", pid(), id);
  }

  /**
   * Asks it to end (SIGTERM) and waits; a node that does not end in time, or finds memory at its
   * end that no scan has given back, is a failure.
   */
  public void stop() {
    process.destroy();
    awaitExit();
    if (log().contains("hold memory")) {
      throw new IllegalStateException(id + " has leaked:\n" + log());
    }
  }

  /**
   * What it is busy with: scans that have not ended, that run, that wait, and Arrow memory.
   *
   * @throws IllegalStateException if it does not answer in time
   */
  public Load load() {
    try (Socket socket = new Socket()) {
      int statsPort = Integer.parseInt(Files.readString(statsFile()).strip());
      socket.connect(
          new InetSocketAddress(InetAddress.getLoopbackAddress(), statsPort), LOAD_LIMIT_MILLIS);
      socket.setSoTimeout(LOAD_LIMIT_MILLIS);
      String[] numbers =
          new String(socket.getInputStream().readAllBytes(), StandardCharsets.US_ASCII)
              .strip()
              .split(" ", -1);
      return new Load(
          Integer.parseInt(numbers[0]),
          Integer.parseInt(numbers[1]),
          Integer.parseInt(numbers[2]),
          Long.parseLong(numbers[3]));
    } catch (IOException e) {
      throw new IllegalStateException(id + " does not say what it is busy with:\n" + log(), e);
    }
  }

  /** What a node is busy with. */
  public record Load(int openScans, int runningScans, int queuedScans, long allocatedBytes) {
    public static final Load NONE = new Load(0, 0, 0, 0);
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
  public String log() {
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

  /** Where its temporary files go. */
  Path temporaryFolder() {
    return directory.resolve("tmp");
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

  private Path statsFile() {
    return directory.resolve("ready-stats");
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
