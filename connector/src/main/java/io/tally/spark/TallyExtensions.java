package io.tally.spark;

import io.tally.spark.optimizer.CountsOfConstants;
import io.tally.spark.optimizer.HiddenConstants;
import java.util.Optional;
import java.util.Set;
import org.apache.spark.sql.SparkSessionExtensions;
import org.apache.spark.sql.SparkSessionExtensionsProvider;
import org.apache.spark.sql.classic.SparkSession;
import org.apache.spark.sql.internal.SQLConf;
import scala.Option;
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
    Option<SparkSession> session = SparkSession.getActiveSession();
    if (session.isEmpty()) {
      return false;
    }
    Optional<CountsOfConstants> rule =
        CollectionConverters.asJava(session.get().sessionState().optimizer().preCBORules()).stream()
            .filter(CountsOfConstants.class::isInstance)
            .map(CountsOfConstants.class::cast)
            .findFirst();
    Set<String> excluded =
        Set.of(SQLConf.get().optimizerExcludedRules().getOrElse(() -> "").split("[\\s,]+"));
    return rule.filter(it -> !excluded.contains(it.ruleName())).isPresent();
  }
}
