package io.tally.server.grpc;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.tally.rpc.TallyException;
import io.tally.rpc.v1.Aggregation;
import io.tally.rpc.v1.ErrorCode;
import io.tally.rpc.v1.Expression;
import io.tally.rpc.v1.Next;
import io.tally.rpc.v1.RowRange;
import io.tally.rpc.v1.ScanPartition;
import io.tally.rpc.v1.ScanRequest;
import io.tally.server.fixture.Wire;
import java.nio.charset.StandardCharsets;
import java.util.Collections;
import java.util.List;
import java.util.function.Consumer;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** Clients that break the protocol get typed errors, and leave nothing behind. */
@Timeout(120)
class BadCallTest {
  private static TestNode node;

  @BeforeAll
  static void start() {
    node = new TestNode(2, 2, 30_000);
    node.catalog.serve("t", "(SELECT range AS n, range > 5 AS flag FROM range(1000))");
  }

  @AfterAll
  static void close() {
    node.close();
  }

  @ParameterizedTest(name = "{0}")
  @MethodSource("badCalls")
  void answersWithATypedError(
      String what, ErrorCode code, String said, Consumer<HandDrivenCall> client) {
    HandDrivenCall call = node.call();

    client.accept(call);

    TallyException error = call.failure();
    assertEquals(code, error.code(), error::getMessage);
    assertTrue(error.getMessage().contains(said), error::getMessage);
    node.awaitIdle();
  }

  static Stream<Arguments> badCalls() {
    return Stream.of(
        bad("Next before Open", ErrorCode.INVALID_REQUEST, "before Open", call -> call.grant(1)),
        bad(
            "Open twice",
            ErrorCode.INVALID_REQUEST,
            "twice",
            call -> call.send(Wire.open(node.catalog, "t")).send(Wire.open(node.catalog, "t"))),
        bad(
            "negative credits",
            ErrorCode.INVALID_REQUEST,
            "-1 credits",
            call -> call.send(Wire.open(node.catalog, "t")).grant(-1)),
        bad(
            "more credits than an int holds",
            ErrorCode.INVALID_REQUEST,
            "credits to more",
            call ->
                call.send(Wire.open(node.catalog, "t").addColumns("n").setMaxBatchBytes(1))
                    .grant(Integer.MAX_VALUE)
                    .grant(Integer.MAX_VALUE)
                    .grant(Integer.MAX_VALUE)),
        bad(
            "acknowledging what was not sent",
            ErrorCode.INVALID_REQUEST,
            "below 5",
            call ->
                call.send(Wire.open(node.catalog, "t").addColumns("n"))
                    .send(Next.newBuilder().setAcknowledged(5))),
        bad(
            "acknowledging less than nothing",
            ErrorCode.INVALID_REQUEST,
            "below -1",
            call ->
                call.send(Wire.open(node.catalog, "t").addColumns("n"))
                    .send(Next.newBuilder().setAcknowledged(-1))),
        bad(
            "no event",
            ErrorCode.UNSUPPORTED_FEATURE,
            "event",
            call -> call.send(ScanRequest.getDefaultInstance())),
        bad("nothing", ErrorCode.INVALID_REQUEST, "before it sent Open", HandDrivenCall::halfClose),
        bad(
            "a scan_id that is too long",
            ErrorCode.INVALID_REQUEST,
            "scan_id",
            call -> call.send(Wire.open(node.catalog, "t").setScanId("x".repeat(129)))),
        bad(
            "a scan_id of several lines",
            ErrorCode.INVALID_REQUEST,
            "scan_id",
            call -> call.send(Wire.open(node.catalog, "t").setScanId("x\n2026 INFO scan y"))),
        bad(
            "a column of several lines",
            ErrorCode.COLUMN_NOT_FOUND,
            "\"x\\u000a2026 INFO scan y\"",
            call ->
                call.send(
                    Wire.open(node.catalog, "t").setPredicate(Wire.column("x\n2026 INFO scan y")))),
        bad(
            "a function of several lines",
            ErrorCode.UNSUPPORTED_FEATURE,
            "\"x\\u000d\\u000ay\"",
            call -> call.send(Wire.open(node.catalog, "t").setPredicate(Wire.call("x\r\ny")))),
        bad(
            "a very long partition",
            ErrorCode.PARTITION_NOT_FOUND,
            "x…\" of table \"t\"",
            call ->
                call.send(
                    Wire.open(node.catalog, "t")
                        .addPartitions(ScanPartition.newBuilder().setId("x".repeat(1 << 20))))),
        bad(
            "too many aggregates",
            ErrorCode.EXPRESSION_TOO_LARGE,
            "1001 keys and aggregates",
            call ->
                call.send(
                    Wire.open(node.catalog, "t")
                        .setAggregation(
                            Aggregation.newBuilder()
                                .addAllAggregates(
                                    Collections.nCopies(1001, Wire.aggregate("count_all")))))),
        bad(
            "too many ranges",
            ErrorCode.INVALID_REQUEST,
            "1000 ranges",
            call ->
                call.send(
                    Wire.open(node.catalog, "t")
                        .clearPartitions()
                        .addAllPartitions(
                            Collections.nCopies(
                                1001,
                                ScanPartition.newBuilder()
                                    .setRange(RowRange.getDefaultInstance())
                                    .build())))),
        bad(
            "unknown table",
            ErrorCode.TABLE_NOT_FOUND,
            "T",
            call -> call.send(Wire.open(node.catalog, "t").setTable("T"))),
        bad(
            "a batch larger than the window",
            ErrorCode.INVALID_REQUEST,
            "window",
            call -> call.send(Wire.open(node.catalog, "t").setMaxBatchBytes(5 << 20))),
        bad(
            "a bad expression",
            ErrorCode.COLUMN_NOT_FOUND,
            "\"flag\"",
            call -> call.send(Wire.open(node.catalog, "t").setPredicate(Wire.column("flags")))),
        bad(
            "an expression that is too deep",
            ErrorCode.EXPRESSION_TOO_LARGE,
            "64",
            call -> call.send(Wire.open(node.catalog, "t").setPredicate(nested(65)))),
        bad(
            "an expression that is far too deep",
            ErrorCode.INVALID_REQUEST,
            "nested",
            call -> call.send(Wire.open(node.catalog, "t").setPredicate(nested(400)))));
  }

