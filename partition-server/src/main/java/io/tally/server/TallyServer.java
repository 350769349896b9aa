package io.tally.server;

import io.tally.server.grpc.NodeServer;
import io.tally.server.grpc.NodeSettings;
import io.tally.server.scan.ScanFeatures;
import io.tally.server.table.CatalogException;
import io.tally.server.table.DuckDbCatalog;
import java.io.IOException;
import java.nio.file.Path;
import java.sql.SQLException;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.IVersionProvider;
import picocli.CommandLine.Option;
import picocli.CommandLine.ScopeType;

/**
 * The node as a process: takes a configuration file, opens its tables, and serves them until it is
 * told to stop.
 *
 * <p>SIGTERM and SIGINT stop it: it admits no more scans, gives those that run {@code
 * stop-grace-millis} to finish, and exits with code 0. What cannot be started is said in one line
 * per problem, without a stack trace; see the exit codes in {@code --help}.
 */
@Command(
    name = "tally-server",
    description = "Serves partitions of tables to Tally's Spark connector.",
    mixinStandardHelpOptions = true,
    versionProvider = TallyServer.Version.class,
    subcommands = HealthCommand.class,
    exitCodeListHeading = "%nExit codes:%n",
    exitCodeList = {
      "0:stopped as told",
      "1:a fault of the program, or a scan that did not give back its memory at the stop",
      "2:the command line or the configuration is wrong",
      "3:the data cannot be read, or is not what the configuration says",
      "4:the address cannot be listened on"
    })
public final class TallyServer implements Callable<Integer> {
  private static final Logger LOG = LoggerFactory.getLogger(TallyServer.class);

  private static final int STOPPED = 0;
  private static final int FAULT = 1;
  static final int CONFIGURATION_PROBLEM = 2;
  private static final int DATA_PROBLEM = 3;
  private static final int ADDRESS_PROBLEM = 4;

  @Option(
      names = "--config",
      required = true,
      scope = ScopeType.INHERIT,
      paramLabel = "FILE",
      description = "The node's configuration; conf/node.example.yaml explains every key.")
  private Path configFile;

  @Option(
      names = "--ready-file",
      paramLabel = "FILE",
      description = "Written with host:port as soon as the node listens; deleted when it stops.")
  private Path readyFile;

  @Option(
      names = "--disable-feature",
      paramLabel = "NAME",
      description =
          "Behave like an older release without this feature, such as scan.limit or agg.*; may be"
              + " repeated, and adds to disabled-features of the configuration.")
  private List<String> disabledFeatures = List.of();

  TallyServer() {}

  Path configFile() {
    return configFile;
  }

  /** Runs until the node is stopped. */
  public static void main(String[] arguments) {
    int exitCode =
        new CommandLine(new TallyServer())
            .setParameterExceptionHandler(TallyServer::explain)
            .setExecutionExceptionHandler(TallyServer::explainFault)
            .execute(arguments);
    System.exit(exitCode);
  }

  @Override
  public Integer call() throws SQLException {
    try {
      Optional<ReadyFile> ready = ReadyFile.prepare(Optional.ofNullable(readyFile));
      NodeConfig config = NodeConfigReader.read(configFile);
      List<String> unknown =
          disabledFeatures.stream().flatMap(name -> ScanFeatures.problem(name).stream()).toList();
      if (!unknown.isEmpty()) {
        return refuse(
            CONFIGURATION_PROBLEM,
            unknown.stream().map(problem -> "--disable-feature: " + problem).toList());
      }
      Optional<String> noTemporaryFiles = TemporaryFolder.problem();
      if (noTemporaryFiles.isPresent()) {
        return refuseTemporaryFolder(noTemporaryFiles.get());
      }
      ScanFeatures features = config.features().without(disabledFeatures);
      try (DuckDbCatalog catalog = DuckDbCatalog.open(config.database(), config.tables())) {
        return serve(config, features, catalog, ready);
      }
    } catch (ConfigurationException e) {
      return refuse(CONFIGURATION_PROBLEM, e.lines());
    } catch (CatalogException e) {
      int exitCode =
          e.kind() == CatalogException.Kind.CONFIGURATION ? CONFIGURATION_PROBLEM : DATA_PROBLEM;
      return refuse(exitCode, List.of(configFile + ": " + e.getMessage()));
    } catch (UnsatisfiedLinkError e) {
      LOG.debug("a native library cannot be loaded", e);
      return refuseTemporaryFolder(e.getMessage());
    }
  }

