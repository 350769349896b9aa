package io.tally.server;

import io.tally.server.NodeConfig.Limits;
import io.tally.server.grpc.NodeSettings;
import io.tally.server.scan.ExpressionLimits;
import io.tally.server.scan.ScanFeatures;
import io.tally.server.table.DatabaseSettings;
import io.tally.server.table.TableDefinition;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.UnknownHostException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Pattern;

/**
 * Takes the YAML file of a node and hands on its {@link NodeConfig}, or every mistake in it. Keys
 * and defaults are explained in {@code conf/node.example.yaml}.
 */
final class NodeConfigReader {
  private static final String DEFAULT_HOST = "127.0.0.1";
  private static final int MAX_PORT = 65_535;
  private static final int MAX_SCANS = 10_000;
  private static final int MAX_THREADS = 1_024;
  private static final long MIN_WINDOW_BYTES = 1L << 20;
  private static final long MAX_WINDOW_BYTES = 16L << 30;
  private static final long MAX_QUEUE_TIMEOUT_MILLIS = 86_400_000;
  private static final long MAX_STOP_GRACE_MILLIS = 3_600_000;

  private static final long MAX_RESUME_GRACE_MILLIS = 3_600_000;
  private static final long MAX_CONNECTION_MILLIS = 86_400_000;

  /** The protocol asks every node to accept at least these. */
  private static final int MIN_EXPRESSION_DEPTH = 64;

  private static final int MIN_EXPRESSION_NODES = 10_000;

  private static final Pattern MEMORY =
      Pattern.compile("\\d{1,9}(\\.\\d{1,3})? ?([KMGT]i?)?B", Pattern.CASE_INSENSITIVE);

  private final Path file;

  private NodeConfigReader(Path file) {
    this.file = file;
  }

  /** Reads a file. Relative paths in it are relative to its own folder. */
  static NodeConfig read(Path file) throws ConfigurationException {
    return read(file, System.getenv());
  }

  /**
   * As {@link #read(Path)}.
   *
   * @param environment for {@link Placeholders} in the file
   */
  static NodeConfig read(Path file, Map<String, String> environment) throws ConfigurationException {
    YamlProblems problems = new YamlProblems(file.toString());
    YamlSection yaml = tree(file, environment, problems);
    NodeConfig config = new NodeConfigReader(file).read(yaml);
    problems.throwIfAny();
    return config;
  }

  /**
   * Where the node of a file listens; the rest of the file is not looked at, nor any data.
   *
   * @return host and port as they are written; port 0 is refused
   */
  static InetSocketAddress readAddress(Path file) throws ConfigurationException {
    YamlProblems problems = new YamlProblems(file.toString());
    YamlSection yaml = tree(file, System.getenv(), problems);
    int port = yaml.requiredInteger("port", 0, MAX_PORT);
    String host = yaml.text("host").orElse(DEFAULT_HOST);
    problems.throwIfAny();
    if (port == 0) {
      yaml.problem(
          "port", "0 is any free port, which a check cannot know; write the port to listen on");
    }
    problems.throwIfAny();
    return InetSocketAddress.createUnresolved(host, port);
  }

  private static YamlSection tree(Path file, Map<String, String> environment, YamlProblems problems)
      throws ConfigurationException {
    YamlSection yaml = new YamlSection("", YamlTree.read(file, environment, problems), problems);
    problems.throwIfAny();
    return yaml;
  }

  private NodeConfig read(YamlSection yaml) {
    String node = yaml.requiredText("node");
    String host = yaml.text("host").orElse(DEFAULT_HOST);
    int port = yaml.requiredInteger("port", 0, MAX_PORT);
    checkHost(yaml, host, yaml.flag("allow-insecure-network", false));
    Optional<YamlSection> limits = yaml.section("limits");
    Limits scanLimits = limits.map(NodeConfigReader::limits).orElse(Limits.DEFAULTS);
    DatabaseSettings database =
        limits.map(NodeConfigReader::database).orElse(DatabaseSettings.defaults());
    limits.ifPresent(YamlSection::rejectUnknownKeys);
    ScanFeatures features = features(yaml);
    List<TableDefinition> tables = tables(yaml);
    yaml.rejectUnknownKeys();
    return new NodeConfig(node, host, port, scanLimits, database, features, tables);
  }

