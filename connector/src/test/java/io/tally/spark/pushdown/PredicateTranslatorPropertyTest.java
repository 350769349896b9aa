package io.tally.spark.pushdown;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;

import java.util.HashMap;
import java.util.Map;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import org.apache.spark.sql.connector.expressions.filter.Predicate;

final class PredicateTranslatorPropertyTest {
  private final PredicateTranslator translator = SampleTable.predicates();

  @Property(tries = 5000)
  void whatIsTranslatedMeansTheSame(@ForAll long seed) {
    RandomPredicates random = new RandomPredicates(seed);
    Predicate predicate = random.predicate(4);
    Translation.Translated translated =
        assertInstanceOf(Translation.Translated.class, translator.translate(predicate));
    for (int i = 0; i < 10; i++) {
      Map<String, Object> row = random.row();
      assertEquals(
          SparkEvaluator.evaluate(predicate, row),
          WireEvaluator.evaluate(translated.expression(), onWire(row)),
          () -> predicate + " for " + row);
    }
  }

  static Map<String, Object> onWire(Map<String, Object> row) {
    Map<String, Object> wire = new HashMap<>();
    row.forEach(
        (name, value) -> {
          io.tally.rpc.v1.DataType type =
              SparkTypes.toWire(SampleTable.SCHEMA.column(name).orElseThrow().dataType())
                  .orElseThrow();
          wire.put(name, WireEvaluator.value(WireLiterals.of(value, type).orElseThrow()));
        });
    return wire;
  }
}
