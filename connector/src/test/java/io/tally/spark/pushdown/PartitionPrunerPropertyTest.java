package io.tally.spark.pushdown;

import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.tally.rpc.v1.ColumnBounds;
import io.tally.rpc.v1.DataType;
import io.tally.rpc.v1.Expression;
import io.tally.rpc.v1.Literal;
import io.tally.rpc.v1.LiteralList;
import io.tally.rpc.v1.Partition;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import net.jqwik.api.Example;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.statistics.Statistics;
import org.apache.spark.sql.connector.expressions.filter.Predicate;
import org.apache.spark.sql.types.DataTypes;

final class PartitionPrunerPropertyTest {
  private final PredicateTranslator translator = SampleTable.predicates();
  private final PartitionPruner pruner = new PartitionPruner(SampleTable.SCHEMA);

  @Property(tries = 10_000)
  void neverLosesAMatchingRow(@ForAll long seed) {
    RandomPredicates random = new RandomPredicates(seed);
    List<Map<String, Object>> rows = new ArrayList<>();
    for (int i = random.below(4); i >= 0; i--) {
      rows.add(random.row());
    }
    Partition partition = partition(rows, random);
    Predicate predicate = random.predicate(3);
    boolean kept = pruner.mayMatch(partition, List.of(wire(predicate)));
    boolean matches =
        rows.stream().anyMatch(row -> Boolean.TRUE.equals(SparkEvaluator.evaluate(predicate, row)));
    Statistics.collect(kept ? "kept" : "pruned");
    assertTrue(kept || !matches, () -> predicate + " over " + rows + ", " + partition);
  }

  private Expression wire(Predicate predicate) {
    return assertInstanceOf(Translation.Translated.class, translator.translate(predicate))
        .expression();
  }

  /** True bounds of some columns, in one of the forms that a node may choose. */
  private static Partition partition(List<Map<String, Object>> rows, RandomPredicates random) {
    Partition.Builder partition = Partition.newBuilder().setId("p").setRows(rows.size());
    for (String column : rows.get(0).keySet()) {
      DataType type =
          SparkTypes.toWire(SampleTable.SCHEMA.column(column).orElseThrow().dataType())
              .orElseThrow();
      List<Literal> values =
          rows.stream()
              .map(row -> row.get(column))
              .filter(Objects::nonNull)
              .map(value -> WireLiterals.of(value, type).orElseThrow())
              .sorted(
                  Comparator.comparing(
                      WireEvaluator::value, (left, right) -> WireEvaluator.compare(left, right)))
              .toList();
      ColumnBounds.Builder bounds =
          ColumnBounds.newBuilder()
              .setColumn(column)
              .setMayContainNull(values.size() < rows.size())
              .setAllNull(values.isEmpty());
      int form = random.below(4);
      if (form == 0) {
        continue;
      }
      if (!values.isEmpty() && form == 1) {
        bounds.setValues(LiteralList.newBuilder().addAllItems(values));
      } else if (!values.isEmpty()) {
        bounds.setLower(values.get(0));
        if (form == 2) {
          bounds.setUpper(values.get(values.size() - 1));
        }
      }
      partition.addBounds(bounds);
    }
    return partition.build();
  }

  @Example
  void prunesWhatBoundsExclude() {
    Partition january = days(0, 30, false);
    assertFalse(matches(january, V2.call(">", V2.column("day"), day(30))));
    assertTrue(matches(january, V2.call(">=", V2.column("day"), day(30))));
    assertFalse(matches(january, V2.call("<", V2.column("day"), day(0))));
    assertFalse(matches(january, V2.call("IN", V2.column("day"), day(-1), day(31))));
    assertFalse(matches(january, V2.call("IS_NULL", V2.column("day"))));
    assertTrue(matches(days(0, 30, true), V2.call("IS_NULL", V2.column("day"))));
    assertFalse(
        matches(january, V2.call("=", V2.column("day"), V2.literal(null, DataTypes.DateType))));
    assertFalse(
        matches(
            january,
            new org.apache.spark.sql.connector.expressions.filter.Not(
                V2.call(">=", V2.column("day"), day(0)))));
    assertFalse(
        matches(
            january,
            new org.apache.spark.sql.connector.expressions.filter.Or(
                V2.call("<", V2.column("day"), day(0)), V2.call("=", V2.column("day"), day(99)))));
    assertFalse(
        pruner.mayMatch(january.toBuilder().setRows(0).build(), List.of()),
        "a partition without rows");
  }

  private boolean matches(Partition partition, Predicate predicate) {
    return pruner.mayMatch(partition, List.of(wire(predicate)));
  }

  private static org.apache.spark.sql.connector.expressions.Expression day(int day) {
    return V2.literal(day, DataTypes.DateType);
  }

  private static Partition days(int from, int to, boolean mayContainNull) {
    DataType date = SparkTypes.toWire(DataTypes.DateType).orElseThrow();
    return Partition.newBuilder()
        .setId("p")
        .setRows(10)
        .addBounds(
            ColumnBounds.newBuilder()
                .setColumn("day")
                .setMayContainNull(mayContainNull)
                .setLower(Literal.newBuilder().setType(date).setInteger(from))
                .setUpper(Literal.newBuilder().setType(date).setInteger(to)))
        .build();
  }
}