  private static void checkHost(YamlSection yaml, String host, boolean insecureNetworkAllowed) {
    try {
      if (!InetAddress.getByName(host).isLoopbackAddress() && !insecureNetworkAllowed) {
        yaml.problem(
            "host",
            host
                + " can be reached from other machines, and the node neither encrypts nor asks who"
                + " is calling; use 127.0.0.1, or set allow-insecure-network: true in a network that"
                + " you trust");
      }
    } catch (UnknownHostException e) {
      yaml.problem("host", host + " is not an address of this machine; check its spelling");
    }
  }

  private static Limits limits(YamlSection yaml) {
    Limits byDefault = Limits.DEFAULTS;
    return new Limits(
        yaml.integer("concurrent-scans", byDefault.concurrentScans(), 1, MAX_SCANS),
        yaml.integer("queued-scans", byDefault.queuedScans(), 0, MAX_SCANS),
        yaml.integer(
            "queue-timeout-millis", byDefault.queueTimeoutMillis(), 1, MAX_QUEUE_TIMEOUT_MILLIS),
        yaml.integer("window-bytes", byDefault.windowBytes(), MIN_WINDOW_BYTES, MAX_WINDOW_BYTES),
        yaml.integer(
            "resume-grace-millis", byDefault.resumeGraceMillis(), 0, MAX_RESUME_GRACE_MILLIS),
        yaml.integer("resume-bytes", byDefault.resumeBytes(), 0, MAX_WINDOW_BYTES),
        yaml.integer("send-bytes", byDefault.sendBytes(), MIN_WINDOW_BYTES, MAX_WINDOW_BYTES),
        connections(yaml),
        yaml.integer("stop-grace-millis", byDefault.stopGraceMillis(), 0, MAX_STOP_GRACE_MILLIS),
        yaml.integer(
            "expression-depth",
            byDefault.expressionDepth(),
            MIN_EXPRESSION_DEPTH,
            ExpressionLimits.MAX_DEPTH),
        yaml.integer(
            "expression-nodes",
            byDefault.expressionNodes(),
            MIN_EXPRESSION_NODES,
            Integer.MAX_VALUE));
  }

  private static NodeSettings.Connections connections(YamlSection yaml) {
    NodeSettings.Connections byDefault = NodeSettings.Connections.DEFAULTS;
    return new NodeSettings.Connections(
        yaml.integer(
            "ping-millis",
            byDefault.pingMillis(),
            NodeSettings.MIN_PING_MILLIS,
            MAX_CONNECTION_MILLIS),
        yaml.integer(
            "ping-timeout-millis", byDefault.pingTimeoutMillis(), 10, MAX_CONNECTION_MILLIS),
        yaml.integer(
            "max-connection-age-millis", byDefault.maxAgeMillis(), 0, MAX_CONNECTION_MILLIS),
        yaml.integer(
            "max-connection-age-grace-millis",
            byDefault.maxAgeGraceMillis(),
            0,
            MAX_CONNECTION_MILLIS));
  }

  private static DatabaseSettings database(YamlSection yaml) {
    int threads = yaml.integer("threads", 0, 0, MAX_THREADS);
    Optional<String> memory = yaml.text("memory");
    if (memory.isPresent() && !MEMORY.matcher(memory.get()).matches()) {
      yaml.problem("memory", memory.get() + " is not a size; write one such as 4GiB or 512MiB");
    }
    return new DatabaseSettings(threads, memory);
  }

  private static ScanFeatures features(YamlSection yaml) {
    List<String> disabled = yaml.texts("disabled-features");
    for (String name : disabled) {
      ScanFeatures.problem(name).ifPresent(what -> yaml.problem("disabled-features", what));
    }
    return ScanFeatures.ALL.without(disabled);
  }

  private List<TableDefinition> tables(YamlSection yaml) {
    if (!yaml.has("tables")) {
      yaml.problem("the key tables is missing; name at least one table to serve");
    }
    List<TableDefinition> tables = new ArrayList<>();
    Map<String, String> places = new HashMap<>();
    TableConfigReader reader = new TableConfigReader(file);
    List<YamlSection> sections = yaml.sections("tables");
    if (yaml.has("tables") && sections.isEmpty()) {
      yaml.problem("tables", "names no table; name at least one to serve");
    }
    for (YamlSection section : sections) {
      TableDefinition table = reader.read(section);
      tables.add(table);
      String earlier = places.putIfAbsent(table.name(), section.pathOf("name"));
      if (earlier != null && !table.name().isEmpty()) {
        section.problem(
            "name",
            String.format(
                "\"%s\" is the name of %s already; choose another", table.name(), earlier));
      }
    }
    return tables;
  }
}
