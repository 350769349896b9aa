package io.tally.tests;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/**
 * The cluster of {@code examples/compose}, started and ended by the commands of its README, under a
 * name and at ports of its own: takes an image, and hands on the endpoints for Spark.
 */
final class ComposeExample implements AutoCloseable {
  static final String UP = "docker compose -f examples/compose/compose.yaml up --detach";
  static final String DOWN = "docker compose -f examples/compose/compose.yaml down";

  private static final String LOGS =
      "docker compose -f examples/compose/compose.yaml logs --follow --no-color";
  private static final int NODES = 3;

  private final List<Integer> ports =
      IntStream.range(0, NODES).mapToObj(node -> FreePorts.next()).toList();
  private final String environment;
  private boolean down;

  ComposeExample(ContainerImage image) {
    this.environment =
        "COMPOSE_PROJECT_NAME=%s TALLY_IMAGE=%s PORT_A=%d PORT_B=%d PORT_C=%d "
            .formatted(image.name(), image.name(), ports.get(0), ports.get(1), ports.get(2));
  }

  /** Whether Compose is there, as a part of {@code docker} or beside it; for JUnit's conditions. */
  static boolean canBeRun() {
    return succeeds("docker compose version") || succeeds("docker-compose version");
  }

  private static boolean succeeds(String command) {
    try (ScriptRun run = new ScriptRun("bash", "-c", command)) {
      return run.awaitExit() == 0;
    }
  }

  /** Returns when all nodes listen. */
  ComposeExample start() {
    mustSucceed(UP);
    try (ScriptRun logs = new ScriptRun("bash", "-c", "exec env " + asHere(LOGS))) {
      for (int node = 0; node < NODES; node++) {
        logs.readUntil(line -> line.contains(" listens on "));
      }
    }
    return this;
  }

  String endpoints() {
    return ports.stream().map(port -> "127.0.0.1:" + port).collect(Collectors.joining(","));
  }

  void stop() {
    mustSucceed(DOWN);
    down = true;
  }

  private void mustSucceed(String command) {
    try (ScriptRun run = new ScriptRun("bash", "-c", asHere(command))) {
      assertEquals(0, run.awaitExit(), () -> run.output() + run.errors());
    }
  }

  private String asHere(String command) {
    boolean part = succeeds("docker compose version");
    return environment + (part ? command : command.replace("docker compose", "docker-compose"));
  }

  @Override
  public void close() {
    if (!down) {
      stop();
    }
  }
}
