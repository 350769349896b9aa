package io.tally.server.scan;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.tally.rpc.TallyException;
import io.tally.rpc.v1.ColumnPath;
import io.tally.rpc.v1.ErrorCode;
import io.tally.rpc.v1.Expression;
import io.tally.rpc.v1.Open;
import io.tally.rpc.v1.PartSelection;
import io.tally.rpc.v1.PathStep;
import io.tally.server.fixture.Wire;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** What is inside columns, as operands and as what is sent. */
class NestedFieldsTest {
  private final ScanRunner runner = new ScanRunner();

  @BeforeEach
  void createTable() {
    runner.catalog.execute(
        "CREATE TABLE n AS SELECT * FROM (VALUES"
            + " (1, {'a': 1, 'b': 'x', 'in': {'c''d': 2}}, [{'a': 1, 'b': 'p'}, NULL],"
            + "  MAP {'k': {'a': 1, 'b': 2}}, [10, NULL]),"
            + " (2, NULL, NULL, NULL, NULL),"
            + " (3, {'a': NULL, 'b': NULL, 'in': NULL}, [], MAP {}, [])) t(k, st, ls, ms, nums)");
    runner.catalog.serve("t", "n");
  }

  @AfterEach
  void close() {
    runner.close();
  }

  @Test
  void whatIsNullStaysNull() {
    assertEquals(
        "[[{\"a\":1,\"in\":{\"c'd\":2}}, [{\"b\":\"p\"},null],"
            + " [{\"key\":\"k\",\"value\":{\"a\":1}}]], [null, null, null], [{}, [], []]]",
        runner
            .run(
                open("st", "ls", "ms")
                    .addProjection(part("st", part("a"), part("in")))
                    .addProjection(part("ls", part("element", part("b"))))
                    .addProjection(part("ms", part("value", part("a")))))
            .rows()
            .toString());
  }

  @Test
  void partsAreOperands() {
    Open.Builder byField =
        open("k").setPredicate(Wire.call("eq", path("st", field("in"), field("c'd")), integer(2)));
    assertEquals(List.of(List.of(1L)), runner.run(byField).rows());
    Open.Builder byItem =
        open("k").setPredicate(Wire.call("eq", path("nums", index(0)), integer(10)));
    assertEquals(List.of(List.of(1L)), runner.run(byItem).rows());
    Open.Builder behindTheEnd =
        open("k").setPredicate(Wire.call("is_null", path("nums", index(Long.MAX_VALUE))));
    assertEquals(3, runner.run(behindTheEnd).rows().size());
  }

  @Test
  void whatIsNullIsKnownOfWholeColumns() {
    for (String column : List.of("st", "ls", "ms", "nums")) {
      Expression whole = Wire.column(column);
      assertEquals(
          List.of(List.of(2L)),
          runner.run(open("k").setPredicate(Wire.call("is_null", whole))).rows());
      Open.Builder counted =
          open()
              .setPredicate(Wire.call("is_not_null", whole))
              .setAggregation(Wire.aggregation(List.of(), Wire.aggregate("count", whole)));
      assertEquals(List.of(List.of(2L)), runner.run(counted).rows());
      Open.Builder greatest =
          open().setAggregation(Wire.aggregation(List.of(), Wire.aggregate("max", whole)));
      TallyException e = assertThrows(TallyException.class, () -> runner.plan(greatest));
      assertEquals(ErrorCode.UNSUPPORTED_FEATURE, e.code(), e::getMessage);
    }
  }

  /** By its statistics, the field is 1 or NULL. */
  @Test
  void aConditionThatStatisticsDecideLeavesOutNulls() {
    Open.Builder open =
        open("st")
            .addProjection(part("st", part("b")))
            .setPredicate(Wire.call("in", path("st", field("a")), integer(1), integer(-5)));
    assertEquals("[[{\"b\":\"x\"}]]", runner.run(open).rows().toString());
  }

  @Test
  void whatIsNotThereIsRefused() {
    refused(
        ErrorCode.COLUMN_NOT_FOUND, "no field \"aa\"; did you mean \"a\"", path("st", field("aa")));
    refused(ErrorCode.COLUMN_NOT_FOUND, "no column \"sd\"", path("sd", field("a")));
    refused(ErrorCode.COLUMN_NOT_FOUND, "no field \"a\"", path("k", field("a")));
    refused(ErrorCode.INVALID_REQUEST, "is no list", path("st", index(0)));
    refused(ErrorCode.INVALID_REQUEST, "negative place", path("nums", index(-1)));
    refused(ErrorCode.INVALID_REQUEST, "no step", path("st"));
    refused(ErrorCode.UNSUPPORTED_FEATURE, "step", path("st", PathStep.getDefaultInstance()));
  }

  @Test
  void choicesThatCannotBeMadeAreRefused() {
    refused("not in the order", open("st").addProjection(part("st", part("b"), part("a"))));
    refused("twice", open("st").addProjection(part("st", part("b"), part("b"))));
    refused("twice", open("st").addProjection(part("st")).addProjection(part("st")));
    refused("not asked for: [st]", open("k").addProjection(part("st", part("a"))));
    refused("no parts", open("k").addProjection(part("k", part("a"))));
    refused("is element", open("ls").addProjection(part("ls", part("a"))));
    refused("is value", open("ms").addProjection(part("ms", part("key"))));
  }

  private void refused(ErrorCode code, String text, Expression path) {
    Open.Builder open = open("k").setPredicate(Wire.call("is_null", path));
    TallyException e = assertThrows(TallyException.class, () -> runner.plan(open));
    assertEquals(code, e.code(), e::getMessage);
    assertTrue(e.getMessage().contains(text), e::getMessage);
  }

  private void refused(String text, Open.Builder open) {
    TallyException e = assertThrows(TallyException.class, () -> runner.plan(open));
    assertEquals(ErrorCode.INVALID_REQUEST, e.code(), e::getMessage);
    assertTrue(e.getMessage().contains(text), e::getMessage);
  }

  private Open.Builder open(String... columns) {
    return Wire.open(runner.catalog, "t").addAllColumns(List.of(columns));
  }

  private static Expression integer(int value) {
    return Wire.integer(value);
  }

  private static PartSelection part(String name, PartSelection... parts) {
    return PartSelection.newBuilder().setName(name).addAllParts(List.of(parts)).build();
  }

  private static Expression path(String column, PathStep... steps) {
    return Expression.newBuilder()
        .setPath(ColumnPath.newBuilder().setColumn(column).addAllSteps(List.of(steps)))
        .build();
  }

  private static PathStep field(String name) {
    return PathStep.newBuilder().setField(name).build();
  }

  private static PathStep index(long place) {
    return PathStep.newBuilder().setIndex(place).build();
  }
}
