package io.tally.rpc.client;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.tally.rpc.SqlTypeName;
import io.tally.rpc.TallyException;
import io.tally.rpc.client.ClusterView.OwnedPartition;
import io.tally.rpc.v1.DescribeNodeResponse;
import io.tally.rpc.v1.DescribeTableResponse;
import io.tally.rpc.v1.ErrorCode;
import io.tally.rpc.v1.Partition;
import io.tally.rpc.v1.UnreadableColumn;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.apache.arrow.vector.types.pojo.ArrowType;
import org.apache.arrow.vector.types.pojo.Field;
import org.apache.arrow.vector.types.pojo.FieldType;
import org.apache.arrow.vector.types.pojo.Schema;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Discovery over scripted nodes on loopback. */
class ClusterViewTest {
  private static final Field DAY = Field.nullable("day", new ArrowType.Utf8());
  private static final Field COUNT = Field.notNullable("count", new ArrowType.Int(64, true));
  private static final Schema SCHEMA = new Schema(List.of(DAY, COUNT));

  private final NodeChannels channels = new NodeChannels(0);
  private final Deque<AutoCloseable> opened = new ArrayDeque<>();
  private final List<NodeAddress> endpoints = new ArrayList<>();

  @AfterEach
  void close() throws Exception {
    channels.close();
    while (!opened.isEmpty()) {
      opened.pop().close();
    }
  }

  @Test
  void putsPartitionsOfAllNodesTogether() {
    start("a", table(SCHEMA, partition("p2", "x", 20), partition("p1", "y", 10)));
    start("b", table(SCHEMA, partition("p3", "z", 30)));
    ClusterView view = discover();
    assertEquals("flights", view.table());
    assertEquals(SCHEMA, view.schema());
    assertEquals(List.of("a", "b"), view.nodes().stream().map(ClusterView.Node::nodeId).toList());
    assertEquals(List.of("p1", "p2", "p3"), ids(view));
    assertEquals(List.of(view.nodes().get(1)), view.partitions().get(2).owners());
    ClusterView.Node first = view.nodes().get(0);
    assertEquals(endpoints.get(0), first.address());
    assertEquals(Set.of("fn.eq", "agg.sum"), first.features());
    assertEquals("v1", first.layoutVersion());
  }

  @Test
  void knowsReplicas() {
    start("a", table(SCHEMA, partition("p1", "x", 10)));
    Partition fixed = partition("p1", "x", 10).toBuilder().setSplittable(false).build();
    start("b", table(SCHEMA, fixed));
    OwnedPartition partition = discover().partitions().get(0);
    assertEquals(2, partition.owners().size());
    assertFalse(partition.partition().getSplittable(), "only if all owners can");
  }

  @Test
  @DisplayName("NET-4: a name leads to the nodes that it stands for when a query is planned")
  void aNodeThatMovesAndAReplicaThatJoins() throws IOException {
    Map<String, InetAddress[]> names = new HashMap<>();
    DescribeTableResponse table = table(SCHEMA, partition("p1", "x", 10));
    ScriptedNode before = at("127.0.0.1", 0, "a", table);
    int port = before.address().port();
    names.put("flights", addresses("127.0.0.1"));
    assertEquals(List.of("a 127.0.0.1"), owners(names, port));

    before.kill();
    at("127.0.0.2", port, "a", table);
    names.put("flights", addresses("127.0.0.2"));
    assertEquals(List.of("a 127.0.0.2"), owners(names, port));

    at("127.0.0.3", port, "b", table);
    names.put("flights", addresses("127.0.0.2", "127.0.0.3"));
    assertEquals(List.of("a 127.0.0.2", "b 127.0.0.3"), owners(names, port));
  }

  private ScriptedNode at(String host, int port, String id, DescribeTableResponse table) {
    ScriptedNode node =
        ScriptedNode.at(
            new InetSocketAddress(host, port),
            scan -> {},
            DescribeNodeResponse.newBuilder().setNodeId(id).build(),
            List.of(table));
    opened.push(node);
    return node;
  }

  private static InetAddress[] addresses(String... hosts) throws IOException {
    InetAddress[] addresses = new InetAddress[hosts.length];
    for (int i = 0; i < hosts.length; i++) {
      addresses[i] = InetAddress.getByName(hosts[i]);
    }
    return addresses;
  }

  /** Of the one partition, by what the nodes behind the name say now. */
  private List<String> owners(Map<String, InetAddress[]> names, int port) {
    return ClusterView.discover(
            channels,
            Endpoints.resolve("dns:///flights:" + port, names::get),
            "flights",
            ScriptedNode.TIMEOUT_MILLIS)
        .partitions()
        .get(0)
        .owners()
        .stream()
        .map(owner -> owner.nodeId() + " " + owner.address().host())
        .toList();
  }

  @Test
  void refusesReplicasWithDifferentContent() {
    start("a", table(SCHEMA, partition("p1", "x", 10)));
    start("b", table(SCHEMA, partition("p1", "other", 10)));
    assertFails(ErrorCode.CLUSTER_INCONSISTENT, "\"a\"", "\"b\"", "\"p1\"", "\"flights\"");
  }

