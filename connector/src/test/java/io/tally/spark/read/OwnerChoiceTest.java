package io.tally.spark.read;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.tally.rpc.TallyException;
import io.tally.rpc.client.NodeAddress;
import io.tally.rpc.v1.ErrorCode;
import io.tally.rpc.v1.Open;
import io.tally.rpc.v1.ScanPartition;
import io.tally.spark.pushdown.OutputColumn;
import io.tally.spark.pushdown.OutputColumn.Role;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import net.jqwik.api.Example;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;
import net.jqwik.api.constraints.Size;
import org.apache.spark.sql.types.DataTypes;
import org.apache.spark.sql.types.StructType;

/** Whom a reader asks for which partitions of its task. */
final class OwnerChoiceTest {
  private static final StreamOwner A = owner("a", 0, 1, 2);
  private static final StreamOwner B = owner("b", 0, 1);
  private static final StreamOwner C = owner("c", 2);

  private static StreamOwner owner(String id, int... holds) {
    return new StreamOwner(new NodeAddress(id, 1), id, "layout-" + id, id.equals("b"), bits(holds));
  }

  private static BitSet bits(int... positions) {
    BitSet bits = new BitSet();
    for (int position : positions) {
      bits.set(position);
    }
    return bits;
  }

  @Example
  void theFirstThatHoldsAllIsAsked() {
    OwnerChoice choice = new OwnerChoice(List.of(C, B, A), Set.of(), false);
    assertEquals(
        Optional.of(new OwnerChoice.Leg(A, bits(0, 1, 2), false)), choice.next(bits(0, 1, 2)));
    assertEquals(Optional.of(new OwnerChoice.Leg(B, bits(1), true)), choice.next(bits(1)));
    choice.exclude(A);
    assertEquals(Optional.of(new OwnerChoice.Leg(B, bits(1), false)), choice.next(bits(1)));
    assertEquals(Optional.empty(), choice.next(bits(0, 1, 2)), "one answer for all is needed");
  }

  @Example
  void severalAreAskedOneAfterAnotherWhereTheirAnswersMerge() {
    OwnerChoice choice = new OwnerChoice(List.of(A, C, B), Set.of(), true);
    assertTrue(choice.next(bits(0, 1, 2)).orElseThrow().replaceable());
    choice.exclude(A);
    assertEquals(
        Optional.of(new OwnerChoice.Leg(B, bits(0, 1), false)), choice.next(bits(0, 1, 2)));
    assertEquals(Optional.of(new OwnerChoice.Leg(C, bits(2), false)), choice.next(bits(2)));
    choice.exclude(C);
    assertEquals(Optional.empty(), choice.next(bits(0, 1, 2)), "nobody has the last partition");
  }

  @Property
  void everyPartitionIsReadOnceOrTheTaskFails(
      @ForAll @Size(min = 1, max = 5) List<@IntRange(min = 1, max = 63) Integer> held,
      @ForAll @IntRange(min = 0, max = 63) int failing) {
    List<StreamOwner> owners = new ArrayList<>();
    BitSet live = new BitSet();
    for (int i = 0; i < held.size(); i++) {
      BitSet holds = BitSet.valueOf(new long[] {held.get(i)});
      owners.add(new StreamOwner(new NodeAddress("n" + i, 1), "n" + i, "v", true, holds));
      if ((failing >> i & 1) == 0) {
        live.or(holds);
      }
    }
    OwnerChoice choice = new OwnerChoice(owners, Set.of(owners.get(0)), true);
    BitSet left = bits(0, 1, 2, 3, 4, 5);
    BitSet read = new BitSet();
    for (Optional<OwnerChoice.Leg> leg = choice.next(left);
        leg.isPresent() && !left.isEmpty();
        leg = choice.next(left)) {
      StreamOwner owner = leg.get().owner();
      BitSet asked = leg.get().partitions();
      assertFalse(asked.isEmpty());
      assertEquals(asked, owner.among(asked));
      if ((failing >> owners.indexOf(owner) & 1) == 1) {
        choice.exclude(owner);
      } else {
        assertFalse(read.intersects(asked));
        read.or(asked);
        left.andNot(asked);
      }
    }
    assertEquals(live.cardinality() == 6, left.isEmpty(), "read all if, and only if, all are live");
  }

