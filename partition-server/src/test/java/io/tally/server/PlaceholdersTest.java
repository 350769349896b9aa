package io.tally.server;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** One file for several nodes: what differs is in the environment. */
class PlaceholdersTest {
  private static final Map<String, String> ENVIRONMENT =
      Map.of("NODE", "node-a", "PORT", "7071", "EMPTY", "", "ODD", "a: ${NODE} #$");

  @TempDir Path folder;

  @Test
  void aFileTakesWhatTheEnvironmentSays() throws Exception {
    NodeConfig config =
        read(
            """
            node: ${NODE}
            port: ${PORT}
            limits: {memory: "${MEMORY:-512MiB}", threads: "${EMPTY:-3}"}
            tables:
              - name: t
                partitions:
                  - id: ${NODE}
                    csv: ${NODE}-${PORT}.csv
            """);
    assertEquals("node-a", config.node());
    assertEquals(7071, config.port());
    assertEquals("512MiB", config.database().memoryLimit().orElseThrow());
    assertEquals(3, config.database().threads());
    assertEquals("node-a", config.tables().get(0).partitions().get(0).id());
  }

  @ParameterizedTest
  @CsvSource({
    "a$b$, a$b$",
    "$NODE, $NODE",
    "$${NODE}, ${NODE}",
    "${MISSING:-}x, x",
    "${MISSING:-a b:-c}, a b:-c",
    "x${NODE}${NODE}y, xnode-anode-ay",
    // What the environment says is taken as it is.
    "${ODD}, a: ${NODE} #$",
  })
  void textsAreFilled(String written, String filled) throws Exception {
    assertEquals(filled, read(config(written)).node());
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "${MISSING} | node: the environment has no variable MISSING; set it, or write"
            + " ${MISSING:-otherwise} here",
        "${NODE | node: a placeholder is ${NAME} or ${NAME:-otherwise}, but found ${NODE; correct"
            + " it, or write $${ for the characters ${",
        "x${no-name} | node: a placeholder is ${NAME} or ${NAME:-otherwise}, but found"
            + " ${no-name}; correct it, or write $${ for the characters ${",
        "${EMPTY} | node: expected a text, but found nothing",
      })
  void mistakesAreSaid(String written, String problem) {
    ConfigurationException e =
        assertThrows(ConfigurationException.class, () -> read(config(written)));
    assertEquals(List.of(folder.resolve("node.yaml") + ": " + problem), e.lines());
  }

  /** In quotes, as texts with such characters have to be in places. */
  private static String config(String node) {
    return "{node: '" + node + "', port: 1, tables: [{name: t, partitions: [{id: p, csv: x}]}]}";
  }

  private NodeConfig read(String yaml) throws IOException, ConfigurationException {
    return NodeConfigReader.read(Files.writeString(folder.resolve("node.yaml"), yaml), ENVIRONMENT);
  }
}
