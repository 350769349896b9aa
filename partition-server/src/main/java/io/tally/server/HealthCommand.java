package io.tally.server;

import io.tally.server.grpc.HealthProbe;
import java.net.InetSocketAddress;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.ParentCommand;

/**
 * Takes the configuration file of a node that runs on this machine, asks it for its health over
 * gRPC, and exits with what it says: for whatever watches over nodes and has only a command to do
 * it with, as container engines.
 */
@Command(
    name = "health",
    description = "Asks the node of this configuration, on this machine, whether it serves.",
    mixinStandardHelpOptions = true,
    versionProvider = TallyServer.Version.class,
    exitCodeListHeading = "%nExit codes:%n",
    exitCodeList = {
      "0:it serves",
      "1:it does not: nothing answers within 5 s, or it is stopping",
      "2:the command line or the configuration is wrong"
    })
final class HealthCommand implements Callable<Integer> {
  private static final int SERVES = 0;
  private static final int DOES_NOT_SERVE = 1;

  @ParentCommand private TallyServer server;

  HealthCommand() {}

  @Override
  public Integer call() {
    InetSocketAddress address;
    try {
      address = NodeConfigReader.readAddress(server.configFile());
    } catch (ConfigurationException e) {
      return TallyServer.refuse(TallyServer.CONFIGURATION_PROBLEM, e.lines());
    }
    Optional<String> problem = HealthProbe.problem(address);
    if (problem.isPresent()) {
      return TallyServer.refuse(DOES_NOT_SERVE, List.of(problem.get()));
    }
    System.out.println("tally-server: serves");
    return SERVES;
  }
}
