package io.tally.server;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.grpc.InsecureChannelCredentials;
import io.grpc.ManagedChannel;
import io.grpc.health.v1.HealthCheckRequest;
import io.grpc.health.v1.HealthCheckResponse.ServingStatus;
import io.grpc.health.v1.HealthGrpc;
import io.grpc.netty.NettyChannelBuilder;
import io.tally.rpc.v1.DescribeTableRequest;
import io.tally.rpc.v1.DescribeTableResponse;
import io.tally.rpc.v1.PartitionServiceGrpc;
import io.tally.server.fixture.MemoryCatalog;
import io.tally.server.grpc.NodeServer;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardWatchEventKinds;
import java.nio.file.WatchKey;
import java.nio.file.WatchService;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The node as a process of its own: what it says, writes and exits with. */
class TallyServerTest {
  private static final long WAIT_SECONDS = 60;

  @TempDir Path folder;
  private Process process;

  @AfterEach
  void tearDown() {
    if (process != null) {
      process.destroyForcibly();
    }
  }

  @Test
  void servesUntilItIsTerminated() throws Exception {
    Path ready = folder.resolve("ready");
    Files.writeString(folder.resolve("a.csv"), "id\n1\n2\n");
    try (WatchService watch = folder.getFileSystem().newWatchService()) {
      folder.register(watch, StandardWatchEventKinds.ENTRY_CREATE);
      start("--config", config("a.csv", 0), "--ready-file", ready.toString());
      awaitFile(watch, ready);
    }
    String address = Files.readString(ready).strip();
    assertTrue(address.matches("127\\.0\\.0\\.1:\\d+"), address);
    ManagedChannel channel =
        NettyChannelBuilder.forTarget(address, InsecureChannelCredentials.create()).build();
    try {
      for (String service : List.of("", PartitionServiceGrpc.SERVICE_NAME)) {
        assertEquals(
            ServingStatus.SERVING,
            HealthGrpc.newBlockingStub(channel)
                .withDeadlineAfter(WAIT_SECONDS, TimeUnit.SECONDS)
                .check(HealthCheckRequest.newBuilder().setService(service).build())
                .getStatus());
      }
      DescribeTableResponse table =
          PartitionServiceGrpc.newBlockingStub(channel)
              .withDeadlineAfter(WAIT_SECONDS, TimeUnit.SECONDS)
              .describeTable(DescribeTableRequest.newBuilder().setTable("t").build());
      assertEquals(2, table.getPartitions(0).getRows());
    } finally {
      channel.shutdownNow();
    }
    process.destroy(); // SIGTERM
    assertExit(0);
    assertFalse(Files.exists(ready), "the ready file is gone with the node");
    try (Stream<Path> left = Files.list(temporary())) {
      assertEquals(List.of(), left.toList(), "nothing stays in the temporary folder");
    }
    assertTrue(stderr().contains("node-a listens on " + address), stderr());
    assertTrue(stderr().contains("stopped"), stderr());
  }

  @Test
  void mistakesInTheConfigurationAreOneLineEach() throws Exception {
    start("--config", config("*.nothing", 70_000));
    assertExit(2);
    assertEquals(
        """
        tally-server: FILE: port: 70000 is out of range; write a number from 0 to 65535
        tally-server: FILE: tables[0].partitions[0].csv: no file matches *.nothing; correct the \
        pattern or add files
        """
            .replace("FILE", folder.resolve("node.yaml").toString()),
        stderr());
  }

  @Test
  void problemsWithDataAreOneLine() throws Exception {
    start("--config", config("gone.csv", 0));
    assertExit(3);
    assertEquals(
        String.format(
            "tally-server: %s: table \"t\": partition \"p\": %s cannot be read; check that it exists"
                + " and that the node may read it%n",
            folder.resolve("node.yaml"), folder.resolve("gone.csv")),
        stderr());
  }

  @Test
  void anAddressInUseIsOneLine() throws Exception {
    Files.writeString(folder.resolve("a.csv"), "id\n1\n");
    try (ServerSocket taken = new ServerSocket()) {
      taken.bind(new InetSocketAddress(InetAddress.getByAddress(new byte[] {127, 0, 0, 1}), 0));
      start("--config", config("a.csv", taken.getLocalPort()));
      assertExit(4);
      List<String> problems = stderr().lines().filter(l -> !l.contains(" INFO ")).toList();
      assertEquals(1, problems.size(), stderr());
      assertTrue(
          problems
              .get(0)
              .startsWith(
                  "tally-server: cannot listen on 127.0.0.1:" + taken.getLocalPort() + ": "),
          stderr());
    }
  }

