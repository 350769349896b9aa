package io.tally.spark;

import io.tally.spark.optimizer.CountsOfConstants;
import io.tally.spark.optimizer.HiddenConstants;
import java.util.List;
import org.apache.spark.sql.SparkSessionExtensions;
import org.apache.spark.sql.SparkSessionExtensionsProvider;
import org.apache.spark.sql.internal.SQLConf;
import scala.jdk.javaapi.CollectionConverters;
import scala.runtime.BoxedUnit;

/**
 * Adds to a session the rules that a query over a Tally table is planned with. Spark finds this
 * class by itself ({@link java.util.ServiceLoader}) if the connector is on the class path when the
 * session is created. A jar that is added later comes too late for it; then nodes are not asked for
 * what takes the rules.
 */
public final class TallyExtensions implements SparkSessionExtensionsProvider {
  /** For Spark. */
  public TallyExtensions() {}

  /** After all that rewrites a plan, before it is offered to sources. */
  @Override
  public BoxedUnit apply(SparkSessionExtensions extensions) {
    if (!SparkVersion.isSupported()) {
      // A table refuses it, with a reason, should there be one.
      return BoxedUnit.UNIT;
    }
    extensions.injectPreCBORule(session -> new CountsOfConstants(TallyTable.class::isInstance));
    extensions.injectPreCBORule(session -> new HiddenConstants(TallyTable.class::isInstance));
    return BoxedUnit.UNIT;
  }

  /** Whether the rule for counts is at work in the session that plans a query in this thread. */
  static boolean changeCounts() {
    List<String> excluded =
        List.of(SQLConf.get().optimizerExcludedRules().getOrElse(() -> "").split("[\\s,]+"));
    return CurrentSession.spark().stream()
        .map(session -> session.sessionState().optimizer().preCBORules())
        .flatMap(rules -> CollectionConverters.asJava(rules).stream())
        .anyMatch(rule -> rule instanceof CountsOfConstants && !excluded.contains(rule.ruleName()));
  }
}