  @Test
  void refusesAPartitionThatIsNamedTwice() {
    start("a", table(SCHEMA, partition("p1", "x", 10), partition("p1", "x", 10)));
    assertFails(ErrorCode.CLUSTER_INCONSISTENT, "\"p1\"", "twice");
  }

  @Test
  void countsANodeAtTwoAddressesOnce() {
    start("a", table(SCHEMA, partition("p1", "x", 10)));
    start("a", table(SCHEMA, partition("p1", "x", 10)));
    ClusterView view = discover();
    assertEquals(1, view.nodes().size());
    assertEquals(endpoints.get(0), view.nodes().get(0).address());
    assertEquals(1, view.partitions().get(0).owners().size());
  }

  @Test
  void refusesTwoNodesOfOneName() {
    start("a", table(SCHEMA, partition("p1", "x", 10)));
    start("a", table(SCHEMA, partition("p2", "x", 10)));
    assertFails(
        ErrorCode.CLUSTER_INCONSISTENT,
        "\"a\"",
        endpoints.get(0).toString(),
        endpoints.get(1).toString());
  }

  @Test
  void aColumnMayBeNullIfItMayOnAnyNode() {
    start("a", table(SCHEMA, partition("p1", "x", 10)));
    Field nullable = Field.nullable("count", new ArrowType.Int(64, true));
    start("b", table(new Schema(List.of(nullable, DAY)), partition("p2", "x", 10)));
    assertEquals(new Schema(List.of(DAY, nullable)), discover().schema());
  }

  @Test
  void refusesNodesThatDisagreeOnAColumn() {
    start("a", table(SCHEMA, partition("p1", "x", 10)));
    Field other = Field.notNullable("count", new ArrowType.Int(32, true));
    start("b", table(new Schema(List.of(DAY, other)), partition("p2", "x", 10)));
    assertFails(ErrorCode.CLUSTER_INCONSISTENT, "\"count\"", "Int(64", "Int(32", "\"a\"", "\"b\"");
  }

  @Test
  void refusesNodesThatDisagreeInsideAColumn() {
    FieldType struct = FieldType.nullable(new ArrowType.Struct());
    start("a", table(new Schema(List.of(new Field("s", struct, List.of(DAY))))));
    start("b", table(new Schema(List.of(new Field("s", struct, List.of(COUNT))))));
    assertFails(ErrorCode.CLUSTER_INCONSISTENT, "\"s\"");
  }

  @ParameterizedTest
  @CsvSource({"varchar(5), varchar(9)", "varchar(5), ''", "'', array<varchar(3)>"})
  void howLongAVarcharMayBeDoesNotMatter(String one, String other) {
    start("a", table(new Schema(List.of(named(one)))));
    start("b", table(new Schema(List.of(named(other)))));
    assertEquals(new Schema(List.of(DAY)), discover().schema());
  }

  @Test
  void theNameOfATypeIsKeptIfNodesAgreeOnIt() {
    Schema schema = new Schema(List.of(named("string collate UTF8_LCASE")));
    start("a", table(schema));
    start("b", table(schema));
    assertEquals(schema, discover().schema());
  }

  @ParameterizedTest
  @CsvSource({
    "char(5), char(6)",
    "char(5), varchar(5)",
    "char(5), ''",
    "array<char(3)>, array<char(4)>",
    "string collate UTF8_LCASE, ''",
    "string collate UTF8_LCASE, string collate UNICODE",
    "string collate UTF8_LCASE, varchar(3)"
  })
  void refusesNodesThatGiveATypeDifferentNames(String one, String other) {
    start("a", table(new Schema(List.of(named(one)))));
    start("b", table(new Schema(List.of(named(other)))));
    assertFails(ErrorCode.CLUSTER_INCONSISTENT, "\"day\"", one, other, "\"a\"", "\"b\"");
  }

  /** A column of strings whose type has a name of its own, if that is not empty. */
  private static Field named(String name) {
    Map<String, String> metadata = name.isEmpty() ? null : new SqlTypeName(name).toMetadata();
    return new Field("day", new FieldType(true, new ArrowType.Utf8(), null, metadata), List.of());
  }

  @Test
  void refusesAColumnThatOnlySomeHave() {
    start("a", table(SCHEMA, partition("p1", "x", 10)));
    start("b", table(new Schema(List.of(DAY)), partition("p2", "x", 10)));
    assertFails(ErrorCode.CLUSTER_INCONSISTENT, "\"count\"");
  }

  @Test
  void aColumnThatOneNodeCannotSendIsUnreadable() {
    UnreadableColumn count =
        UnreadableColumn.newBuilder().setName("count").setNativeType("BIT").build();
    start("a", table(SCHEMA, partition("p1", "x", 10)));
    start(
        "b",
        table(new Schema(List.of(DAY)), partition("p2", "x", 10)).toBuilder()
            .addUnreadableColumns(count)
            .build());
    start("c", table(SCHEMA, partition("p3", "x", 10)));
    ClusterView view = discover();
    assertEquals(new Schema(List.of(DAY)), view.schema());
    assertEquals(List.of(count), view.unreadableColumns());
  }