  @Test
  void wrongCommandLinesAreOneLine() throws Exception {
    start();
    assertExit(2);
    assertEquals(
        "tally-server: Missing required option: '--config=FILE'; tally-server --help lists the"
            + " options\n",
        stderr());
  }

  @Test
  void featuresThatDoNotExistAreOneLine() throws Exception {
    Files.writeString(folder.resolve("a.csv"), "id\n1\n");
    start("--config", config("a.csv", 0), "--disable-feature", "fn.*", "--disable-feature=fn.eqq");
    assertExit(2);
    assertEquals(
        "tally-server: --disable-feature: unknown feature fn.eqq; did you mean fn.eq?\n", stderr());
  }

  @Test
  void readyFilesThatCannotBeWrittenAreSaidEarly() throws Exception {
    start("--config", config("a.csv", 0), "--ready-file", folder.resolve("no/ready").toString());
    assertExit(2);
    assertTrue(stderr().contains("name a file in a folder that exists"), stderr());
    assertEquals(1, stderr().lines().count(), stderr());
  }

  @Test
  void aTemporaryFolderThatTakesNothingIsOneLine() throws Exception {
    Files.writeString(folder.resolve("a.csv"), "id\n1\n");
    Files.createFile(temporary());
    start("--config", config("a.csv", 0));
    assertExit(1);
    assertTrue(
        stderr().contains("; native libraries unpack themselves into " + temporary()), stderr());
    assertEquals(1, stderr().lines().count(), stderr());
  }

  @Test
  void healthIsThatOfTheNodeThatTheConfigurationIsOf() throws Exception {
    Files.writeString(folder.resolve("a.csv"), "id\n1\n");
    NodeConfig config = NodeConfigReader.read(Path.of(config("a.csv", 0)));
    int port;
    try (MemoryCatalog catalog = new MemoryCatalog();
        NodeServer node = NodeServer.start(TallyServer.settings(config), catalog)) {
      port = node.port();
      start("health", "--config", config("a.csv", port));
      assertExit(0, "tally-server: serves\n");
      assertEquals("", stderr());
    }
    start("health", "--config", config("a.csv", port));
    assertExit(1);
    assertEquals(
        "tally-server: 127.0.0.1:" + port + " cannot be reached: is the node running?\n", stderr());
  }

  @Test
  void healthOfAnyPortCannotBeAsked() throws Exception {
    start("health", "--config", config("gone.csv", 0));
    assertExit(2);
    assertEquals(
        "tally-server: "
            + folder.resolve("node.yaml")
            + ": port: 0 is any free port, which a check cannot know; write the port to listen"
            + " on\n",
        stderr());
  }

  private String config(String csv, int port) throws Exception {
    String yaml =
        String.format(
            "{node: node-a, port: %d, tables: [{name: t, partitions: [{id: p, csv: '%s'}]}]}",
            port, csv);
    return Files.writeString(folder.resolve("node.yaml"), yaml).toString();
  }

  private void start(String... arguments) throws Exception {
    List<String> command = new ArrayList<>();
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    command.add("--add-opens=java.base/java.nio=ALL-UNNAMED");
    command.add("-Xmx256m");
    if (Files.notExists(temporary())) {
      Files.createDirectory(temporary());
    }
    command.add("-Djava.io.tmpdir=" + temporary());
    command.add("-cp");
    command.add(System.getProperty("java.class.path"));
    command.add(TallyServer.class.getName());
    command.addAll(List.of(arguments));
    process =
        new ProcessBuilder(command)
            .redirectOutput(folder.resolve("stdout").toFile())
            .redirectError(folder.resolve("stderr").toFile())
            .start();
  }

  private Path temporary() {
    return folder.resolve("tmp");
  }

  private void awaitFile(WatchService watch, Path file) throws Exception {
    long deadlineNanos = System.nanoTime() + TimeUnit.SECONDS.toNanos(WAIT_SECONDS);
    while (!Files.exists(file)) {
      WatchKey key = watch.poll(deadlineNanos - System.nanoTime(), TimeUnit.NANOSECONDS);
      assertTrue(key != null && process.isAlive(), stderr());
      key.pollEvents();
      key.reset();
    }
  }

  private void assertExit(int code) throws Exception {
    assertExit(code, "");
  }

  private void assertExit(int code, String stdout) throws Exception {
    assertTrue(process.waitFor(WAIT_SECONDS, TimeUnit.SECONDS), stderr());
    assertEquals(code, process.exitValue(), stderr());
    assertEquals(stdout, Files.readString(folder.resolve("stdout")));
  }

  private String stderr() throws Exception {
    return Files.readString(folder.resolve("stderr"));
  }
}
