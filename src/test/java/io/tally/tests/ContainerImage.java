package io.tally.tests;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.Optional;
import org.testcontainers.DockerClientFactory;

/**
 * The node's image, built from its Dockerfile and the distribution by the command that the docs
 * show, under a name of its own; closing removes it.
 *
 * <p>Where no registry can be reached, {@code TALLY_TEST_BASE} names the image to build it on; see
 * {@code container-base.sh}.
 */
final class ContainerImage implements AutoCloseable {
  static final String COMMAND = "docker build -t tally-server partition-server";

  private static final String SHOWN_NAME = "tally-server";

  private final String name = "tally-server-test-" + ProcessHandle.current().pid();

  private ContainerImage() {}

  /** Whether there is an engine to run tests with; for JUnit's conditions. */
  static boolean canBeBuilt() {
    try (ScriptRun run = new ScriptRun("bash", "-c", "docker version")) {
      return run.awaitExit() == 0 && DockerClientFactory.instance().isDockerAvailable();
    }
  }

  static ContainerImage build() {
    ContainerImage image = new ContainerImage();
    String base =
        Optional.ofNullable(System.getenv("TALLY_TEST_BASE"))
            .map(it -> "--build-arg BASE=" + it + " ")
            .orElse("");
    String command = COMMAND.replace("-t " + SHOWN_NAME, base + "-t " + image.name);
    try (ScriptRun run = new ScriptRun("bash", "-c", command)) {
      assertEquals(0, run.awaitExit(), () -> run.output() + run.errors());
    }
    return image;
  }

  String name() {
    return name;
  }

  @Override
  public void close() {
    DockerClientFactory.instance().client().removeImageCmd(name).exec();
  }
}