  @Test
  void acceptsAsManyAggregatesAsTheProtocolAsksFor() {
    HandDrivenCall call =
        node.call()
            .send(
                Wire.open(node.catalog, "t")
                    .setAggregation(
                        Aggregation.newBuilder()
                            .addAllAggregates(
                                Collections.nCopies(
                                    1000, Wire.aggregate("max", Wire.column("n"))))))
            .grant(1);

    assertTrue(call.next().hasOpened());
    assertEquals(1, call.next().getBatch().getRows());
    assertTrue(call.next().hasEnd());
    call.awaitOk();
  }

  @Test
  void acceptsTheDepthThatTheProtocolAsksFor() {
    HandDrivenCall call =
        node.call().send(Wire.open(node.catalog, "t").setPredicate(nested(63))).grant(1);

    assertTrue(call.next().hasOpened());
    assertEquals(994, call.next().getBatch().getRows());
    assertTrue(call.next().hasEnd());
    call.awaitOk();
  }

  @Test
  void answersGarbageWithATypedError() throws Exception {
    byte[] garbage = "this is no message".getBytes(StandardCharsets.UTF_8);

    TallyException error = RawCall.say(node.channel, List.of(garbage)).orElseThrow();

    assertEquals(ErrorCode.INVALID_REQUEST, error.code());
  }

  @Test
  void describesOnlyWhatItHas() {
    TallyException error =
        assertThrows(TallyException.class, () -> node.client().describeTable("T", 30_000));

    assertEquals(ErrorCode.TABLE_NOT_FOUND, error.code());
  }

  private static Expression nested(int levels) {
    Expression expression = Wire.column("flag");
    for (int i = 0; i < levels; i++) {
      expression = Wire.call("and", expression);
    }
    return expression;
  }

  private static Arguments bad(
      String what, ErrorCode code, String said, Consumer<HandDrivenCall> client) {
    return Arguments.of(what, code, said, client);
  }
}
