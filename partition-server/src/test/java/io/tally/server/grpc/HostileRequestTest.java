package io.tally.server.grpc;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.tally.rpc.TallyException;
import io.tally.rpc.v1.ErrorCode;
import io.tally.rpc.v1.Open;
import io.tally.rpc.v1.ScanRequest;
import io.tally.server.scan.ExpressionLimits;
import io.tally.server.scan.RandomTable;
import io.tally.server.scan.ScanPlanner;
import java.io.ByteArrayInputStream;
import java.util.EnumSet;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import net.jqwik.api.EdgeCasesMode;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.ShrinkingMode;
import net.jqwik.api.lifecycle.AfterContainer;
import net.jqwik.api.lifecycle.BeforeContainer;

/**
 * Whatever a hostile client asks, a node answers or refuses with an error that says what is wrong
 * with the request, and keeps nothing. How often that is tried is jqwik's setting {@code
 * jqwik.tries.default}.
 */
class HostileRequestTest {
  private static final int ROWS = 40;
  private static final int DEPTH = 64;
  private static final int NODES = 200_000;

  /** A scan costs as much as so many requests that are only planned. */
  private static final int TRIES_PER_SCAN = 50;

  private static final Set<ErrorCode> REFUSALS =
      EnumSet.of(
          ErrorCode.INVALID_REQUEST,
          ErrorCode.TABLE_NOT_FOUND,
          ErrorCode.COLUMN_NOT_FOUND,
          ErrorCode.PARTITION_NOT_FOUND,
          ErrorCode.LAYOUT_CHANGED,
          ErrorCode.UNSUPPORTED_FEATURE,
          ErrorCode.EXPRESSION_TOO_LARGE,
          ErrorCode.ROW_TOO_LARGE,
          ErrorCode.ARITHMETIC_OVERFLOW,
          ErrorCode.SCAN_LOST);

  private static final ReceivedRequest.Marshaller PARSER = new ReceivedRequest.Marshaller(DEPTH);
  private static final ScanPlanner PLANNER = new ScanPlanner(new ExpressionLimits(DEPTH, NODES));

  private static TestNode node;

  @BeforeContainer
  static void start() {
    node = new TestNode(2, 2, 30_000, 50, 1 << 20);
    var unused = RandomTable.create(node.catalog, ROWS, 1);
  }

  @AfterContainer
  static void close() {
    node.close();
  }

  @Property(edgeCases = EdgeCasesMode.NONE, shrinking = ShrinkingMode.OFF)
  void anyRequestIsAnsweredOrRefused(@ForAll long seed) throws Exception {
    Random random = new Random(seed);
    byte[] request = HostileRequests.spoilt(HostileRequests.right(node.catalog, random), random);
    plan(request).ifPresent(HostileRequestTest::assertRefusal);
    if (random.nextInt(TRIES_PER_SCAN) == 0) {
      scan(List.of(request, HostileRequests.credits(random)));
    }
  }

  @Property(tries = 100, edgeCases = EdgeCasesMode.NONE)
  void requestsAreRightBeforeTheyAreSpoilt(@ForAll long seed) {
    Open open = HostileRequests.right(node.catalog, new Random(seed)).build();
    byte[] request = ScanRequest.newBuilder().setOpen(open).build().toByteArray();
    assertEquals(Optional.empty(), plan(request));
  }

  /** As a node does before it reads any data. */
  private static Optional<TallyException> plan(byte[] bytes) {
    ReceivedRequest received = PARSER.parse(new ByteArrayInputStream(bytes));
    if (received instanceof ReceivedRequest.Unreadable unreadable) {
      return Optional.of(unreadable.error());
    }
    Open open = ((ReceivedRequest.Parsed) received).request().getOpen();
    try {
      var unused = PLANNER.plan(open, node.catalog.table(open.getTable()));
      return Optional.empty();
    } catch (TallyException e) {
      return Optional.of(e);
    }
  }

  private static void scan(List<byte[]> words) throws Exception {
    RawCall.say(node.channel, words).ifPresent(HostileRequestTest::assertRefusal);
    node.awaitIdle();
  }

  private static void assertRefusal(TallyException error) {
    assertTrue(REFUSALS.contains(error.code()), () -> error.code() + ": " + error.getMessage());
  }
}