  @Example
  void anOwnerIsAskedForWhatItHoldsWithItsOwnVersion() {
    Open task =
        Open.newBuilder()
            .setTable("t")
            .setLayoutVersion("layout-a")
            .addPartitions(ScanPartition.newBuilder().setId("x"))
            .addPartitions(ScanPartition.newBuilder().setId("y"))
            .addPartitions(ScanPartition.newBuilder().setId("z"))
            .setResumeAfter(0)
            .build();
    Open.Builder first = task.toBuilder().setLayoutVersion("layout-b").removePartitions(2);
    assertEquals(first.build(), B.ask(task, bits(0, 1)));
    assertEquals(task.toBuilder().clearResumeAfter().build(), A.ask(task, bits(0, 1, 2)));
  }

  @Example
  void whatGoesOnElsewhere() {
    for (ErrorCode code :
        List.of(
            ErrorCode.NODE_UNREACHABLE,
            ErrorCode.NODE_SILENT,
            ErrorCode.SHUTTING_DOWN,
            ErrorCode.SCAN_LOST,
            ErrorCode.TOO_MANY_SCANS,
            ErrorCode.LAYOUT_CHANGED,
            ErrorCode.PARTITION_NOT_FOUND,
            ErrorCode.DATA_UNREADABLE)) {
      assertTrue(OwnerChoice.mayHelp(new TallyException(code, "")), code::name);
    }
    for (ErrorCode code :
        List.of(
            ErrorCode.CANCELLED,
            ErrorCode.ARITHMETIC_OVERFLOW,
            ErrorCode.ROW_TOO_LARGE,
            ErrorCode.PROTOCOL_VIOLATION,
            ErrorCode.INVALID_REQUEST)) {
      assertFalse(OwnerChoice.mayHelp(new TallyException(code, "")), code::name);
    }
  }

  @Example
  void onlyAnswersThatMergeAreDivided() {
    OutputColumn count = new OutputColumn(Role.COUNT, DataTypes.LongType, DataTypes.LongType);
    RowColumns columns = RowColumns.ofGroups(new StructType());
    ReadShape partialGroups = new ReadShape(columns, List.of(count), false);
    ReadShape completeGroups = new ReadShape(columns, List.of(count), true);
    ReadShape rows = new ReadShape(columns, List.of(), true);
    ReadShape partOfRows = new ReadShape(columns, List.of(), false);
    Open all = Open.getDefaultInstance();
    Open first = Open.newBuilder().setLimit(3).build();
    assertTrue(partialGroups.isDivisible(all));
    assertFalse(completeGroups.isDivisible(all));
    assertTrue(rows.isDivisible(all));
    assertFalse(rows.isDivisible(first));
    assertTrue(partOfRows.isDivisible(first), "Spark limits again");
    assertFalse(rows.isDivisible(Open.newBuilder().setOffset(1).build()));
  }

  @Example
  void troubleIsForgottenAfterAWhile() {
    AtomicLong nanos = new AtomicLong(Long.MAX_VALUE - 5);
    TroubledNodes troubled = new TroubledNodes(nanos::get);
    assertFalse(troubled.isTroubled(A.address()));
    troubled.failed(A.address(), 0);
    troubled.failed(B.address(), TimeUnit.SECONDS.toNanos(60));
    assertTrue(troubled.isTroubled(A.address()));
    troubled.answered(A.address());
    assertFalse(troubled.isTroubled(A.address()));
    assertTrue(troubled.isTroubled(B.address()));
    troubled.failed(A.address(), 0);
    nanos.addAndGet(TimeUnit.MILLISECONDS.toNanos(TroubledNodes.MIN_AVOID_MILLIS));
    assertFalse(troubled.isTroubled(A.address()));
    assertTrue(troubled.isTroubled(B.address()), "a silence costs more");
    troubled.failed(C.address(), Long.MAX_VALUE);
    nanos.addAndGet(TimeUnit.MILLISECONDS.toNanos(TroubledNodes.MAX_AVOID_MILLIS) - 1);
    assertFalse(troubled.isTroubled(B.address()));
    assertTrue(troubled.isTroubled(C.address()));
    nanos.incrementAndGet();
    assertFalse(troubled.isTroubled(C.address()));
  }

  @Example
  void nodesInTroubleAreAskedWhereOthersDoNotSuffice() {
    OwnerChoice merging = new OwnerChoice(List.of(A, B, C), Set.of(A), true);
    assertEquals(B, merging.next(bits(0, 1, 2)).orElseThrow().owner());
    OwnerChoice whole = new OwnerChoice(List.of(A, B, C), Set.of(A), false);
    assertEquals(A, whole.next(bits(0, 1, 2)).orElseThrow().owner());
    assertEquals(B, whole.next(bits(0)).orElseThrow().owner());
    assertEquals(
        A, new OwnerChoice(List.of(A, B), Set.of(A, B), true).next(bits(0)).orElseThrow().owner());
  }
}
