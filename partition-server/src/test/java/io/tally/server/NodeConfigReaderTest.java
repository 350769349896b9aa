package io.tally.server;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.tally.rpc.client.Endpoints;
import io.tally.rpc.client.NodeAddress;
import io.tally.server.grpc.NodeSettings;
import io.tally.server.scan.ScanFeatures;
import io.tally.server.table.DatabaseSettings;
import io.tally.server.table.PartitionDeclaration;
import io.tally.server.table.PartitionDefinition;
import io.tally.server.table.PartitionSource;
import io.tally.server.table.TableDefinition;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

class NodeConfigReaderTest {
  private static final Path EXAMPLE = Path.of("src/main/dist/conf/node.example.yaml");

  @TempDir Path folder;

  @Test
  void readsEveryKey() throws Exception {
    for (String file : List.of("b.csv", "a.csv", "other.txt")) {
      Files.writeString(Files.createDirectories(folder.resolve("data")).resolve(file), "");
    }
    NodeConfig config =
        read(
            """
            node: node-a
            host: 0.0.0.0
            port: 7071
            allow-insecure-network: true
            disabled-features: [scan.limit, type.*]
            limits:
              concurrent-scans: 1
              queued-scans: 2
              queue-timeout-millis: 3
              window-bytes: 4194304
              resume-grace-millis: 5
              resume-bytes: 6
              send-bytes: 8388608
              ping-millis: 10001
              ping-timeout-millis: 12
              max-connection-age-millis: 13
              max-connection-age-grace-millis: 14
              stop-grace-millis: 7
              expression-depth: 65
              expression-nodes: 10006
              threads: 7
              memory: 4GiB
            tables:
              - name: t
                cluster-partitions: [007, 2001.10, "c", d, e]
                partitioned-by: date
                column-statistics: false
                column-types: {zip: VARCHAR}
                partitions:
                  - {id: 007, parquet: x.parquet, range: {from: 2001-01-01, to: 2001-02-01}}
                  - {id: 2001.10, csv: "data/*.csv", values: [1.50, true, null]}
                  - {id: c, json: [x.json, /abs/y.json], range: {to: 5}}
                  - {id: d, duckdb: {file: x.duckdb, table: a.b}}
                  - {id: e, duckdb: {file: x.duckdb, table: u, schema: s}}
            """);
    assertEquals(
        new NodeConfig(
            "node-a",
            "0.0.0.0",
            7071,
            new NodeConfig.Limits(
                1,
                2,
                3,
                4_194_304,
                5,
                6,
                8_388_608,
                new NodeSettings.Connections(10_001, 12, 13, 14),
                7,
                65,
                10_006),
            new DatabaseSettings(7, Optional.of("4GiB")),
            ScanFeatures.ALL.without(List.of("type.*", "scan.limit")),
            List.of(
                new TableDefinition(
                    "t",
                    List.of("007", "2001.10", "c", "d", "e"),
                    Optional.of("date"),
                    false,
                    Map.of("zip", "VARCHAR"),
                    List.of(
                        new PartitionDefinition(
                            "007",
                            new PartitionSource.Parquet(List.of(folder.resolve("x.parquet"))),
                            Optional.of(
                                new PartitionDeclaration.Range(
                                    Optional.of("2001-01-01"), Optional.of("2001-02-01")))),
                        new PartitionDefinition(
                            "2001.10",
                            new PartitionSource.Csv(
                                List.of(
                                    folder.resolve("data/a.csv"), folder.resolve("data/b.csv"))),
                            Optional.of(
                                new PartitionDeclaration.Values(List.of("1.50", "true"), true))),
                        new PartitionDefinition(
                            "c",
                            new PartitionSource.Json(
                                List.of(folder.resolve("x.json"), Path.of("/abs/y.json"))),
                            Optional.of(
                                new PartitionDeclaration.Range(
                                    Optional.empty(), Optional.of("5")))),
                        new PartitionDefinition(
                            "d",
                            new PartitionSource.Database(folder.resolve("x.duckdb"), "main", "a.b"),
                            Optional.empty()),
                        new PartitionDefinition(
                            "e",
                            new PartitionSource.Database(folder.resolve("x.duckdb"), "s", "u"),
                            Optional.empty()))))),
        config);
  }

