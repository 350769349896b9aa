package io.tally.tests;

import static io.tally.tests.BadInput.refused;
import static io.tally.tests.BadInput.refusedBySpark;
import static io.tally.tests.BadInputBench.COUNT;
import static io.tally.tests.BadInputBench.ROWS;

import io.tally.rpc.v1.Call;
import io.tally.rpc.v1.ErrorCode;
import io.tally.rpc.v1.Expression;
import io.tally.rpc.v1.ScanPartition;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;

/**
 * The table of what can be wrong with a question, its addresses and its cluster, and how each is
 * answered. What can be wrong with a node's files and configuration is in {@link BadFiles}.
 */
final class BadInputs {
  private static final String WIDE_ROW = "SELECT 1 AS id, repeat('x', 5000000) AS s";
  private static final String ODD_TABLE = "CREATE TABLE odd AS SELECT 7 AS id, '0101'::BIT AS bits";

  private BadInputs() {}

  /** The nodes that all cases may ask. */
  static TallyCluster goodNodes(SampleFiles files) {
    TableConfig healthy = BadInputBench.healthyTable(files);
    return TallyCluster.of(
        List.of(
            List.of(
                healthy,
                ids(files, "events", "a", 1, 2),
                TableConfig.table("flags").parquet("all", files.parquet("SELECT true AS flag")),
                TableConfig.table("wide").parquet("w", files.parquet(WIDE_ROW)),
                TableConfig.table("odd").duckdb("o", files.duckdb(ODD_TABLE), "odd")),
            List.of(healthy, ids(files, "events", "b", 3))));
  }

  static Stream<BadInput> all() {
    return Stream.of(names(), values(), addresses(), clusters(), requests()).flatMap(List::stream);
  }

  private static List<BadInput> names() {
    return List.of(
        refused(
            "unknown table",
            ErrorCode.TABLE_NOT_FOUND,
            bench -> bench.query(bench.good("events", "table", "event"), COUNT),
            "no table \"event\"",
            "did you mean \"events\"?"),
        refusedBySpark(
            "unknown column",
            "UNRESOLVED_COLUMN.WITH_SUGGESTION",
            bench -> bench.query(bench.good("events"), "SELECT identity FROM t"),
            "`identity`",
            "Did you mean one of the following? [`id`]"),
        refused(
            "unknown option",
            ErrorCode.INVALID_REQUEST,
            bench -> bench.query(bench.good("events", "endpoint", "x:1"), COUNT),
            "\"endpoint\"",
            "did you mean \"endpoints\""),
        refused(
            "unknown setting of the session",
            ErrorCode.INVALID_REQUEST,
            bench ->
                bench.query(
                    Map.of("spark.datasource.tally.push-dwon", "false"),
                    bench.good("events"),
                    COUNT),
            "\"push-dwon\"",
            "did you mean \"push-down\""),
        refused(
            "a path",
            ErrorCode.INVALID_REQUEST,
            bench -> bench.query(bench.good("events", "path", "/data/events"), COUNT),
            "reads no path",
            "call load() without an argument"));
  }

  private static List<BadInput> values() {
    return List.of(
        refused(
            "no table",
            ErrorCode.INVALID_REQUEST,
            bench -> bench.query(Map.of("endpoints", "127.0.0.1:7071"), COUNT),
            "needs the option \"table\"",
            "spark.datasource.tally.table"),
        refused(
            "no endpoints",
            ErrorCode.INVALID_REQUEST,
            bench -> bench.query(Map.of("table", "events"), COUNT),
            "needs the option \"endpoints\"",
            "spark.datasource.tally.endpoints"),
        refused(
            "a value that is neither true nor false",
            ErrorCode.INVALID_REQUEST,
            bench -> bench.query(bench.good("events", "push-down", "maybe"), COUNT),
            "The option \"push-down\" is \"maybe\"",
            "must be true or false"),
        refused(
            "a number that is none",
            ErrorCode.INVALID_REQUEST,
            bench -> bench.query(bench.good("events", "window-bytes", "16MB"), COUNT),
            "The option \"window-bytes\" is \"16MB\"",
            "must be a number of bytes from"),
        refused(
            "an endpoint without a port",
            ErrorCode.INVALID_REQUEST,
            bench -> bench.query(bench.good("events", "endpoints", "localhost"), COUNT),
            "\"localhost\"",
            "Write host:port"));
  }

  private static List<BadInput> addresses() {
    return List.of(
        refused(
            "nothing listens",
            ErrorCode.NODE_UNREACHABLE,
            bench -> bench.query(bench.good("events", "endpoints", OtherServers.none()), COUNT),
            "Cannot reach node 127.0.0.1:",
            "Check that the node is running and that the address is right"),
        refused(
            "one of the endpoints is down, and nobody knows what it holds",
            ErrorCode.NODE_UNREACHABLE,
            bench -> {
              String both = bench.good("events").get("endpoints") + "," + OtherServers.none();
              return bench.query(bench.good("events", "endpoints", both), COUNT);
            },
            "Cannot reach node 127.0.0.1:",
            "What it holds of table \"events\" is not known"),
        refused(
            "a web server",
            ErrorCode.NOT_A_TALLY_NODE,
            bench -> bench.query(bench.good("events", "endpoints", bench.others().web()), COUNT),
            "127.0.0.1:",
            "Check host and port"),
        refused(
            "another gRPC server",
            ErrorCode.NOT_A_TALLY_NODE,
            bench -> bench.query(bench.good("events", "endpoints", bench.others().grpc()), COUNT),
            "127.0.0.1:",
            "Check host and port"),
        refused(
            "a port that accepts and is silent",
            ErrorCode.NODE_SILENT,
            bench -> {
              Map<String, String> options =
                  bench.good("events", "endpoints", bench.others().silent());
              return bench.query(BadInputBench.with(options, "describe-timeout-ms", "1000"), COUNT);
            },
            "No answer in time from node 127.0.0.1:",
            "may be overloaded, stopped or cut off"));
  }