  @Test
  void aNodeWithoutTheTableOwnsNothingOfIt() {
    start("a");
    start("b", table(SCHEMA, partition("p1", "x", 10)));
    ClusterView view = discover();
    assertEquals(List.of("b"), view.nodes().stream().map(ClusterView.Node::nodeId).toList());
  }

  @Test
  void aTableThatNoNodeHasIsNotFound() {
    start("a");
    start("b");
    assertFails(ErrorCode.TABLE_NOT_FOUND, "\"flights\"", "did you mean");
  }

  @Test
  void everyEndpointThatCannotBeReachedIsNamed() throws IOException {
    start("a", table(SCHEMA, partition("p1", "x", 10)));
    String one = nobody();
    String other = nobody();
    assertFails(ErrorCode.NODE_UNREACHABLE, one, other, "\"flights\"");
  }

  @Test
  void anUnreachableEndpointDoesNotMatterIfTheOthersOwnAll() throws IOException {
    nobody();
    start("a", declaring(table(SCHEMA, partition("p1", "x", 10)), "p1", "p2"));
    start("b", table(SCHEMA, partition("p2", "x", 10)));
    assertEquals(List.of("p1", "p2"), ids(discover()));
  }

  @Test
  void anUnreachableEndpointMattersIfNobodyHasTheTable() throws IOException {
    start("a");
    assertFails(ErrorCode.NODE_UNREACHABLE, nobody());
  }

  @Test
  void aPartitionWithoutOwnerIsNamed() throws IOException {
    start("a", declaring(table(SCHEMA, partition("p1", "x", 10)), "p1", "p2", "p3"));
    assertFails(ErrorCode.PARTITION_WITHOUT_OWNER, "\"p2\", \"p3\"", "\"flights\"");
    assertFails(ErrorCode.PARTITION_WITHOUT_OWNER, "\"p2\"", nobody());
  }

  @Test
  void aPartitionThatIsInNoListIsRefused() {
    start("a", declaring(table(SCHEMA, partition("p1", "x", 10)), "p1"));
    start("b", table(SCHEMA, partition("p2", "x", 10)));
    assertFails(ErrorCode.CLUSTER_INCONSISTENT, "\"a\"", "\"p2\"");
  }

  @Test
  void silenceIsBounded() throws IOException {
    start("a", table(SCHEMA, partition("p1", "x", 10)));
    ServerSocket deaf = Loopback.deaf();
    opened.push(deaf);
    endpoints.add(Loopback.address(deaf));
    TallyException e =
        assertThrows(
            TallyException.class, () -> ClusterView.discover(channels, endpoints, "flights", 500));
    assertEquals(ErrorCode.NODE_SILENT, e.code(), e::getMessage);
  }

  @Test
  void noEndpointsAreNoCluster() {
    assertFails(ErrorCode.NODE_UNREACHABLE, "no endpoints");
  }

  private ClusterView discover() {
    return ClusterView.discover(channels, endpoints, "flights", ScriptedNode.TIMEOUT_MILLIS);
  }

  private void assertFails(ErrorCode code, String... words) {
    TallyException e = assertThrows(TallyException.class, this::discover);
    assertEquals(code, e.code(), e::getMessage);
    for (String word : words) {
      assertTrue(e.getMessage().contains(word), () -> word + " is not in: " + e.getMessage());
    }
  }

  private void start(String id, DescribeTableResponse... tables) {
    DescribeNodeResponse node =
        DescribeNodeResponse.newBuilder()
            .setNodeId(id)
            .addFeatures("fn.eq")
            .addFeatures("agg.sum")
            .build();
    ScriptedNode started = ScriptedNode.onLoopback(0, scan -> {}, node, List.of(tables));
    opened.push(started);
    endpoints.add(started.address());
  }

  /** Adds an address at which nobody listens. */
  private String nobody() throws IOException {
    NodeAddress nobody = Loopback.nobody();
    endpoints.add(nobody);
    return nobody.toString();
  }

  private static DescribeTableResponse table(Schema schema, Partition... partitions) {
    return DescribeTableResponse.newBuilder()
        .setTable("flights")
        .setArrowSchema(ScriptedNode.ipc(schema))
        .setLayoutVersion("v1")
        .addAllPartitions(Arrays.asList(partitions))
        .build();
  }

  private static DescribeTableResponse declaring(DescribeTableResponse table, String... all) {
    return table.toBuilder().addAllClusterPartitions(Arrays.asList(all)).build();
  }

  private static Partition partition(String id, String fingerprint, long rows) {
    return Partition.newBuilder()
        .setId(id)
        .setFingerprint(fingerprint)
        .setRows(rows)
        .setSplittable(true)
        .build();
  }

  private static List<String> ids(ClusterView view) {
    return view.partitions().stream().map(owned -> owned.partition().getId()).toList();
  }
}