  private static int refuseTemporaryFolder(String problem) {
    return refuse(
        FAULT,
        List.of(
            String.format(
                "%s; native libraries unpack themselves into %s, and queries spill there: it has to"
                    + " allow that they are run from there (mount it with exec), to be writable, and"
                    + " to have room; or choose another folder with"
                    + " TALLY_JAVA_OPTS=-Djava.io.tmpdir=FOLDER",
                problem, System.getProperty("java.io.tmpdir"))));
  }

  private static int serve(
      NodeConfig config, ScanFeatures features, DuckDbCatalog catalog, Optional<ReadyFile> ready) {
    NodeServer server;
    try {
      server = NodeServer.start(settings(config), catalog, features);
    } catch (IOException e) {
      return refuse(
          ADDRESS_PROBLEM,
          List.of(
              String.format(
                  "cannot listen on %s: %s; choose another port, or stop what uses it",
                  config.address(config.port()), rootMessage(e))));
    }
    CompletableFuture<Integer> ended = new CompletableFuture<>();
    try {
      StopSignals.handle(() -> ended.complete(stop(server, config.limits(), ready)));
      String address = config.address(server.port());
      LOG.info("{} listens on {}", config.node(), address);
      ready.ifPresent(file -> file.write(address));
    } catch (RuntimeException e) {
      server.close();
      throw e;
    }
    return ended.join();
  }

  /** Runs on the signal's thread; gives the exit code. */
  private static int stop(NodeServer server, NodeConfig.Limits limits, Optional<ReadyFile> ready) {
    try {
      ready.ifPresent(ReadyFile::delete);
      server.stop(limits.stopGraceMillis());
      LOG.info("stopped");
      return STOPPED;
    } catch (RuntimeException e) {
      LOG.error("did not stop cleanly", e);
      return FAULT;
    }
  }

  static NodeSettings settings(NodeConfig config) {
    NodeConfig.Limits limits = config.limits();
    return new NodeSettings(
        config.node(),
        config.host(),
        config.port(),
        limits.concurrentScans(),
        limits.queuedScans(),
        limits.queueTimeoutMillis(),
        limits.windowBytes(),
        limits.resumeGraceMillis(),
        limits.resumeBytes(),
        limits.sendBytes(),
        limits.connections(),
        limits.expressionDepth(),
        limits.expressionNodes());
  }

  static int refuse(int exitCode, List<String> lines) {
    lines.forEach(line -> System.err.println("tally-server: " + line));
    return exitCode;
  }

  private static int explain(CommandLine.ParameterException e, String[] arguments) {
    return refuse(
        CONFIGURATION_PROBLEM, List.of(e.getMessage() + "; tally-server --help lists the options"));
  }

  private static int explainFault(
      Exception e, CommandLine command, CommandLine.ParseResult arguments) {
    LOG.error("the node failed", e);
    return FAULT;
  }

  private static String rootMessage(Throwable e) {
    Throwable root = e;
    while (root.getCause() != null) {
      root = root.getCause();
    }
    return String.valueOf(root.getMessage());
  }

  /** Says which version this is, for {@code --version}. */
  static final class Version implements IVersionProvider {
    @Override
    public String[] getVersion() {
      String version = TallyServer.class.getPackage().getImplementationVersion();
      return new String[] {"tally-server " + (version == null ? "(not packaged)" : version)};
    }
  }
}
