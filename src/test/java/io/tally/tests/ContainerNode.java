package io.tally.tests;

import com.github.dockerjava.api.DockerClient;
import com.github.dockerjava.api.command.CreateContainerCmd;
import com.github.dockerjava.api.model.AccessMode;
import com.github.dockerjava.api.model.Bind;
import com.github.dockerjava.api.model.ExposedPort;
import com.github.dockerjava.api.model.PortBinding;
import com.github.dockerjava.api.model.Ports;
import com.github.dockerjava.api.model.Volume;
import java.time.Duration;
import java.util.Map;
import org.testcontainers.containers.GenericContainer;
import org.testcontainers.containers.Network;
import org.testcontainers.containers.wait.strategy.Wait;
import org.testcontainers.utility.DockerImageName;

/**
 * One node in a container with a root file system that nobody can write to: takes what the
 * environment says to {@code examples/compose/node.yaml}, and hands on the address on loopback
 * where it is published. Its port stays the same when it is started again.
 */
final class ContainerNode implements AutoCloseable {
  private static final int PORT_INSIDE = 7071;
  private static final Duration START_LIMIT = Duration.ofMinutes(2);

  private static final int STOP_LIMIT_SECONDS = 60;

  private final String id;
  private final int port;
  private final Network network;
  private final GenericContainer<?> container;
  private int starts;

  ContainerNode(String id, ContainerImage image, Network network, Map<String, String> environment) {
    this.id = id;
    this.port = FreePorts.next();
    this.network = network;
    this.container =
        new GenericContainer<>(DockerImageName.parse(image.name()))
            .withImagePullPolicy(name -> false)
            .withNetwork(network)
            .withEnv("TALLY_NODE", id)
            .withEnv("TALLY_JAVA_OPTS", "-XX:TieredStopAtLevel=1")
            .withEnv(environment)
            .withCreateContainerCmdModifier(this::configure)
            .waitingFor(Wait.forLogMessage(".*listens on.*\\n", 1).withStartupTimeout(START_LIMIT));
  }

  private void configure(CreateContainerCmd create) {
    create
        .getHostConfig()
        .withReadonlyRootfs(true)
        .withTmpFs(Map.of("/tmp", "exec"))
        .withBinds(
            readOnly("examples/compose/node.yaml", "/etc/tally/node.yaml"),
            readOnly("examples/data", "/data"))
        .withPortBindings(
            new PortBinding(
                Ports.Binding.bindIpAndPort("127.0.0.1", port), ExposedPort.tcp(PORT_INSIDE)));
  }

  private static Bind readOnly(String path, String inside) {
    return new Bind(Home.root().resolve(path).toString(), new Volume(inside), AccessMode.ro);
  }

  String id() {
    return id;
  }

  String address() {
    return "127.0.0.1:" + port;
  }

  /** Creates the container and waits until the node listens. */
  void start() {
    starts++;
    container.start();
  }

  /** Starts the container that was stopped, and waits. */
  void startAgain() {
    engine().startContainerCmd(container.getContainerId()).exec();
    awaitStartedAgain();
  }

  private void awaitStartedAgain() {
    starts++;
    Wait.forLogMessage(".*listens on.*\\n", starts)
        .withStartupTimeout(START_LIMIT)
        .waitUntilReady(container);
  }

  /** Asks it to end, waits, and gives the exit status. */
  long stop() {
    engine().stopContainerCmd(container.getContainerId()).withTimeout(STOP_LIMIT_SECONDS).exec();
    return engine()
        .inspectContainerCmd(container.getContainerId())
        .exec()
        .getState()
        .getExitCodeLong();
  }

  /** Ends it at once, as a crash does, and starts it again. */
  void restart() {
    engine().restartContainerCmd(container.getContainerId()).withTimeout(0).exec();
    awaitStartedAgain();
  }

  void pause() {
    engine().pauseContainerCmd(container.getContainerId()).exec();
  }

  void resume() {
    engine().unpauseContainerCmd(container.getContainerId()).exec();
  }

  /** Takes it off its network, and so from the port where it is published, until {@link #join}. */
  void cut() {
    engine()
        .disconnectFromNetworkCmd()
        .withContainerId(container.getContainerId())
        .withNetworkId(network.getId())
        .exec();
  }

  void join() {
    engine()
        .connectToNetworkCmd()
        .withContainerId(container.getContainerId())
        .withNetworkId(network.getId())
        .exec();
  }

  /** Waits until the engine calls it healthy, by the check that the image brings. */
  void awaitHealthy() {
    Wait.forHealthcheck().withStartupTimeout(START_LIMIT).waitUntilReady(container);
  }

  /** Everything that it has written so far, of all its runs. */
  String log() {
    return container.getContainerId() == null ? "(not created)" : container.getLogs();
  }

  private DockerClient engine() {
    return container.getDockerClient();
  }

  @Override
  public void close() {
    container.close();
  }
}