  @Test
  void defaultsAreThoseOfTheExample() throws Exception {
    NodeConfig config =
        read("{node: a, port: 0, tables: [{name: t, partitions: [{id: p, csv: x}]}]}");
    assertEquals("127.0.0.1", config.host());
    assertEquals(NodeConfig.Limits.DEFAULTS, config.limits());
    assertEquals(DatabaseSettings.defaults(), config.database());
    assertEquals(ScanFeatures.ALL, config.features());
    TableDefinition table = config.tables().get(0);
    assertEquals(List.of(), table.clusterPartitions());
    assertEquals(Optional.empty(), table.partitionedBy());
    assertTrue(table.columnStatistics());

    // Uncommented, the example says the same.
    String example =
        Files.readString(EXAMPLE)
            .replaceAll("(?m)^# (host|allow-insecure-network|limits:|  [a-z-]+:)", "$1")
            .replaceAll("(?m)^( +)# (cluster-partitions|column-)", "$1$2")
            .replace("4GiB", "3GiB")
            .replaceAll("data/[^,\\]} ]*\\*\\.", "data/x.");
    NodeConfig uncommented = read(example);
    assertEquals(config.host(), uncommented.host());
    assertEquals(config.limits(), uncommented.limits());
    assertEquals(new DatabaseSettings(0, Optional.of("3GiB")), uncommented.database());
    assertTrue(uncommented.tables().get(0).columnStatistics());
    assertEquals(Map.of("zip", "VARCHAR"), uncommented.tables().get(0).columnTypes());
  }