  private static List<BadInput> clusters() {
    return List.of(
        refused(
            "two nodes hold different rows under one partition id",
            ErrorCode.CLUSTER_INCONSISTENT,
            bench -> bench.query(bench.nodes(t(bench, "p", 1, 2), t(bench, "p", 1, 3)), COUNT),
            "\"p\"",
            "node-a",
            "node-b",
            "Give both the same files, or their partitions different ids"),
        refused(
            "two nodes disagree on a column",
            ErrorCode.CLUSTER_INCONSISTENT,
            bench -> {
              TableConfig words =
                  TableConfig.table("t").parquet("q", bench.files().parquet("SELECT 'x' AS id"));
              return bench.query(bench.nodes(t(bench, "p", 1), words), COUNT);
            },
            "\"id\"",
            "Give the table the same schema on every node"),
        refused(
            "a partition that no node owns",
            ErrorCode.PARTITION_WITHOUT_OWNER,
            bench ->
                bench.query(
                    bench.nodes(t(bench, "p", 1).with("cluster-partitions", List.of("p", "q"))),
                    COUNT),
            "\"q\"",
            "Start the node that does"),
        refused(
            "the owner of a partition is down",
            ErrorCode.PARTITION_WITHOUT_OWNER,
            bench -> {
              List<String> all = List.of("p", "q");
              TallyCluster cluster =
                  bench.cluster(
                      t(bench, "p", 1).with("cluster-partitions", all),
                      t(bench, "q", 2).with("cluster-partitions", all));
              bench.kill(cluster.node(1));
              return bench.query(cluster.options("t"), COUNT);
            },
            "\"q\"",
            "Start the node that does",
            "Cannot reach node 127.0.0.1:"));
  }

  private static List<BadInput> requests() {
    return List.of(
        refused(
            "a column that cannot be read",
            ErrorCode.COLUMN_NOT_FOUND,
            bench -> bench.query(bench.good("odd"), "SELECT bits FROM t"),
            "\"bits\"",
            "its type is BIT",
            "Select the other columns by name"),
        refused(
            "an oversized row",
            ErrorCode.ROW_TOO_LARGE,
            bench -> {
              Map<String, String> options = bench.good("wide", "max-row-bytes", "1000000");
              return bench.query(BadInputBench.with(options, "max-batch-bytes", "100000"), ROWS);
            },
            "wide",
            "\"s\"",
            "at most 1000000 are allowed",
            "Raise the limit for rows (max-row-bytes)"),
        refused(
            "a request that names no partition",
            ErrorCode.INVALID_REQUEST,
            bench -> bench.scan("events", open -> open.clearPartitions()),
            "names no partition",
            "name at least one"),
        refused(
            "a request that names an unknown partition",
            ErrorCode.PARTITION_NOT_FOUND,
            bench ->
                bench.scan(
                    "events", open -> open.addPartitions(ScanPartition.newBuilder().setId("aa"))),
            "does not own partition \"aa\"",
            "the nearest that it owns is \"a\""),
        refused(
            "a request that names an unknown column",
            ErrorCode.COLUMN_NOT_FOUND,
            bench -> bench.scan("events", open -> open.addColumns("idd")),
            "no column \"idd\"",
            "did you mean \"id\""),
        refused(
            "a request that was planned with another layout",
            ErrorCode.LAYOUT_CHANGED,
            bench -> bench.scan("events", open -> open.setLayoutVersion("of yesterday")),
            "\"events\"",
            "plan again"),
        refused(
            "an expression deeper than the limit",
            ErrorCode.EXPRESSION_TOO_LARGE,
            bench -> bench.scan("flags", open -> open.setPredicate(nested(65))),
            "the 64 levels that this node accepts",
            "evaluate a part of them at the client"),
        refused(
            "an expression that is too deep to be parsed",
            ErrorCode.INVALID_REQUEST,
            bench -> bench.scan("flags", open -> open.setPredicate(nested(400))),
            "nested deeper than"));
  }

  private static Expression nested(int calls) {
    Expression expression = Expression.newBuilder().setColumn("flag").build();
    for (int i = 0; i < calls; i++) {
      Call call = Call.newBuilder().setFunction("and").addArguments(expression).build();
      expression = Expression.newBuilder().setCall(call).build();
    }
    return expression;
  }

  private static TableConfig t(BadInputBench bench, String partition, int... ids) {
    return ids(bench.files(), "t", partition, ids);
  }

  private static TableConfig ids(SampleFiles files, String table, String partition, int... ids) {
    String rows = "SELECT unnest(" + Arrays.toString(ids) + ")::INT AS id";
    return TableConfig.table(table).parquet(partition, files.parquet(rows));
  }
}