  static Stream<Arguments> mistakes() {
    return Stream.of(
        mistake("", "the file is empty; conf/node.example.yaml shows what belongs into it"),
        mistake("- a", "expected keys and values, but found a list"),
        mistake("a: [", "not YAML: ", 1),
        mistake("a: 1\n---\nb: 2", "the file holds several YAML documents; keep one"),
        mistake(config("port: 1", "port: 1\nport: 2"), "the key port is there twice; keep one"),
        mistake(
            config("node: a", "node: &x a\nhost: *x"),
            "host: aliases are not supported; repeat what *x stands for"),
        mistake(config("node: a", ""), "the key node is missing; add it"),
        mistake(config("port: 1", ""), "the key port is missing; add it"),
        mistake(
            config("port: 1", "port: 65536"),
            "port: 65536 is out of range; write a number from 0 to 65535"),
        mistake(
            config("port: 1", "port: -1"),
            "port: -1 is out of range; write a number from 0 to 65535"),
        mistake(config("port: 1", "port: http"), "port: expected a whole number, but found http"),
        mistake(config("port: 1", "port: 1.5"), "port: expected a whole number, but found 1.5"),
        mistake(
            config("port: 1", "port: 1\nlimits: {window-bytes: 16m}"),
            "limits.window-bytes: expected a whole number of bytes without a unit, such as 67108864,"
                + " but found 16m"),
        mistake(
            config("port: 1", "port: 1\nlimits: {queue-timeout-millis: 30s}"),
            "limits.queue-timeout-millis: expected a whole number of milliseconds without a unit,"
                + " such as 30000, but found 30s"),
        mistake(
            config("port: 1", "port: 1\nlimits: {stop-grace-millis: -1}"),
            "limits.stop-grace-millis: -1 is out of range; write a number from 0 to 3600000"),
        mistake(
            config("port: 1", "port: 1\nlimits: {expression-depth: 257}"),
            "limits.expression-depth: 257 is out of range; write a number from 64 to 256"),
        mistake(config("port: 1", "port: [1]"), "port: expected a whole number, but found a list"),
        mistake(config("port: 1", "port: 1\nhosts: a"), "unknown key hosts; did you mean host?"),
        mistake(
            config("port: 1", "port: 1\nfoo: a"),
            "unknown key foo; the keys here are allow-insecure-network, disabled-features, host,"
                + " limits, node, port, tables"),
        mistake(
            config("port: 1", "port: 1\ndisabled-features: [agg.*, agg.summ]"),
            "disabled-features: unknown feature agg.summ; did you mean agg.sum?"),
        mistake(
            config("port: 1", "port: 1\ndisabled-features: [filter]"),
            "disabled-features: unknown feature filter; features are named as in"
                + " DescribeNodeResponse, such as scan.limit"),
        mistake(
            config("node: a", "node: {b: c}"), "node: expected a text, but found keys and values"),
        mistake(config("node: a", "node: ''"), "node: expected a text, but found nothing"),
        mistake(
            config("port: 1", "port: 1\nhost: 0.0.0.0"),
            "host: 0.0.0.0 can be reached from other machines, and the node neither encrypts nor asks"
                + " who is calling; use 127.0.0.1, or set allow-insecure-network: true in a network"
                + " that you trust"),
        mistake(
            config("port: 1", "port: 1\nallow-insecure-network: 7"),
            "allow-insecure-network: expected true or false, but found 7"),
        mistake(
            config("port: 1", "port: 1\nlimits: {queued-scan: 1}"),
            "limits: unknown key queued-scan; did you mean queued-scans?"),
        mistake(
            config("port: 1", "port: 1\nlimits: {concurrent-scans: 0}"),
            "limits.concurrent-scans: 0 is out of range; write a number from 1 to 10000"),
        mistake(
            config("port: 1", "port: 1\nlimits: {memory: lots}"),
            "limits.memory: lots is not a size; write one such as 4GiB or 512MiB"),
        mistake(
            config("port: 1", "port: 1\nlimits: 5"),
            "limits: expected keys and values, but found 5"),
        mistake(
            "{node: a, port: 1}", "the key tables is missing; name at least one table to serve"),
        mistake(
            "{node: a, port: 1, tables: []}", "tables: names no table; name at least one to serve"),
        mistake(
            "{node: a, port: 1, tables: {}}",
            "tables: expected a list, but found keys and values",
            2),
        mistake(
            "{node: a, port: 1, tables: [{name: t, partitions: []}]}",
            "tables[0]: the list partitions is missing or empty; name at least one partition"),
        mistake(
            "{node: a, port: 1, tables: [{name: t, partitions: [{id: p, csv: x}]}, {name: t, partitions: [{id: p, csv: x}]}]}",
            "tables[1].name: \"t\" is the name of tables[0].name already; choose another"),
        mistake(table("name: t, ", ""), "tables[0]: the key name is missing; add it"),
        mistake(
            table("name: t", "name: t, partition: x"),
            "tables[0]: unknown key partition; did you mean partitions?"),
        mistake(
            table("id: p", "id: q, csv: y}, {id: q"),
            "tables[0].partitions[1].id: \"q\" is the id of tables[0].partitions[0].id already;"
                + " choose another"),
        mistake(table("id: p, ", ""), "tables[0].partitions[0]: the key id is missing; add it"),
        mistake(
            table("csv: x", ""),
            "tables[0].partitions[0]: has no data; add one of parquet, csv, json, duckdb"),
        mistake(
            table("csv: x", "csv: x, json: y"),
            "tables[0].partitions[0]: has both csv and json; keep one of them"),
        mistake(
            table("csv: x", "csvs: x, json: y"),
            "tables[0].partitions[0]: unknown key csvs; did you mean csv?"),
        mistake(
            table("csv: x", "csv: 'no/*.csv'"),
            "tables[0].partitions[0].csv: no file matches no/*.csv; correct the pattern or add files"),
        mistake(
            table("csv: x", "csv: '[.csv'"),
            "tables[0].partitions[0].csv: the pattern [.csv cannot be used: Missing ']; correct it"),
        mistake(
            table("csv: x", "csv: [x, ./x]"),
            "tables[0].partitions[0].csv: names a file twice; its rows would count twice"),
        mistake(
            table("csv: x", "csv: {file: x}"),
            "tables[0].partitions[0].csv: expected a text, but found keys and values"),
        mistake(
            table("csv: x", "csv: [null]"),
            "tables[0].partitions[0].csv[0]: expected a text, but found nothing"),
        mistake(
            table("csv: x", "duckdb: {file: x}"),
            "tables[0].partitions[0].duckdb: the key table is missing; add it"),
        mistake(
            table("csv: x", "duckdb: {file: x, tables: t, table: t}"),
            "tables[0].partitions[0].duckdb: unknown key tables; did you mean table?"),
        mistake(
            table("csv: x", "csv: x, range: {from: 1}"),
            "tables[0].partitions[0]: range needs a column; add partitioned-by to the table, or leave"
                + " it out"),
        mistake(
            table("csv: x", "csv: x, values: [1]"),
            "tables[0].partitions[0]: values needs a column; add partitioned-by to the table, or leave"
                + " it out"),
        mistake(
            partitioned("range: {from: 1}, values: [1]"),
            "tables[0].partitions[0]: has both range and values; keep one of them"),
        mistake(
            partitioned("range: {}"),
            "tables[0].partitions[0].range: has neither from nor to; add one of them"),
        mistake(
            partitioned("range: {fro: 1, to: 2}"),
            "tables[0].partitions[0].range: unknown key fro; did you mean from?"),
        mistake(
            partitioned("values: []"),
            "tables[0].partitions[0].values: is empty; name the values that the partition holds"),
        mistake(
            partitioned("values: 1"),
            "tables[0].partitions[0].values: expected a list, but found 1",
            2),
        mistake(
            table("name: t", "name: t, cluster-partitions: [q, r]"),
            "tables[0].partitions[0].id: \"p\" is not in tables[0].cluster-partitions; add it there"),
        mistake(
            table("name: t", "name: t, cluster-partitions: [p, q, q]"),
            "tables[0].cluster-partitions: \"q\" is there twice; keep one"),
        mistake(
            table("name: t", "name: t, column-statistics: maybe"),
            "tables[0].column-statistics: expected true or false, but found maybe"));
  }

  @ParameterizedTest
  @MethodSource
  void mistakes(String yaml, String problem, int problems) throws IOException {
    Path file = Files.writeString(folder.resolve("node.yaml"), yaml);
    ConfigurationException e =
        assertThrows(ConfigurationException.class, () -> NodeConfigReader.read(file));
    String line = e.lines().get(0);
    assertTrue(line.startsWith(file + ": " + problem), line);
    assertEquals(problems, e.lines().size(), e.getMessage());
    e.lines().forEach(each -> assertEquals(1, each.lines().count(), each));
  }

  @ParameterizedTest
  @ValueSource(strings = {"127.0.0.1", "localhost", "'::1'", "'[::1]'", "'0:0:0:0:0:0:0:1'"})
  void addressesAreWrittenAsClientsReadThem(String host) throws Exception {
    Files.writeString(folder.resolve("x"), "");
    NodeConfig config = read(config("port: 1", "port: 1\nhost: " + host));
    List<NodeAddress> read = Endpoints.resolve(config.address(7071));
    assertEquals(List.of(new NodeAddress(host.replaceAll("[\\[\\]']", ""), 7071)), read, host);
  }

  @Test
  void allMistakesAreSaidAtOnce() {
    ConfigurationException e =
        assertThrows(
            ConfigurationException.class,
            () -> read("{nod: a, port: x, tables: [{name: t, partitions: [{id: p}, {csw: y}]}]}"));
    String file = folder.resolve("node.yaml") + ": ";
    assertEquals(
        List.of(
            file + "unknown key nod; did you mean node?",
            file + "the key node is missing; add it",
            file + "port: expected a whole number, but found x",
            file + "tables[0].partitions[0]: has no data; add one of parquet, csv, json, duckdb",
            file + "tables[0].partitions[1]: unknown key csw; did you mean csv?",
            file + "tables[0].partitions[1]: the key id is missing; add it",
            file + "tables[0].partitions[1]: has no data; add one of parquet, csv, json, duckdb"),
        e.lines());
  }

  @Test
  void aMissingFileIsNamed() {
    Path file = folder.resolve("gone.yaml");
    ConfigurationException e =
        assertThrows(ConfigurationException.class, () -> NodeConfigReader.read(file));
    assertEquals(
        List.of(file + ": the file does not exist; check the path given with --config"), e.lines());
  }

  private NodeConfig read(String yaml) throws IOException, ConfigurationException {
    return NodeConfigReader.read(Files.writeString(folder.resolve("node.yaml"), yaml));
  }

  private static Arguments mistake(String yaml, String problem) {
    return mistake(yaml, problem, 1);
  }

  private static Arguments mistake(String yaml, String problem, int problems) {
    return Arguments.of(yaml, problem, problems);
  }

  /** A configuration without mistakes, in which a part is replaced. */
  private static String config(String part, String replacement) {
    return replace(
        "node: a\nport: 1\ntables: [{name: t, partitions: [{id: p, csv: x}]}]", part, replacement);
  }

  private static String table(String part, String replacement) {
    return replace(
        "{node: a, port: 1, tables: [{name: t, partitions: [{id: p, csv: x}]}]}",
        part,
        replacement);
  }

  private static String partitioned(String declaration) {
    return "{node: a, port: 1, tables: [{name: t, partitioned-by: c, partitions: [{id: p, csv: x, "
        + declaration
        + "}]}]}";
  }

  private static String replace(String yaml, String part, String replacement) {
    List<String> around = Arrays.asList(yaml.split(Pattern.quote(part), -1));
    assertEquals(2, around.size(), part + " must be there once");
    return around.get(0) + replacement + around.get(1);
  }
}
